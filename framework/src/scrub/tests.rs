//! What leaves a run's texts, place by place, and what holds for any text at all.

use std::borrow::Cow;

use proptest::prelude::*;

use super::Scrubber;
use crate::line;

/// What a new scrubber makes of one header.
fn check_header(name: &str, value: &str, expected: &str) {
    assert_eq!(Scrubber::default().header(name, value), expected, "{name}: {value}");
}

/// What a new scrubber makes of one URL.
fn check_url(url: &str, expected: &str) {
    assert_eq!(Scrubber::default().url(url), expected, "{url}");
}

fn knowing(secrets: &[&str]) -> Scrubber {
    let mut scrubber = Scrubber::default();
    for secret in secrets {
        scrubber.argument(secret);
    }
    scrubber
}

#[test]
fn keeps_known_schemes_of_an_authorization() {
    for (value, expected) in [
        ("Bearer abc", "Bearer {{secret:1}}"),
        ("bearer  abc ", "bearer  {{secret:1}} "),
        ("Basic dXNlcjpwYXNz", "Basic {{secret:1}}"),
        ("Digest username=\"a\", response=\"b\"", "Digest {{secret:1}}"),
        ("abc", "{{secret:1}}"),
        ("correct horse", "{{secret:1}}"),
        ("Bearer", "Bearer"),
        ("Bearer ", "Bearer "),
        ("", ""),
    ] {
        check_header("Authorization", value, expected);
        check_header("proxy-authorization", value, expected);
    }
}

#[test]
fn keeps_names_and_attributes_of_cookies() {
    check_header(
        "Cookie",
        "sid=abc; theme=dark;x=\"y\"; sid=abc",
        "sid={{secret:1}}; theme={{secret:2}};x=\"{{secret:3}}\"; sid={{secret:1}}",
    );
    check_header("cookie", "bare; a=; b=c=d", "{{secret:1}}; a=; b={{secret:2}}");
    check_header(
        "Set-Cookie",
        "sid=abc; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT; HttpOnly; SameSite=Lax",
        "sid={{secret:1}}; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT; HttpOnly; SameSite=Lax",
    );
    check_header("Set-Cookie", "path=abc; token=def", "path={{secret:1}}; token={{secret:2}}");
}

#[test]
fn replaces_credential_headers_and_no_others() {
    for name in ["X-Api-Key", "api-key", "X-AUTH-TOKEN", "x-csrf-token", "Private-Token"] {
        check_header(name, " abc ", " {{secret:1}} ");
    }
    for name in ["www-authenticate", "accept", "etag", "x-request-id", "content-type"] {
        check_header(name, "Bearer abc", "Bearer abc");
    }
    let mut scrubber = knowing(&["hunter22"]);
    assert_eq!(scrubber.header("x-note", "is hunter22"), "is {{secret:1}}");
}

#[test]
fn reads_headers_that_hold_urls() {
    for name in ["Location", "content-location", "Referer", "refresh"] {
        check_header(name, "https://a/b?token=abc&c=d", "https://a/b?token={{secret:1}}&c=d");
    }
    check_header("refresh", "5; url=https://u:p@a/", "5; url=https://{{secret:1}}:{{secret:2}}@a/");
    check_header("refresh", "5; url=/a?key=b", "5; url=/a?key={{secret:1}}");
    check_header(
        "Link",
        "<https://a/?page=2&token=abc>; rel=next, <https://a/?token=def>; rel=last",
        "<https://a/?page=2&token={{secret:1}}>; rel=next, <https://a/?token={{secret:2}}>; rel=last",
    );
    check_header("link", "<https://a/?token=abc", "<https://a/?token={{secret:1}}");
}

#[test]
fn replaces_user_and_password_of_a_url() {
    for (url, expected) in [
        ("https://user:pass@host:80/a@b", "https://{{secret:1}}:{{secret:2}}@host:80/a@b"),
        ("https://token@host", "https://{{secret:1}}@host"),
        ("https://u:p@ss:w@host/", "https://{{secret:1}}:{{secret:2}}@host/"),
        ("https://u:pa/ss?x@host/", "https://{{secret:1}}:{{secret:2}}@host/"),
        ("//u:p@host", "//{{secret:1}}:{{secret:2}}@host"),
        ("HTTPS:u:p@host", "HTTPS:{{secret:1}}:{{secret:2}}@host"),
        ("https:\\\\u:p@host\\a", "https:\\\\{{secret:1}}:{{secret:2}}@host\\a"),
        ("postgres://u:p@[::1]:5/db", "postgres://{{secret:1}}:{{secret:2}}@[::1]:5/db"),
        (
            "https://a/?u=https://u:p@b/&m=x@y",
            "https://a/?u=https://{{secret:1}}:{{secret:2}}@b/&m=x@y",
        ),
        ("https://u:@host", "https://{{secret:1}}:@host"),
        ("https://[::1]:80/@x", "https://[::1]:80/@x"),
        ("https://host//x@y", "https://host//x@y"),
        ("https://a/?u=https://b&m=x@y", "https://a/?u=https://b&m=x@y"),
        ("mailto:someone@host", "mailto:someone@host"),
    ] {
        check_url(url, expected);
    }
}

