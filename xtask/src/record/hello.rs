//! Scenarios of `hello`, and help of the whole terminal.

use super::scenario::Scenario;

pub(super) fn scenarios() -> Vec<Scenario> {
    let hello = |case, title| Scenario::new("hello", case, title);
    let refused = |case, title| hello(case, title).fails("InvalidArgs");
    let help = |case, title| Scenario::new("help", case, title);
    let terminal = "every command of the terminal";
    vec![
        hello("default", "the word HELLO").line("hello").shows("/result/text", "HELLO"),
        hello("name", "a word of one's own, quoted for its blank")
            .line(r#"hello --name "agent 7""#)
            .shows("/result/text", "AGENT 7"),
        hello("name-with-equals-sign", "a value right behind its flag")
            .line("hello --name=tape")
            .shows("/result/text", "TAPE"),
        hello("name-of-twenty", "as many characters as fit a line")
            .line("hello --name abcdefghijklmnopqrst"),
        refused("name-too-long", "one character too many")
            .line("hello --name abcdefghijklmnopqrstu"),
        refused("name-not-drawable", "a character the font does not have")
            .line("hello --name caf\u{e9}"),
        refused("name-empty", "nothing to draw").line("hello --name ''"),
        refused("name-without-value", "a flag without its value").line("hello --name"),
        hello("help-by-flag", "help, made from the spec").line("hello --help"),
        hello("help-by-word", "help, made from the spec").line("help hello"),
        help("terminal", terminal).line("help"),
        help("terminal-by-flag", terminal).line("--help"),
        help("unknown-command", "help for what is not there, with what may be meant")
            .line("help helo")
            .fails("UnknownCommand")
            .shows("/result/suggestions/0", "hello"),
    ]
}
