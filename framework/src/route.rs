//! From words to a command: the longest path in the registry, a form of help, or `UnknownCommand`.

use crate::{ErrorCode, Failure, Registry};

/// Where a line leads.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Route<'a> {
    /// A command and the words after its path.
    Command { path: &'static str, rest: &'a [String] },
    /// Help for a path; `""` for the whole terminal.
    Help { path: String },
}

/// The longest path wins. `help` is a reserved word: first, last, or between group and command.
pub(crate) fn route<'a>(registry: &Registry, words: &'a [String]) -> Result<Route<'a>, Failure> {
    if let Some((first, rest)) = words.split_first()
        && matches!(first.as_str(), Registry::HELP | "--help" | "-h")
    {
        return help(registry, rest.join(" "));
    }
    for length in (1..=words.len()).rev() {
        let (path_words, rest) = words.split_at(length);
        let path = path_words.join(" ");
        if let Some(command) = registry.command(&path) {
            return Ok(match rest {
                [only] if only == Registry::HELP => Route::Help { path },
                _ => Route::Command { path: command.spec().path, rest },
            });
        }
        if registry.group(&path).is_some() {
            return match rest {
                [] => Ok(Route::Help { path }),
                [only] if matches!(only.as_str(), Registry::HELP | "--help" | "-h") => {
                    Ok(Route::Help { path })
                }
                [first, command @ ..] if first == Registry::HELP => {
                    help(registry, format!("{path} {}", command.join(" ")))
                }
                [first, ..] if first.starts_with('-') => Err(Failure::new(
                    ErrorCode::INVALID_ARGS,
                    format!("`{path}` is a group of commands and takes no `{first}`"),
                )
                .hint(format!("name one of its commands; `{path} --help` lists them"))),
                _ => Err(unknown(registry, words)),
            };
        }
    }
    Err(unknown(registry, words))
}

fn help(registry: &Registry, path: String) -> Result<Route<'static>, Failure> {
    let known = path.is_empty()
        || path == Registry::HELP
        || registry.command(&path).is_some()
        || registry.group(&path).is_some();
    match known {
        true if path == Registry::HELP => Ok(Route::Help { path: String::new() }),
        true => Ok(Route::Help { path }),
        false => {
            let words: Vec<String> = path.split(' ').map(str::to_owned).collect();
            Err(unknown(registry, &words))
        }
    }
}

fn unknown(registry: &Registry, words: &[String]) -> Failure {
    let suggestions = suggestions(registry, words);
    let given = named(registry, words).join(" ");
    let hint = match suggestions.as_slice() {
        [] => "`help` lists the commands".to_owned(),
        [one] => format!("did you mean `{one}`? `help` lists the commands"),
        [most @ .., last] => {
            let most = most.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ");
            format!("did you mean {most} or `{last}`? `help` lists the commands")
        }
    };
    Failure::new(ErrorCode::UNKNOWN_COMMAND, format!("no command `{given}`"))
        .hint(hint)
        .detail("suggestions", &suggestions)
}

/// The words that could have been meant as a path: those before the first flag, one more than the
/// longest group they begin with.
fn named(registry: &Registry, words: &[String]) -> Vec<String> {
    let plain = words.iter().take_while(|word| !word.starts_with('-'));
    let plain: Vec<String> = plain.map(|word| shortened(word)).collect();
    let groups = (1..=plain.len())
        .rev()
        .find(|length| {
            plain.get(..*length).is_some_and(|path| registry.group(&path.join(" ")).is_some())
        })
        .unwrap_or(0);
    match plain.is_empty() {
        true => words.iter().take(1).map(|word| shortened(word)).collect(),
        false => plain.into_iter().take(groups + 1).collect(),
    }
}

/// A word as a message can hold it.
fn shortened(word: &str) -> String {
    const MOST: usize = 60;
    match word.char_indices().nth(MOST) {
        None => word.to_owned(),
        Some((cut, _)) => format!("{}…", word.get(..cut).unwrap_or_default()),
    }
}

/// Up to three paths that look like what was given, best first.
fn suggestions(registry: &Registry, words: &[String]) -> Vec<&'static str> {
    const ENOUGH: f64 = 0.7;
    const MOST: usize = 3;
    let mut scored: Vec<(f64, &'static str)> = registry
        .paths()
        // The group that was named already is no news.
        .filter(|path| !path.split(' ').eq(words.iter().take(path.split(' ').count())))
        .map(|path| {
            let length = path.split(' ').count();
            let given = words.iter().take(length).map(|word| shortened(word));
            let given = given.collect::<Vec<_>>().join(" ").to_lowercase();
            // A first word that is itself the name of a command below some group (`latest`).
            let last = path.rsplit(' ').next().unwrap_or(path);
            let first = words.first().map(|word| shortened(word)).unwrap_or_default();
            let by_path = strsim::normalized_damerau_levenshtein(&given, path);
            let by_name = strsim::normalized_damerau_levenshtein(&first.to_lowercase(), last);
            (by_path.max(by_name), path)
        })
        .filter(|(score, _)| *score >= ENOUGH)
        .collect();
    scored.sort_by(|(left, left_path), (right, right_path)| {
        right.total_cmp(left).then_with(|| left_path.cmp(right_path))
    });
    scored.into_iter().take(MOST).map(|(_, path)| path).collect()
}
