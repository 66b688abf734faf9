//! Logs that the writer wrote, one change to each, and what is told of it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use proptest::prelude::*;
use tapeline::audit::{Anchor, DiskLog, Record, RunsFile, Sink as _};
use tempfile::TempDir;

use super::{Damage, DamageKind, NoteKind, Verified, Verify};
use crate::log::{Log, Pin, tests::record};

/// A log as lines, each in its file.
#[derive(Clone)]
struct Lines {
    files: Vec<RunsFile>,
    lines: Vec<(usize, Vec<u8>)>,
}

struct World {
    _dir: TempDir,
    audit: PathBuf,
}

impl World {
    /// Records on four days, the second in two files; a writer died behind each `torn`.
    fn with(records: usize, torn: &[usize]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let audit = dir.path().join("audit");
        for number in 0..records {
            let day = format!("2026-11-2{}", number * 4 / records);
            let mut record = record(u32::try_from(number).unwrap(), &day);
            DiskLog::new(audit.clone()).append(&mut record).unwrap();
            if torn.contains(&number) && number + 1 < records {
                let path = RunsFile::list(&audit).unwrap().pop().unwrap().path(&audit);
                let mut text = fs::read(&path).unwrap();
                let half = format!("{{\"v\":1,\"seq\":{},\"run_id\":\"{number}", number + 2);
                text.extend(half.as_bytes());
                fs::write(path, text).unwrap();
            }
        }
        let world = Self { _dir: dir, audit };
        // The writer begins a second file of a day after 64 MB.
        let mut lines = world.lines();
        if let Some(second) = lines.files.get(1).cloned() {
            let of_second: Vec<_> =
                (0..lines.lines.len()).filter(|at| lines.lines[*at].0 == 1).collect();
            lines.files.insert(2, second.following());
            for (at, (file, _)) in lines.lines.iter_mut().enumerate() {
                let is_second_half =
                    of_second.iter().skip(of_second.len().div_ceil(2)).any(|later| *later == at);
                *file += usize::from(*file > 1 || is_second_half);
            }
            world.write(&lines);
        }
        world
    }

    fn lines(&self) -> Lines {
        let files = RunsFile::list(&self.audit).unwrap();
        let mut lines = Vec::new();
        for (at, file) in files.iter().enumerate() {
            let text = fs::read(file.path(&self.audit)).unwrap();
            if text.is_empty() {
                continue;
            }
            let text = text.strip_suffix(b"\n").unwrap_or(&text);
            lines.extend(text.split(|byte| *byte == b'\n').map(|line| (at, line.to_vec())));
        }
        Lines { files, lines }
    }

    fn write(&self, lines: &Lines) {
        for file in RunsFile::list(&self.audit).unwrap() {
            fs::remove_file(file.path(&self.audit)).unwrap();
        }
        for (at, file) in lines.files.iter().enumerate() {
            let of_file = lines.lines.iter().filter(|(file, _)| *file == at);
            let text: Vec<u8> = of_file.flat_map(|(_, line)| [line, &b"\n"[..]].concat()).collect();
            fs::write(file.path(&self.audit), text).unwrap();
        }
    }

    fn log(&self) -> Log {
        Log::open(&self.audit).unwrap()
    }

    fn verify(&self, pinned: Option<Pin>) -> Verified {
        let wanted = Verify { pinned, ..Verify::default() };
        let verified = self.log().verify(&wanted, &mut |read, of| {
            assert!(read <= of);
        });
        verified.unwrap()
    }

    /// The kind and the place of the first bad line: its file and number.
    fn told(&self, pinned: Option<Pin>) -> Option<(String, String, Option<u64>)> {
        let damage = self.verify(pinned).damage?;
        let file = damage.file.file_name().unwrap().to_str().unwrap().to_owned();
        Some((damage.kind.name().to_owned(), file, damage.line))
    }
}

fn is_record(line: &[u8]) -> bool {
    serde_json::from_slice::<Record>(line).is_ok()
}

fn edited(line: &[u8], from: &str, to: &str) -> Vec<u8> {
    let text = std::str::from_utf8(line).unwrap();
    assert!(text.contains(from), "{from} in {text}");
    text.replacen(from, to, 1).into_bytes()
}

