//! From a clap error to one line of ours: what was wrong with which argument, and what to do.
//!
//! clap's own text spans lines and changes between versions; error messages are part of golden
//! files, so they are made here from clap's `ErrorKind` and context.

use std::error::Error as _;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::{ErrorCode, Failure, workspace::PathEscape};

/// The failure a parse error amounts to; `path` is the command's.
pub(crate) fn failure(path: &str, error: &clap::Error) -> Failure {
    let argument = text(error, ContextKind::InvalidArg);
    let value = text(error, ContextKind::InvalidValue);
    let source = error.source();
    if let Some(escape) = source.and_then(|source| source.downcast_ref::<PathEscape>()) {
        let message = format!("{argument}: {escape}");
        return Failure::from(escape.clone()).message_is(message);
    }
    if let Some(failure) = source.and_then(|source| source.downcast_ref::<Failure>()) {
        let message = format!("{argument} cannot be {value}: {}", failure.message());
        return failure.clone().message_is(message);
    }
    let message = match error.kind() {
        ErrorKind::UnknownArgument => format!("{argument} is not an argument of `{path}`"),
        ErrorKind::MissingRequiredArgument => match list(error, ContextKind::InvalidArg) {
            missing if missing.contains("`, `") => format!("{missing} are required"),
            missing => format!("{missing} is required"),
        },
        ErrorKind::InvalidValue if value == "``" => format!("{argument} needs a value"),
        ErrorKind::InvalidValue => match list(error, ContextKind::ValidValue) {
            allowed if allowed.is_empty() => format!("{argument} cannot be {value}"),
            allowed => format!("{argument} cannot be {value}: it is one of {allowed}"),
        },
        ErrorKind::ValueValidation => match source {
            Some(source) => format!("{argument} cannot be {value}: {source}"),
            None => format!("{argument} cannot be {value}"),
        },
        ErrorKind::ArgumentConflict => match list(error, ContextKind::PriorArg) {
            prior if prior.is_empty() || prior == argument => {
                format!("{argument} is given more than once")
            }
            prior => format!("{argument} cannot be used with {prior}"),
        },
        ErrorKind::NoEquals => format!("{argument} takes its value after `=`"),
        ErrorKind::TooManyValues => format!("{value} is one value too many for {argument}"),
        ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => {
            format!("{argument} has the wrong number of values")
        }
        ErrorKind::InvalidUtf8 => "an argument is not valid UTF-8".to_owned(),
        _ => format!("the arguments of `{path}` are not well-formed"),
    };
    let hint =
        match (list(error, ContextKind::SuggestedArg), list(error, ContextKind::SuggestedValue)) {
            (argument, _) if !argument.is_empty() => format!("did you mean {argument}?"),
            (_, value) if !value.is_empty() => format!("did you mean {value}?"),
            _ => format!("`{path} --help` lists the arguments"),
        };
    Failure::new(ErrorCode::INVALID_ARGS, message).hint(hint)
}

fn text(error: &clap::Error, kind: ContextKind) -> String {
    match error.get(kind) {
        Some(ContextValue::String(text)) => format!("`{text}`"),
        Some(ContextValue::Strings(_)) => list(error, kind),
        Some(ContextValue::Number(number)) => number.to_string(),
        _ => "an argument".to_owned(),
    }
}

fn list(error: &clap::Error, kind: ContextKind) -> String {
    match error.get(kind) {
        Some(ContextValue::String(text)) => format!("`{text}`"),
        Some(ContextValue::Strings(texts)) => {
            texts.iter().map(|text| alternatives(text)).collect::<Vec<_>>().join(", ")
        }
        _ => String::new(),
    }
}

/// One argument, or the members of a group of which one is wanted: clap has them as
/// `<--name <NAME>|--url <URL>>`.
fn alternatives(text: &str) -> String {
    let members = text.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    match members {
        Some(members) if members.starts_with('-') => {
            let members = members.split('|').map(|member| format!("`{member}`"));
            members.collect::<Vec<_>>().join(" or ")
        }
        _ => format!("`{text}`"),
    }
}
