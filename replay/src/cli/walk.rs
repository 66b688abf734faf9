//! [`walk`]: `review` at a terminal, group by group, with a question each.

use std::{
    io::{self, BufRead, Write},
    slice,
};

use super::{said::counted, shown};
use crate::{
    CaseError, CaseName,
    review::{Alike, Review},
    verdict::chain,
};

/// Goes through the groups and settles what is answered. Gives the exit code: 0 all is settled, 1
/// something is left, 2 something could not be settled.
pub(super) fn walk(review: Review, input: &mut dyn BufRead, out: &mut dyn Write) -> io::Result<u8> {
    let groups = review.groups();
    let mut walk = Walk { review, input, out, accepted: 0, rejected: 0, failed: 0 };
    for (number, alike) in (1..).zip(&groups) {
        if walk.group(alike, &format!("{number}/{}", groups.len()))? == Then::Quit {
            break;
        }
    }
    let Walk { review, out, accepted, rejected, failed, .. } = walk;
    writeln!(
        out,
        "{} accepted, {rejected} rejected, {} left",
        counted(accepted, "case"),
        review.open()
    )?;
    Ok(match (failed, review.open()) {
        (0, 0) => 0,
        (0, _) => 1,
        _ => 2,
    })
}

struct Walk<'a> {
    review: Review,
    input: &'a mut dyn BufRead,
    out: &'a mut dyn Write,
    accepted: usize,
    rejected: usize,
    failed: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    GoOn,
    Quit,
}

#[derive(Clone, Copy)]
enum Settle {
    Accept,
    Reject,
}

const HELP_OF_GROUP: &str = "\
a  accept these cases, each whole
r  reject them: what came is forgotten
l  list them all, with numbers
c  look at the first case; a number: at that one of the list
s  skip them: they stay pending
q  quit: what is not settled stays pending
?  print this
";

const HELP_OF_CASE: &str = "\
a  accept this case alone, whole
r  reject it: what came is forgotten
d  show the difference again
o  show the old: what is expected
n  show the new: what came
e  show the exchanges: answers given, requests made
j  go to the next case of the group
k  go to the one before
b  go back to the group
q  quit: what is not settled stays pending
?  print this
";

impl Walk<'_> {
    fn group(&mut self, alike: &Alike, place: &str) -> io::Result<Then> {
        while let Some(told) = self.review.told(alike) {
            writeln!(self.out)?;
            shown::group(alike, &told, self.out)?;
            let names = told.names;
            let which = match names.len() {
                1 => "this case".to_owned(),
                count => format!("these {count} cases"),
            };
            let asked = format!("({place}) Accept {which} [a,r,l,c,s,q,?]?");
            // The group is shown again only once it may have changed.
            loop {
                let Some(answer) = self.ask(&asked)? else { return Ok(Then::Quit) };
                match answer.as_str() {
                    "a" => {
                        self.settle(&names, Settle::Accept)?;
                        return Ok(Then::GoOn);
                    }
                    "r" => {
                        self.settle(&names, Settle::Reject)?;
                        return Ok(Then::GoOn);
                    }
                    "s" => return Ok(Then::GoOn),
                    "q" => return Ok(Then::Quit),
                    "l" => shown::list(&names, self.out)?,
                    answer => {
                        let number = if answer == "c" { Ok(1) } else { answer.parse::<usize>() };
                        let at = number.ok().and_then(|number| number.checked_sub(1));
                        if let Some(at) = at.filter(|at| *at < names.len()) {
                            if self.cases(alike, at)? == Then::Quit {
                                return Ok(Then::Quit);
                            }
                            break;
                        }
                        self.out.write_all(HELP_OF_GROUP.as_bytes())?;
                    }
                }
            }
        }
        Ok(Then::GoOn)
    }

    /// The cases of a group one by one, from one of them on.
    fn cases(&mut self, alike: &Alike, first: usize) -> io::Result<Then> {
        let mut at = first;
        loop {
            let names = self.review.names(alike);
            let Some(name) = names.get(at) else { return Ok(Then::GoOn) };
            writeln!(self.out)?;
            self.show(name, "d")?;
            let asked =
                format!("({}/{}) Accept {name} [a,r,d,o,n,e,j,k,b,q,?]?", at + 1, names.len());
            loop {
                let Some(answer) = self.ask(&asked)? else { return Ok(Then::Quit) };
                match answer.as_str() {
                    // The next one takes its place.
                    "a" => self.settle(slice::from_ref(name), Settle::Accept)?,
                    "r" => self.settle(slice::from_ref(name), Settle::Reject)?,
                    "j" => at += 1,
                    "k" => at = at.saturating_sub(1),
                    "b" => return Ok(Then::GoOn),
                    "q" => return Ok(Then::Quit),
                    view @ ("d" | "o" | "n" | "e") => {
                        self.show(name, view)?;
                        continue;
                    }
                    _ => {
                        self.out.write_all(HELP_OF_CASE.as_bytes())?;
                        continue;
                    }
                }
                break;
            }
        }
    }

    fn show(&mut self, name: &CaseName, view: &str) -> io::Result<()> {
        let Some(pending) = self.review.pending(name) else { return Ok(()) };
        let golden = self.review.golden();
        match view {
            "o" => shown::expectations(&golden.join(name.as_str()), self.out),
            "n" => shown::expectations(&pending.folder.join(name.as_str()), self.out),
            view => match pending.waiting(golden, name) {
                Ok(waiting) if view == "e" => shown::exchanges(&waiting, self.out),
                Ok(waiting) => shown::diff(name, &waiting, self.out),
                Err(error) => writeln!(self.out, "{name}: {}", chain(&error)),
            },
        }
    }

    fn settle(&mut self, names: &[CaseName], how: Settle) -> io::Result<()> {
        let mut count = 0;
        for name in &self.review.derived_first(names) {
            let settled: Result<(), CaseError> = match how {
                Settle::Accept => self.review.accept(name),
                Settle::Reject => self.review.reject(name),
            };
            match settled {
                Ok(()) => count += 1,
                Err(error) => {
                    self.failed += 1;
                    writeln!(self.out, "{name}: {}", chain(&error))?;
                }
            }
        }
        let (all, done) = match how {
            Settle::Accept => (&mut self.accepted, "accepted"),
            Settle::Reject => (&mut self.rejected, "rejected"),
        };
        *all += count;
        writeln!(self.out, "{} {done}", counted(count, "case"))
    }

    /// Asks and gives the answer; `None` where there is no more to come.
    fn ask(&mut self, asked: &str) -> io::Result<Option<String>> {
        write!(self.out, "{asked} ")?;
        self.out.flush()?;
        let mut line = Vec::new();
        if self.input.read_until(b'\n', &mut line)? == 0 {
            writeln!(self.out)?;
            return Ok(None);
        }
        Ok(Some(String::from_utf8_lossy(&line).trim().to_owned()))
    }
}
