//! Lines that break the grammar, or lead nowhere.

use serde_json::json;

use super::scenario::Scenario;

pub(super) fn scenarios() -> Vec<Scenario> {
    let line = |case, title| Scenario::new("line", case, title);
    let malformed =
        |case, title, text: &str| line(case, title).line(text).fails("InvalidCommandLine");
    let unknown = |case, title, text: &str| line(case, title).line(text).fails("UnknownCommand");
    let shell = "what a shell would act on is refused with its column";
    vec![
        malformed("pipe", shell, "hello --name a | tee b").shows("/result/column", 16),
        malformed("command-substitution", shell, "hello --name $(id)"),
        malformed("quote-unbalanced", "a quote that is not closed", "hello --name \"agent 7"),
        malformed("quotes-typographic", "quotes of a text editor", "hello --name “agent 7”"),
        malformed("backslash", "a backslash outside quotes", r"hello --name agent\ 7"),
        malformed("blank-ideographic", "a blank that only looks like one", "hello\u{3000}--name a"),
        malformed("line-break", "two lines at once", "hello\nhello"),
        malformed("control-character", "an escape sequence", "hello --name '\u{1b}[31m'"),
        malformed(
            "bidirectional-control",
            "a text that reads otherwise",
            "hello --name '\u{202e}a'",
        ),
        malformed("empty", "nothing at all", ""),
        malformed("too-long", "more than 8 KiB", &format!("hello --name {}", "x".repeat(8 << 10))),
        line("quoted-operators", "in quotes the same characters are plain text")
            .line("hello --name 'a | b'")
            .fails("InvalidArgs"),
        line("variable-is-plain-text", "nothing is ever expanded")
            .line("hello --name $HOME")
            .fails("InvalidArgs"),
        line("quote-inside-a-word", "quotes may stand anywhere in a word")
            .line(r#"hello --name a"gent "7"#)
            .shows("/result/text", "AGENT 7"),
        line("secret", "what a URL holds of secrets is not written down")
            .line("hello --name 'https://me:made-up@example.com/?token=made-up-too'")
            .fails("InvalidArgs"),
        unknown("command-misspelt", "a command that is nearly right", "helo")
            .shows("/result/suggestions", json!(["hello"])),
        unknown(
            "command-of-group-misspelt",
            "the group is right",
            "exchange-rate convrt --from CNY",
        )
        .shows("/result/suggestions/0", "exchange-rate convert"),
        unknown("command-without-its-group", "the command is right", "convert --from CNY")
            .shows("/result/suggestions/0", "exchange-rate convert"),
        unknown("command-like-nothing", "nothing like it is there", "curl https://example.com")
            .shows("/result/suggestions", json!([])),
        unknown("command-in-upper-case", "names have one case", "HELLO"),
        unknown("command-in-another-script", "words of another script", "汇率 转换"),
        line("flag-of-group", "a group takes no flags")
            .line("exchange-rate --base CNY")
            .fails("InvalidArgs"),
    ]
}