fn hash(line: &[u8]) -> String {
    crate::digest::sha256_hex(line)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    None,
    EditText,
    EditSeq,
    EditPrev,
    EditVersion,
    Garble,
    Shorten,
    Delete,
    DeleteFile,
    Duplicate,
    Move,
    InsertJunk,
    InsertSibling,
    InsertForeign,
    Cut,
}

const CHANGES: [Change; 15] = [
    Change::None,
    Change::EditText,
    Change::EditSeq,
    Change::EditPrev,
    Change::EditVersion,
    Change::Garble,
    Change::Shorten,
    Change::Delete,
    Change::DeleteFile,
    Change::Duplicate,
    Change::Move,
    Change::InsertJunk,
    Change::InsertSibling,
    Change::InsertForeign,
    Change::Cut,
];

/// Makes the change; what must be told of it, and at which of the lines then. `None` where the
/// change makes no sense there, or nobody can know of it.
#[expect(clippy::too_many_lines, reason = "one list of equals")]
fn change(
    lines: &mut Lines,
    change: Change,
    one: usize,
    other: usize,
    is_pinned: bool,
) -> Option<Option<(&'static str, usize)>> {
    let all = &mut lines.lines;
    let count = all.len();
    let records: Vec<usize> = (0..count).filter(|at| is_record(&all[*at].1)).collect();
    let at = records[one % records.len()];
    let is_torn =
        |all: &[(usize, Vec<u8>)], at: usize| all.get(at).is_some_and(|(_, line)| !is_record(line));
    let is_last = at + 1 == count;
    // Torn lines at the end are chained to it by nobody yet.
    let is_covered = records.last() != Some(&at) || is_pinned;
    let file_missing = |all: &[(usize, Vec<u8>)], files: &[RunsFile], at: usize| {
        let before = (0..at).rfind(|at| !is_torn(all, *at));
        !files[before.map_or(0, |before| all[before].0)..=all[at].0]
            .windows(2)
            .all(|pair| pair[0].following() == pair[1])
    };
    // Torn lines before it may be of whoever did that.
    let first = (0..at).rfind(|at| !is_torn(all, *at)).map_or(0, |before| before + 1);
    let rewritten = ("rewritten", first);
    let line = all[at].1.clone();
    let seq = serde_json::from_slice::<Record>(&line).unwrap().seq;
    Some(match change {
        Change::None => None,
        Change::EditText if is_covered => {
            all[at].1 = edited(&line, "hello", "hallo");
            Some(if is_last { rewritten } else { ("edited", at) })
        }
        Change::EditSeq => {
            all[at].1 = edited(
                &line,
                &format!("\"seq\":{seq},"),
                &format!("\"seq\":{},", seq + 1 + (other % 5) as u64),
            );
            // Behind a torn line it is told from a deletion by what follows alone.
            if is_torn(all, at.wrapping_sub(1)) && !is_covered {
                return None;
            }
            Some(("edited", at))
        }
        Change::EditPrev if is_covered => {
            let prev = serde_json::from_slice::<Record>(&line).unwrap().prev;
            all[at].1 = edited(&line, &prev, &hash(b"another"));
            Some(("edited", at))
        }
        Change::EditVersion => {
            all[at].1 = edited(&line, "\"v\":1", "\"v\":2");
            match is_covered {
                true if is_last => Some(rewritten),
                true => Some(("edited", at)),
                false if is_last => Some(("version", at)),
                false => return None,
            }
        }
        Change::Garble => {
            all[at].1 = b"\xff garbled".to_vec();
            Some(("unparsable", at))
        }
        Change::Shorten if !is_last && !is_torn(all, at + 1) => {
            all[at].1.truncate(line.len() / 2);
            Some(("unparsable", at))
        }
        Change::Delete | Change::DeleteFile => {
            let (from, to) = if change == Change::Delete {
                (at, at + 1 + other % 3)
            } else {
                let file = all[at].0;
                let of_file = (0..count).filter(|at| all[*at].0 == file);
                (of_file.clone().min().unwrap(), of_file.max().unwrap() + 1)
            };
            // A torn line that goes as well looks like an edited one before it, and where a single
            // record is gone beside one, that looks as if it were what is left of it.
            let hides = (from..to.min(count)).filter(|at| is_record(&all[*at].1)).count() == 1
                && (is_torn(all, from.wrapping_sub(1)) || is_torn(all, to));
            if to >= count || is_torn(all, to - 1) || hides || !is_record(&all[from].1) {
                return None;
            }
            if change == Change::DeleteFile {
                let file = all[at].0;
                lines.files.remove(file);
                all.drain(from..to);
                for (of, _) in &mut *all {
                    *of -= usize::from(*of > file);
                }
                let from = (from..all.len()).find(|at| !is_torn(all, *at)).unwrap_or(from);
                // Whether a day was before the first that is left nobody can tell.
                let kind = match file > 0 || file_missing(all, &lines.files, from) {
                    true => "file_missing",
                    false => "deleted",
                };
                return Some(Some((kind, from)));
            }
            all.drain(from..to);
            // Whether it stood before or behind a torn line nobody can tell.
            let from = (from..all.len()).find(|at| !is_torn(all, *at)).unwrap_or(from);
            match file_missing(all, &lines.files, from) {
                true => Some(("file_missing", from)),
                false => Some(("deleted", from)),
            }
        }
        Change::Duplicate => {
            let to = other % (count + 1);
            if is_torn(all, to) {
                return None;
            }
            let file = all[to.min(count - 1)].0;
            all.insert(to, (file, line));
            Some(("duplicated", if to == at { at + 1 } else { to }))
        }
        Change::Move => {
            let (_, line) = all.remove(at);
            let to = other % (all.len() + 1);
            // A torn line that a record changes places with looks as if it had been put in.
            let is_swapped = to > at && (at..to).all(|at| is_torn(all, at));
            if to == at || (to < at && is_torn(all, to)) || is_swapped {
                return None;
            }
            let file = all[to.min(all.len() - 1)].0;
            all.insert(to, (file, line));
            Some(("reordered", to.min(at)))
        }
        Change::InsertJunk => {
            let to = other % (count + 1);
            if is_torn(all, to) {
                return None;
            }
            let file = all[to.min(count - 1)].0;
            all.insert(to, (file, b"[1, 2]".to_vec()));
            Some((if to == count { "unparsable" } else { "inserted" }, to))
        }
        Change::InsertSibling if !is_last && !is_torn(all, at + 1) => {
            let sibling = edited(&line, "hello", "hallo");
            all.insert(at, (all[at].0, sibling));
            Some(("inserted", at))
        }
        Change::InsertForeign => {
            let foreign = edited(&line, &format!("\"seq\":{seq},"), "\"seq\":10000,");
            let prev = serde_json::from_slice::<Record>(&line).unwrap().prev;
            all.insert(at, (all[at].0, edited(&foreign, &prev, &hash(b"another"))));
            Some(("inserted", at))
        }
        Change::Cut if is_pinned => {
            let left = 1 + other % (count - 1);
            all.truncate(left);
            // What ends with a torn line is cut behind it.
            Some(("cut", left - 1)).filter(|_| !is_torn(all, left - 1))?.into()
        }
        _ => return None,
    })
}