#[test]
fn replaces_values_of_secret_keys() {
    let secret = [
        "token",
        "access_token",
        "refresh_token",
        "id_token",
        "key",
        "api_key",
        "apikey",
        "api-key",
        "ACCESS-KEY",
        "secret",
        "client_secret",
        "Password",
        "passwd",
        "pwd",
        "sig",
        "signature",
        "auth",
        "session",
        "sessionid",
        "X-Amz-Signature",
        "x-amz-credential",
        "X-Amz-Security-Token",
        "X-Goog-Signature",
        "app_id",
        "user[password]",
        "token[]",
        "%74oken",
        "feed_token",
        "rss-token",
        "service_password",
    ];
    for key in secret {
        check_url(
            &format!("https://a/?{key}=abc&b=c#d"),
            &format!("https://a/?{key}={{{{secret:1}}}}&b=c#d"),
        );
        check_url(&format!("/x?b=c&{key}=ab?c=d"), &format!("/x?b=c&{key}={{{{secret:1}}}}"));
    }
    for key in ["page", "tokens", "keyword", "code", "state", "", "monkey", "page_token"] {
        check_url(&format!("https://a/?{key}=abc"), &format!("https://a/?{key}=abc"));
    }
    for (url, expected) in [
        ("https://a/#access_token=abc&x=y", "https://a/#access_token={{secret:1}}&x=y"),
        ("https://a/#/b?token=abc", "https://a/#/b?token={{secret:1}}"),
        ("https://a/b;jsessionid=abc/c;d?e=f", "https://a/b;jsessionid={{secret:1}}/c;d?e=f"),
        ("https://a/?b=c&amp;token=d", "https://a/?b=c&amp;token={{secret:1}}"),
        ("https://a/?code=CNYX&state=xyz", "https://a/?code={{secret:1}}&state=xyz"),
        ("https://a/?token=&b=c", "https://a/?token=&b=c"),
        ("https://a/?token=%20", "https://a/?token=%20"),
        ("https://a/?token", "https://a/?token"),
        ("token=abc&b=c", "token={{secret:1}}&b=c"),
        ("not a url ?key=a b", "not a url ?key={{secret:1}}"),
        (
            "https://a/?token=abc&key=abc&sig=x",
            "https://a/?token={{secret:1}}&key={{secret:1}}&sig={{secret:2}}",
        ),
    ] {
        check_url(url, expected);
    }
}

#[test]
fn replaces_what_was_learned_in_texts_however_it_is_spelled() {
    let scrubber = knowing(&["pä/ss \"w\\+d'"]);
    for spelled in [
        "pä/ss \"w\\+d'",
        "p%C3%A4%2Fss%20%22w%5C%2Bd%27",
        "p%c3%a4%2fss%20%22w%5c%2bd%27",
        "p%C3%A4%2Fss+%22w%5C%2Bd%27",
        "p%C3%A4%2Fss%20%22w%5C%2Bd'",
        "p%C3%A4/ss%20%22w\\+d%27",
        r#"pä/ss \"w\\+d'"#,
        r#"pä\/ss \"w\\+d'"#,
        r#"p\u00e4/ss \"w\\+d'"#,
    ] {
        assert_eq!(scrubber.text(&format!("<{spelled}>")), "<{{secret:1}}>", "{spelled}");
        assert!(scrubber.contains_secret(spelled.as_bytes()));
    }
}

#[test]
fn gives_one_number_to_a_secret_and_its_percent_encoded_form() {
    let mut scrubber = Scrubber::default();
    assert_eq!(scrubber.url("/?token=a%2fb%2Bc%7E"), "/?token={{secret:1}}");
    assert_eq!(scrubber.header("x-api-key", "a/b+c~"), "{{secret:1}}");
    assert_eq!(scrubber.url("/?key=a%2fb%2Bc%7E"), "/?key={{secret:1}}");
    assert_eq!(scrubber.text("a/b+c~ a%2fb%2Bc%7E other"), "{{secret:1}} {{secret:1}} other");
}

#[test]
fn replaces_the_longest_secret_first() {
    let scrubber = knowing(&["abcd", "abcdef", "bcde"]);
    assert_eq!(scrubber.text("abcdefabcdxbcde"), "{{secret:2}}{{secret:1}}x{{secret:3}}");
}