/// Makes the change, if it makes sense there, and looks at what is told of it.
#[track_caller]
fn check_change(world: &World, wanted: Change, one: usize, other: usize, is_pinned: bool) {
    let pin = world.log().head().unwrap().filter(|_| is_pinned);
    let mut lines = world.lines();
    let Some(expected) = change(&mut lines, wanted, one, other, is_pinned) else { return };
    world.write(&lines);
    let expected = expected.map(|(kind, at)| {
        let file = lines.lines[at].0;
        let line = 1 + lines.lines[..at].iter().filter(|(of, _)| *of == file).count();
        (kind.to_owned(), lines.files[file].to_string(), Some(line as u64))
    });
    assert_eq!(world.told(pin), expected, "{wanted:?} {one} {other}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn one_change_is_told_by_its_name_at_the_first_bad_line(
        records in 4usize..14,
        torn in prop::collection::vec(0usize..14, 0..3),
        wanted in prop::sample::select(&CHANGES[..]),
        one in any::<usize>(),
        other in any::<usize>(),
        is_pinned in any::<bool>(),
    ) {
        check_change(&World::with(records, &torn), wanted, one, other, is_pinned);
    }
}

#[test]
fn a_move_is_told_wherever_it_leads_and_whatever_torn_lines_there_are() {
    const RECORDS: usize = 6;
    let torn = (0..RECORDS - 1).flat_map(|one| (one..RECORDS - 1).map(move |other| [one, other]));
    for torn in torn {
        let world = World::with(RECORDS, &torn);
        let whole = world.lines();
        for (from, to) in (0..RECORDS).flat_map(|from| (0..8).map(move |to| (from, to))) {
            check_change(&world, Change::Move, from, to, false);
            world.write(&whole);
        }
    }
}

#[test]
fn a_whole_log_is_told_in_numbers() {
    let world = World::with(12, &[4]);
    let verified = world.verify(world.log().head().unwrap());
    assert_eq!((verified.files, verified.records, verified.torn), (5, 12, 1));
    assert_eq!(verified.first.unwrap().timestamp, "2026-11-20T10:00:00.000Z");
    assert_eq!(verified.last.unwrap().seq, 12);
    assert_eq!(verified.notes[0].kind, NoteKind::Torn);
    assert_eq!((verified.damage, verified.pruned, verified.blobs), (None, None, None));
    let last = world.lines().lines.pop().unwrap().1;
    assert_eq!(verified.head.unwrap().to_string(), format!("12:{}", hash(&last)));
}

#[test]
fn a_log_that_goes_on_behind_the_pinned_head_is_fine_and_one_written_anew_is_not() {
    let world = World::with(8, &[]);
    let lines = world.lines();
    let pin = |at: usize, hash: String| Some(Pin { seq: at as u64, sha256: hash });
    assert_eq!(world.told(pin(5, hash(&lines.lines[4].1))), None);
    let (kind, _, line) = world.told(pin(5, hash(b"another"))).unwrap();
    assert_eq!((kind.as_str(), line), ("rewritten", Some(1)));
    let (kind, ..) = world.told(pin(8, hash(b"another"))).unwrap();
    assert_eq!(kind, "rewritten");
    assert_eq!(world.told(pin(9, hash(b"another"))).unwrap().0, "cut");
}

#[test]
fn the_last_line_is_told_when_it_is_no_record_and_noted_when_it_is_torn() {
    let world = World::with(4, &[]);
    let mut lines = world.lines();
    let whole = lines.lines[3].1.clone();
    lines.lines[3].1.truncate(whole.len() - 30);
    world.write(&lines);
    let verified = world.verify(None);
    assert_eq!((verified.damage, verified.notes[0].kind), (None, NoteKind::TornEnd));
    assert_eq!(world.log().head().unwrap().unwrap().seq, 3);
    lines.lines[3].1 = edited(&whole, "\"host\"", "\"hots\"");
    world.write(&lines);
    assert_eq!(world.told(None).unwrap().0, "unparsable");
}

#[test]
fn an_empty_log_is_fine_unless_more_was_pinned() {
    let world = World::with(4, &[]);
    world.write(&Lines { files: Vec::new(), lines: Vec::new() });
    assert_eq!(world.log().verify(&Verify::default(), &mut |_, _| {}).unwrap().damage, None);
    assert_eq!(world.log().head().unwrap(), None);
    let pinned = Some(Pin { seq: 1, sha256: hash(b"x") });
    let verified =
        world.log().verify(&Verify { pinned, ..Verify::default() }, &mut |_, _| {}).unwrap();
    assert_eq!(verified.damage.unwrap().kind.name(), "cut");
}

fn pruned(records: usize, torn: &[usize], before: &str) -> World {
    let world = World::with(records, torn);
    let kept = world.lines();
    DiskLog::new(world.audit.clone()).prune(before).unwrap();
    assert!(world.lines().lines.len() < kept.lines.len());
    world
}