#[test]
fn replaces_a_short_secret_where_it_is_a_whole_value() {
    let mut scrubber = knowing(&["abc", "true"]);
    for (text, expected) in [
        ("abc true", "abc true"),
        ("abc", "{{secret:1}}"),
        (" abc\r\nabcd\ntrue\n", " {{secret:1}}\r\nabcd\n{{secret:2}}\n"),
        ("Bearer abc", "Bearer {{secret:1}}"),
        ("more abc", "more abc"),
    ] {
        assert_eq!(scrubber.text(text), expected);
    }
    assert!(!scrubber.contains_secret(b"abc true"));
    assert_eq!(scrubber.header("x-note", "abc"), "{{secret:1}}");
    assert_eq!(
        scrubber.url("https://a/abc?key=abc&x=abc&y=abcd"),
        "https://a/abc?key={{secret:1}}&x={{secret:1}}&y=abcd"
    );
    // One that was learned from its place alone stands for too much elsewhere: a cookie may be `1`.
    let mut scrubber = Scrubber::default();
    assert_eq!(scrubber.header("cookie", "shown=1"), "shown={{secret:1}}");
    assert_eq!(scrubber.text("1"), "1");
}

#[test]
fn finds_what_was_learned_in_base64_and_utf_16() {
    let scrubber = knowing(&["hunter22-hunter22"]);
    for (text, expected) in [
        // `hunter22-hunter22`, `a:hunter22-hunter22` and `ab:hunter22-hunter22` in base64.
        ("<aHVudGVyMjItaHVudGVyMjI=>", "<{{secret:1}}>"),
        ("<aHVudGVyMjItaHVudGVyMjI>", "<{{secret:1}}>"),
        ("YTpodW50ZXIyMi1odW50ZXIyMg==", "YTp{{secret:1}}g=="),
        ("YWI6aHVudGVyMjItaHVudGVyMjI=", "YWI6{{secret:1}}"),
    ] {
        assert_eq!(scrubber.text(text), expected);
        assert!(scrubber.contains_secret(text.as_bytes()));
    }
    let wide: Vec<u8> = "ä hunter22-hunter22".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(scrubber.contains_secret(&wide));
}

#[test]
fn borrows_a_text_without_secrets() {
    assert!(matches!(
        Scrubber::default().text("nothing to hide"),
        Cow::Borrowed("nothing to hide")
    ));
    assert!(matches!(knowing(&["hunter22"]).text("a {{secret:1}}"), Cow::Borrowed(_)));
}

#[test]
fn finds_secrets_in_bytes_that_are_no_text() {
    let scrubber = knowing(&["hunter22", "secret"]);
    assert!(scrubber.contains_secret(b"\xff\xe4hunter22\x80"));
    assert!(!scrubber.contains_secret(b"hunter\xff22"));
    assert!(!scrubber.contains_secret(b"{{secret:1}}"));
    assert!(!Scrubber::default().contains_secret(b"hunter22"));
}

#[test]
fn replaces_arguments_in_a_command_line_that_still_parses() {
    for (secrets, line, expected) in [
        (&["hunter22"][..], "x --key hunter22 -v", "x --key {{secret:1}} -v"),
        (
            &["hunter22"],
            "x  \"--key=hunter22\"\t'a hunter22'",
            "x  \"--key={{secret:1}}\"\t'a {{secret:1}}'",
        ),
        (&["hunter22"], "x $hunter22", "x '${{secret:1}}'"),
        (&["hun ter"], "x 'hun ter' hun ter", "x '{{secret:1}}' {{secret:1}}"),
        (&["a\"b\\c"], r#"x "a\"b\\c" 'a"b\c'"#, "x \"{{secret:1}}\" '{{secret:1}}'"),
        (&["it's"], "x it\"'\"s", "x {{secret:1}}"),
        (&["\"abcd", "q"], "x a\"abcd\"y z", "x {{secret:1}} z"),
        (&["d\" \"e"], "x \"abcd\" \"efgh\" z", "x \"abc{{secret:1}}fgh\" z"),
        (&["b\" e"], "x \"ab\" ef z", "x {{secret:1}} z"),
        (
            &["abc"],
            "abc x=abc --k=abc --k='abc' \"abc\" abcd -- abc",
            "{{secret:1}} x=abc --k={{secret:1}} --k={{secret:1}} {{secret:1}} abcd -- {{secret:1}}",
        ),
        (&["true"], "x --k true nottrue", "x --k {{secret:1}} nottrue"),
        (&["hunter22"], "x | hunter22", "x | {{secret:1}}"),
        (&[""], "x ''", "x ''"),
    ] {
        let scrubbed = knowing(secrets).command_line(line);
        assert_eq!(scrubbed, expected, "{line}");
        assert_eq!(line::parse(&scrubbed).is_ok(), line::parse(line).is_ok(), "{scrubbed}");
    }
}

#[test]
fn replaces_short_secrets_of_the_line_alone_in_the_line() {
    let mut scrubber = Scrubber::default();
    scrubber.header("cookie", "limit=20");
    assert_eq!(scrubber.command_line("x --limit 20"), "x --limit 20");
}

#[test]
fn never_learns_a_placeholder_and_counts_on_behind_it() {
    let mut scrubber = Scrubber::default();
    assert_eq!(scrubber.header("authorization", "Bearer {{secret:7}}"), "Bearer {{secret:7}}");
    assert_eq!(scrubber.header("x-api-key", "abcd"), "{{secret:8}}");
    assert_eq!(scrubber.header("x-note", "{{secret:9}}"), "{{secret:9}}");
    assert_eq!(
        scrubber.url("/?key={{secret:3}}xyz&sig=%7B%7Bsecret:8%7D%7D"),
        "/?key={{secret:3}}{{secret:10}}&sig={{secret:8}}"
    );
    assert_eq!(
        scrubber.url("https://{{secret:1}}:{{secret:2}}@a/"),
        "https://{{secret:1}}:{{secret:2}}@a/"
    );
    for other in
        ["{{secret:0}}", "{{secret:01}}", "{{secret:}}", "{{secret:99999999999}}", "{{secret:1}"]
    {
        assert_eq!(Scrubber::default().header("x-api-key", other), "{{secret:1}}", "{other}");
    }
}

#[test]
fn looks_for_nothing_inside_a_placeholder() {
    let scrubber = knowing(&["secret", "{{secret", "}} a"]);
    assert_eq!(scrubber.text("{{secret:1}} a {{secret:x"), "{{secret:1}} a {{secret:2}}:x");
}

#[test]
fn debug_output_shows_no_secret() {
    assert!(!format!("{:?}", knowing(&["hunter22"])).contains("hunter22"));
}

/// Characters that mean something in one of the positions, and parts of placeholders.
fn text() -> impl Strategy<Value = String> {
    const PARTS: &[&str] = &[
        "a",
        "b",
        "ab",
        "abcd",
        "bc",
        ":",
        "/",
        "?",
        "#",
        "&",
        "=",
        ";",
        "@",
        "://",
        "http:",
        "token=",
        "key",
        " ",
        "\"",
        "'",
        "\\",
        "$",
        "%",
        "%61",
        "<",
        ">",
        "{",
        "}",
        "{{secret:",
        "{{secret:2}}",
        "1",
        "Bearer ",
        "--k=",
        "你",
        "\n",
    ];
    prop::collection::vec(prop::sample::select(PARTS).prop_map(str::to_owned), 0..16)
        .prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn scrubbing_again_changes_nothing(
        arguments in prop::collection::vec(text(), 0..3),
        value in text(),
        name in prop::sample::select(&["authorization", "cookie", "set-cookie", "x-api-key", "location", "link", "accept"][..]),
    ) {
        let mut scrubber = Scrubber::default();
        arguments.iter().for_each(|argument| scrubber.argument(argument));

        let header = scrubber.header(name, &value);
        prop_assert_eq!(scrubber.header(name, &header), header.clone());
        prop_assert_eq!(Scrubber::default().header(name, &header), header);
        let url = scrubber.url(&value);
        prop_assert_eq!(scrubber.url(&url), url.clone());
        prop_assert_eq!(Scrubber::default().url(&url), url);
        let text = scrubber.text(&value).into_owned();
        prop_assert_eq!(scrubber.text(&text), &*text);
        prop_assert!(!scrubber.contains_secret(text.as_bytes()));
    }

    #[test]
    fn a_scrubbed_line_parses_and_holds_no_secret(
        arguments in prop::collection::vec(text(), 0..3),
        line in text(),
    ) {
        let mut scrubber = Scrubber::default();
        arguments.iter().for_each(|argument| scrubber.argument(argument));
        let scrubbed = scrubber.command_line(&line);
        // One that does not parse may, once what was wrong with it was part of a secret.
        prop_assert!(line::parse(&scrubbed).is_ok() || line::parse(&line).is_err(), "{}", scrubbed);
        prop_assert!(!scrubber.contains_secret(scrubbed.as_bytes()));
        prop_assert_eq!(scrubber.command_line(&scrubbed), scrubbed);
    }

    #[test]
    fn any_string_is_taken_as_a_url(url in any::<String>()) {
        let mut scrubber = Scrubber::default();
        let scrubbed = scrubber.url(&url);
        prop_assert_eq!(scrubber.url(&scrubbed), scrubbed);
    }
}