fn anchors(audit: &Path) -> Vec<Vec<u8>> {
    let text = fs::read(Anchor::path(audit)).unwrap();
    text.strip_suffix(b"\n").unwrap().split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

fn write_anchors(audit: &Path, lines: &[Vec<u8>]) {
    fs::write(Anchor::path(audit), [lines.join(&b'\n'), b"\n".to_vec()].concat()).unwrap();
}

#[test]
fn a_pruned_log_verifies_from_its_anchor() {
    let world = pruned(12, &[2, 4, 5], "2026-11-22");
    let verified = world.verify(None);
    assert_eq!((verified.damage, verified.pruned), (None, Some(6)));
    assert_eq!((verified.records, verified.first.unwrap().seq), (6, 7));
    // Again and later.
    assert_eq!(DiskLog::new(world.audit.clone()).prune("2026-11-22").unwrap().files, []);
    DiskLog::new(world.audit.clone()).prune("2026-12-01").unwrap();
    let verified = world.verify(None);
    assert_eq!((verified.damage, verified.pruned, verified.records), (None, Some(9), 3));
}

#[test]
fn a_pinned_record_that_was_pruned_is_never_said_to_be_in_the_log() {
    let world = World::with(12, &[]);
    let pins: Vec<Pin> = world
        .lines()
        .lines
        .iter()
        .zip(1..)
        .map(|((_, line), seq)| Pin { seq, sha256: hash(line) })
        .collect();
    DiskLog::new(world.audit.clone()).prune("2026-11-22").unwrap();
    // Files ended with records 3, 5 and 6.
    let told = |at: usize| world.told(Some(pins[at - 1].clone())).map(|told| (told.0, told.2));
    let bad = |kind: &str, line: u64| Some((kind.to_owned(), Some(line)));
    assert_eq!(world.verify(Some(pins[5].clone())).notes[0].kind, NoteKind::PinAnchor);
    assert_eq!(world.verify(Some(pins[5].clone())).damage, None);
    assert_eq!(told(7), None);
    // Nothing vouches for an older anchor, so that its having the hash shows nothing.
    for at in [1, 2, 3, 4, 5] {
        assert_eq!(told(at), bad("pin_pruned", 3), "{at}");
    }
    for (seq, kind, line) in [(3, "anchor", 1), (5, "anchor", 2), (6, "anchor", 3)] {
        let pinned = Some(Pin { seq, sha256: hash(b"another") });
        let told = world.told(pinned).unwrap();
        assert_eq!((told.0.as_str(), told.2), (kind, Some(line)), "{seq}");
    }
}

#[test]
fn a_forged_anchor_does_not_hide_that_all_was_written_anew() {
    let world = World::with(8, &[]);
    let pin = world.log().head().unwrap().unwrap();
    world.write(&Lines { files: Vec::new(), lines: Vec::new() });
    let anchor = |seq: u64, sha256: &str| Anchor {
        v: Anchor::VERSION,
        file: "2026-11-20.0001.jsonl".to_owned(),
        last_seq: seq,
        sha256: sha256.to_owned(),
        prev: Record::NO_PREV.to_owned(),
        damaged: false,
    };
    let first = serde_json::to_vec(&anchor(8, &pin.sha256)).unwrap();
    let second = Anchor {
        file: "2026-11-21.0001.jsonl".to_owned(),
        prev: hash(&first),
        ..anchor(100, &hash(b"invented"))
    };
    let second = serde_json::to_vec(&second).unwrap();
    let mut invented = record(1, "2026-11-23");
    (invented.seq, invented.prev) = (101, hash(b"invented"));
    let line = serde_json::to_vec(&invented).unwrap();
    let file = RunsFile::parse("2026-11-23.0001.jsonl").unwrap();
    world.write(&Lines { files: vec![file], lines: vec![(0, line)] });
    write_anchors(&world.audit, &[first, second]);
    assert_eq!(world.told(None), None);
    assert_eq!(world.told(Some(pin.clone())).unwrap().0, "pin_pruned");
    // Nor does one alone, behind which nothing stands.
    world.write(&Lines { files: Vec::new(), lines: Vec::new() });
    write_anchors(&world.audit, &[serde_json::to_vec(&anchor(8, &pin.sha256)).unwrap()]);
    assert_eq!(world.told(Some(pin)).unwrap().0, "pin_pruned");
}

impl World {
    fn run(&self, number: u32) {
        DiskLog::new(self.audit.clone()).append(&mut record(number, "2026-11-23")).unwrap();
    }
}

#[test]
fn a_log_that_was_cut_and_written_on_is_told_alike_however_far_it_went_on() {
    for (cut, torn) in [(1, false), (1, true), (3, false), (3, true)] {
        let world = World::with(8, &[]);
        let pin = world.log().head().unwrap();
        let mut lines = world.lines();
        lines.lines.truncate(8 - cut);
        if torn {
            let half = format!("{{\"v\":1,\"seq\":{},", 9 - cut).into_bytes();
            lines.lines.push((4, half));
        }
        world.write(&lines);
        let file = lines.files[4].to_string();
        let mut verdicts = Vec::new();
        for number in 0..u32::try_from(cut).unwrap() + 3 {
            world.run(50 + number);
            verdicts.push(world.told(pin.clone()).unwrap());
        }
        let after = world.lines().lines;
        let at = after.iter().position(|(_, line)| {
            serde_json::from_slice::<Record>(line).is_ok_and(|record| record.seq == 8)
        });
        // With what is torn right before it.
        let at = at.unwrap() - usize::from(torn && cut == 1);
        let number_in_file = after[..=at].iter().filter(|(file, _)| *file == 4).count() as u64;
        for (number, verdict) in verdicts.iter().enumerate() {
            let expected = if number + 1 < cut { "cut" } else { "rewritten" };
            assert_eq!((verdict.0.as_str(), &verdict.1), (expected, &file), "{cut} {torn}");
            if expected == "rewritten" {
                assert_eq!(verdict.2, Some(number_in_file), "{cut} {torn}");
            }
        }
    }
}

#[test]
fn what_no_write_left_is_bad_whatever_follows() {
    let check = |left: &[u8], expected: Option<&str>| {
        let world = World::with(8, &[]);
        let mut lines = world.lines();
        lines.lines.truncate(6);
        lines.lines.push((lines.lines[5].0, left.to_vec()));
        world.write(&lines);
        for number in 0..3 {
            let told = world.told(None);
            let shown = String::from_utf8_lossy(left);
            assert_eq!(told.as_ref().map(|told| &*told.0), expected, "{shown} {number}");
            world.run(50 + number);
        }
    };
    for left in ["garbage", "{\"v\":1,\"seq\":9,\"run_id\":\"", "{}", "{\"v\":1}", "[1", "{\"x"] {
        check(left.as_bytes(), Some("unparsable"));
    }
    for left in ["{", "{\"v\":1,\"se", "{\"v\":1,\"seq\":7,\"run_id\":\"", "\0\0\0", "{\"v\":1,\0"]
    {
        check(left.as_bytes(), None);
    }
    check(&vec![0; 600_000], None);
}

#[test]
fn many_torn_lines_are_counted() {
    let world = World::with(4, &[]);
    let mut lines = world.lines();
    let last = lines.lines.last().unwrap().0;
    lines.lines.extend((0..900).map(|_| (last, b"{\"v\":1,\"seq\":5,\"run_id\":\"".to_vec())));
    world.write(&lines);
    world.run(50);
    let verified = world.verify(None);
    assert_eq!((verified.damage, verified.torn, verified.notes.len()), (None, 900, 20));
}

#[test]
fn the_end_of_a_log_is_found_behind_a_long_torn_tail() {
    let world = World::with(4, &[]);
    let head = world.log().head().unwrap();
    let path = RunsFile::list(&world.audit).unwrap().pop().unwrap().path(&world.audit);
    let mut text = fs::read(&path).unwrap();
    text.extend(vec![0; 3_000_000]);
    fs::write(path, text).unwrap();
    assert_eq!(world.log().head().unwrap(), head);
    assert_eq!(world.told(head), None);
}

#[test]
fn what_is_missing_before_the_first_line_is_told_as_far_as_anybody_can_know() {
    let world = World::with(8, &[]);
    let mut lines = world.lines();
    lines.lines.remove(0);
    world.write(&lines);
    let damage = world.verify(None).damage.unwrap();
    assert_eq!(damage.kind, DamageKind::Deleted { first: 1, last: 1 });
    assert!(damage.kind.to_string().contains("record 1 is missing"), "{damage}");
    // The second file of a day was not the first of the log.
    lines.lines.retain(|(file, _)| *file >= 2);
    lines.lines.iter_mut().for_each(|(file, _)| *file -= 2);
    lines.files.drain(..2);
    world.write(&lines);
    assert_eq!(world.told(None).unwrap().0, "file_missing");
}

#[test]
fn what_is_to_be_pruned_is_read_up_to_the_record_that_vouches_for_its_end() {
    let world = World::with(12, &[2]);
    let whole = world.lines();
    let through = Some(whole.files[2].clone());
    let damage = || -> Option<Damage> {
        let wanted = Verify { through: through.clone(), ..Verify::default() };
        world.log().verify(&wanted, &mut |_, _| {}).unwrap().damage
    };
    assert_eq!(damage(), None);
    let records = whole.lines.len();
    for (at, (file, line)) in
        whole.lines.iter().enumerate().filter(|(_, (_, line))| is_record(line))
    {
        let mut lines = whole.clone();
        lines.lines[at].1 = edited(line, "hello", "hallo");
        world.write(&lines);
        assert_eq!(damage().is_some(), *file <= 2, "{at} of {records}");
    }
}

#[test]
fn what_was_pruned_damaged_and_what_is_no_file_of_a_log_are_noted() {
    let world = World::with(12, &[]);
    let disk = DiskLog::new(world.audit.clone());
    let files = disk.prunable_files("2026-11-22").unwrap();
    disk.prune_files("2026-11-22", &files, &files).unwrap();
    fs::write(world.audit.join("runs/backup.jsonl"), "{}").unwrap();
    let verified = world.verify(None);
    assert_eq!((verified.damage, verified.strays), (None, 1));
    let notes: Vec<_> = verified.notes.iter().map(|note| (note.kind, note.line)).collect();
    let damaged = |line| (NoteKind::PrunedDamaged, Some(line));
    assert_eq!(notes, [damaged(1), damaged(2), damaged(3), (NoteKind::Stray, None)]);
}

#[test]
fn an_anchor_that_no_write_left_is_told_whatever_follows() {
    let world = pruned(12, &[], "2026-11-22");
    let all = anchors(&world.audit);
    let forged = |line: &[u8]| {
        let mut next: Anchor = serde_json::from_slice(&all[2]).unwrap();
        next.prev = hash(line);
        [all[0].clone(), all[1].clone(), line.to_vec(), serde_json::to_vec(&next).unwrap()]
    };
    for (line, expected) in [(&b"garbage"[..], Some("anchor")), (b"{\"v\":1,\"fi", None)] {
        write_anchors(&world.audit, &forged(line));
        assert_eq!(world.told(None).map(|told| told.0).as_deref(), expected);
    }
}

#[test]
fn a_pruning_that_was_stopped_verifies_and_is_gone_on_with() {
    let world = World::with(12, &[2]);
    let whole = world.lines();
    DiskLog::new(world.audit.clone()).prune("2026-11-22").unwrap();
    let all = anchors(&world.audit);
    assert_eq!(all.len(), 3);
    let left = |lines: &Lines, from: usize| {
        let mut lines = lines.clone();
        lines.lines.retain(|(file, _)| *file >= from);
        for (file, _) in &mut lines.lines {
            *file -= from;
        }
        lines.files.drain(..from);
        lines
    };
    for gone in 0..3 {
        // The anchor is whole and its file is still there; then, half the next anchor.
        for half in [false, true] {
            world.write(&left(&whole, gone));
            write_anchors(&world.audit, &all[..=gone]);
            if half {
                let mut text = fs::read(Anchor::path(&world.audit)).unwrap();
                text.truncate(text.len() - 40);
                fs::write(Anchor::path(&world.audit), text).unwrap();
            }
            assert_eq!(world.verify(None).damage, None, "{gone} {half}");
            DiskLog::new(world.audit.clone()).prune("2026-11-22").unwrap();
            let verified = world.verify(None);
            assert_eq!((verified.damage, verified.pruned), (None, Some(6)), "{gone} {half}");
            assert_eq!(anchors(&world.audit).len(), 3 + usize::from(half));
        }
    }
}

#[test]
fn an_anchor_that_was_changed_is_told() {
    let world = pruned(12, &[], "2026-11-22");
    let all = anchors(&world.audit);
    let check = |lines: &[Vec<u8>], expected: &str| {
        write_anchors(&world.audit, lines);
        assert_eq!(world.told(None).unwrap().0, expected);
    };
    for at in 0..3 {
        for (from, to) in [
            (r#""last_seq":"#, r#""last_seq":1"#),
            (r#""sha256":""#, r#""sha256":"0"#),
            (r#""v":1"#, r#""v":2"#),
        ] {
            let mut lines = all.clone();
            lines[at] = edited(&lines[at], from, to);
            check(&lines, "anchor");
        }
        let sha256 = serde_json::from_slice::<Anchor>(&all[at]).unwrap().sha256;
        let mut lines = all.clone();
        lines[at] = edited(&lines[at], &sha256, &hash(b"another"));
        check(&lines, "anchor");
    }
    check(&[&all[..1], &all[2..]].concat(), "anchor");
    check(&[all[1].clone(), all[0].clone(), all[2].clone()], "anchor");
    check(&all[..2], "file_missing");
    fs::remove_file(Anchor::path(&world.audit)).unwrap();
    assert_eq!(world.told(None).unwrap().0, "deleted");
}

#[test]
fn an_anchor_is_told_at_its_line() {
    let world = World::with(12, &[]);
    let whole = world.lines();
    DiskLog::new(world.audit.clone()).prune("2026-11-22").unwrap();
    let all = anchors(&world.audit);
    let told = |line| Some(("anchor".to_owned(), "anchors.jsonl".to_owned(), Some(line)));
    let changed = |line: &[u8]| {
        let sha256 = serde_json::from_slice::<Anchor>(line).unwrap().sha256;
        edited(line, &sha256, &hash(b"another"))
    };
    // The next one was written behind another; the first record that is left does not follow it.
    for (at, line) in [(0, 1), (1, 2), (2, 3)] {
        let mut lines = all.clone();
        lines[at] = changed(&lines[at]);
        write_anchors(&world.audit, &lines);
        assert_eq!(world.told(None), told(line));
    }
    // A file goes before the ones that are newer.
    let mut lines = whole.clone();
    lines.files.remove(1);
    lines.lines.retain(|(file, _)| *file != 1);
    for (file, _) in &mut lines.lines {
        *file -= usize::from(*file > 1);
    }
    world.write(&lines);
    write_anchors(&world.audit, &all[..2]);
    assert_eq!(world.told(None), told(2));
    // Whoever pruned was stopped, and the file that it speaks of ends otherwise.
    world.write(&whole);
    write_anchors(&world.audit, &all[..1]);
    assert_eq!(world.told(None), None);
    write_anchors(&world.audit, &[changed(&all[0])]);
    assert_eq!(world.told(None), told(1));
}

#[test]
fn a_torn_line_is_noted_where_it_stands() {
    let world = World::with(8, &[2]);
    let verified = world.verify(None);
    let path = RunsFile::list(&world.audit).unwrap()[1].path(&world.audit);
    let notes: Vec<_> = verified.notes.iter().map(|note| (&note.file, note.line)).collect();
    assert_eq!((notes, verified.torn), (vec![(&path, Some(2))], 1));
}

#[test]
fn a_thousand_lines_that_are_no_records_are_no_torn_tails() {
    let world = World::with(4, &[]);
    let mut lines = world.lines();
    let (last, torn) = (lines.files.len() - 1, b"{\"v\":1,\"seq\"".to_vec());
    lines.lines.extend(vec![(last, torn.clone()); 1023]);
    world.write(&lines);
    assert_eq!(world.told(None), None);
    lines.lines.push((last, torn));
    world.write(&lines);
    let file = lines.files[last].to_string();
    assert_eq!(world.told(None), Some(("unparsable".to_owned(), file, Some(2))));
}

#[test]
fn blobs_are_read_where_that_is_asked_for() {
    let world = World::with(4, &[]);
    let log = DiskLog::new(world.audit.clone());
    let sha256 = hash(b"content");
    let body = hash(b"a body");
    let tape = format!(r#"{{"events":[{{"http":{{"$blob":"{body}","bytes":6}}}}]}}"#);
    log.blob(&sha256, b"content").unwrap();
    log.blob(&body, b"a body").unwrap();
    log.blob(&hash(tape.as_bytes()), tape.as_bytes()).unwrap();
    let refer = |sha256: &str| {
        let json = format!(r#"{{"$blob":"{sha256}","bytes":7}}"#);
        tapeline::audit::Kept::raw(serde_json::from_str(&json).unwrap())
    };
    let mut record = record(4, "2026-11-23");
    record.stdout = refer(&sha256);
    record.tape = refer(&hash(tape.as_bytes()));
    log.append(&mut record).unwrap();
    let verify = || {
        let wanted = Verify { blobs: true, ..Verify::default() };
        let verified = world.log().verify(&wanted, &mut |_, _| {}).unwrap();
        (verified.damage.map(|damage| (damage.kind.name(), damage.line)), verified.blobs)
    };
    assert_eq!(verify(), (None, Some(3)));
    for sha256 in [&sha256, &body, &hash(tape.as_bytes())] {
        let path = tapeline::audit::blob_path(&world.audit, sha256).unwrap();
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, "other bytes").unwrap();
        assert_eq!(verify().0, Some(("blob_changed", Some(2))));
        fs::remove_file(&path).unwrap();
        assert_eq!(verify().0, Some(("blob_missing", Some(2))));
        assert_eq!(world.told(None), None);
        fs::write(&path, bytes).unwrap();
    }
}
