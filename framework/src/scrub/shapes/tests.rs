//! What is found by shape, and what is not.

use std::{env, fs, path::PathBuf};

use proptest::prelude::*;

use super::super::{secret_in, sweep};

#[path = "../../../tests/secret_samples.rs"]
mod secret_samples;

use secret_samples::{base64, samples};

#[test]
fn each_shape_is_found_and_nothing_of_it_is_left() {
    for (name, text, secret) in samples() {
        for around in ["", "a ", "x=", "(", "\n", "你", "a/", "\\n", "\\u003d"] {
            let text = format!("{around}{text}");
            assert_eq!(secret_in(text.as_bytes()), Some(name), "{text}");
            let swept = sweep(&text);
            assert_eq!(swept, text.replace(&secret, "{{secret:1}}"), "{name}");
            assert_eq!(secret_in(swept.as_bytes()), None, "{swept}");
        }
    }
}

/// The shapes that [`samples`] has nothing of: one of the shortest secrets of each.
#[test]
fn each_other_shape_is_found() {
    const LETTERS: &str = "a1Zb2Yc3Xd4We5Vf6Ug7Th8Si9Rj0Qk";
    const HEX: &str = "0a1b2c3d4e5f6789";
    const UPPER: &str = "A2B3C4D5E6F7GHIJK";

    for (name, mark, alphabet, length) in [
        ("GitLab runner token", ["gl", "rt-"], LETTERS, 20),
        ("GitLab CI job token", ["glc", "bt-"], LETTERS, 20),
        ("GitLab trigger token", ["glp", "tt-"], LETTERS, 20),
        ("GitLab OAuth secret", ["glo", "as-"], LETTERS, 20),
        ("GitLab agent token", ["glag", "ent-"], LETTERS, 20),
        ("GitLab feed token", ["gl", "ft-"], LETTERS, 20),
        ("GitLab incoming mail token", ["gli", "mt-"], LETTERS, 20),
        ("GitLab SCIM token", ["gls", "oat-"], LETTERS, 20),
        ("AWS bearer token", ["AB", "IA"], UPPER, 16),
        ("Amazon Bedrock API key", ["AB", "SK"], LETTERS, 100),
        ("Slack workspace token", ["xo", "xa-"], LETTERS, 16),
        ("Slack legacy token", ["xo", "xs-"], LETTERS, 16),
        ("Slack refresh token", ["xo", "xr-"], LETTERS, 16),
        ("Slack cookie", ["xo", "xd-"], LETTERS, 16),
        ("Slack client token", ["xo", "xc-"], LETTERS, 16),
        ("Slack configuration token", ["xo", "xe."], LETTERS, 16),
        ("Slack rotated refresh token", ["xo", "xe-"], LETTERS, 16),
        ("Stripe test key", ["sk_t", "est_"], LETTERS, 16),
        ("Stripe restricted test key", ["rk_t", "est_"], LETTERS, 16),
        ("OpenAI service account key", ["sk-sv", "cacct-"], LETTERS, 20),
        ("OpenAI admin key", ["sk-a", "dmin-"], LETTERS, 20),
        ("Hugging Face organization token", ["api_", "org_"], LETTERS, 30),
        ("Docker organization token", ["dckr", "_oat_"], LETTERS, 27),
        ("DigitalOcean OAuth token", ["doo", "_v1_"], HEX, 64),
        ("DigitalOcean refresh token", ["dor", "_v1_"], HEX, 64),
        ("Shopify custom app token", ["shp", "ca_"], HEX, 32),
        ("Shopify private app password", ["shp", "pa_"], HEX, 32),
        ("Bitbucket app password", ["ATC", "TT3x"], LETTERS, 50),
        ("Linear OAuth token", ["lin_o", "auth_"], LETTERS, 32),
        ("Vault batch token", ["hv", "b."], LETTERS, 24),
        ("Vault recovery token", ["hv", "r."], LETTERS, 24),
        ("Grafana cloud token", ["gl", "c_"], LETTERS, 32),
        ("Sentry organization token", ["snt", "rys_"], LETTERS, 40),
        ("PlanetScale password", ["pscal", "e_pw_"], LETTERS, 32),
        ("Doppler service token", ["dp.", "st."], LETTERS, 40),
        ("Fly.io token", ["fm", "2_"], LETTERS, 100),
        ("Dynatrace token", ["dt0", "c01."], LETTERS, 80),
        ("1Password service account token", ["ops", "_eyJ"], LETTERS, 200),
    ] {
        let token = mark.concat() + &alphabet.chars().cycle().take(length).collect::<String>();
        assert_eq!(secret_in(token.as_bytes()), Some(name), "{token}");
        assert_eq!(sweep(&format!("a {token} b")), "a {{secret:1}} b", "{name}");
    }
    let mark = ["PuTTY", "-User-Key-File-"].concat();
    let key = format!("{mark}3: x\nPrivate-Lines: 1\n{LETTERS}\nPrivate-MAC: {HEX}");
    assert_eq!(secret_in(key.as_bytes()), Some("PuTTY private key"));
    assert_eq!(sweep(&format!("a {key}\nb")), "a {{secret:1}}\nb");
}

#[test]
fn a_shape_is_found_behind_escapes_and_in_utf_16() {
    for (name, text, secret) in samples() {
        let percent: String = text.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let json = serde_json::to_string(&text).unwrap().replace('/', "\\/");
        let low: String = text.chars().flat_map(|letter| [letter, '\0']).collect();
        let high: String = text.chars().flat_map(|letter| ['\0', letter]).collect();
        for spelled in [percent, json, low, high] {
            assert_eq!(secret_in(spelled.as_bytes()), Some(name), "{spelled}");
            let swept = sweep(&spelled);
            assert_eq!(secret_in(swept.as_bytes()), None, "{name}: {swept}");
            assert!(swept.contains("{{secret:1}}"), "{name}: {swept}");
            assert!(!swept.contains(&secret));
        }
        let binary = [&[0xff, 0xfe, 0x80][..], text.as_bytes(), &[0xff]].concat();
        assert_eq!(secret_in(&binary), Some(name), "{text}");
    }
}

#[test]
fn what_only_looks_alike_is_left_alone() {
    let (hash, uuid) = (
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "018bcfe5-6800-7000-8000-00000000002a",
    );
    let picture = base64(&"\u{1}\u{2}PNG picture \u{7f} of 300 bytes ".repeat(10));
    let github = format!("gh{}{}", "p_", "x".repeat(36));
    let too_long = format!("AK{}{}", "IA", "A2B3C4D5E6F7GHIJK");
    let joined = format!("Xgh{}{}", "p_", "a1B2c3D4e5F6".repeat(3));
    for text in [
        hash,
        uuid,
        &picture,
        &github,
        &too_long,
        &joined,
        &format!("W/\"{hash}\""),
        "password: required",
        "password=password",
        "the password is required, see https://example.org/passwords",
        "password = os.environ[\"KEY1\"]",
        "password=getpass1()",
        "password: ${DB_PASSWORD_1}",
        "api_key: <your-api-key-goes-here-1234>",
        "secret=/run/secrets/database-1",
        "Bearer authentication, bearer of 1000000000000000000 francs",
        "basic research, Basic authentication",
        "https://example.org:443/@user",
        "https://user@example.org/",
        "https://user:password@example.org/",
        "git+ssh://git@example.org/x",
        "sk-fading-circle-with-a-long-name-of-32-letters",
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
        "-----BEGIN CERTIFICATE-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END CERTIFICATE-----",
        "begins with `-----BEGIN PRIVATE KEY-----`",
        "1700000000:AA",
        "eyJhbGciOiJub25lIn0",
        "a.b.c 1.123456.12 v1.234567.89",
    ] {
        assert_eq!(secret_in(text.as_bytes()), None, "{text}");
    }
}

#[test]
fn a_value_behind_a_flag_and_a_blank_is_found_where_it_looks_like_one() {
    let value = "sup3rSW0rdXyzAbc123";
    for flag in [
        "--password",
        "--db-password",
        "-passwd\t",
        "--api-key",
        "--auth-token",
        "--token",
        "--TOKEN=",
    ] {
        let text = format!("run `x {flag} {value}` now");
        assert!(secret_in(text.as_bytes()).is_some(), "{text}");
        assert_eq!(sweep(&text), text.replace(value, "{{secret:1}}"));
    }
    for text in [
        format!("password {value}"),
        format!("a token {value}"),
        format!("x-token {value}"),
        format!("token={value}"),
        format!("--page-token {value}"),
        format!("--token-file {value}"),
        format!("--token --name {value}"),
        "--token <the-token-of-2026-11>".to_owned(),
        "--password is1".to_owned(),
        "--secret the-one-with-words-only".to_owned(),
    ] {
        assert_eq!(secret_in(text.as_bytes()), None, "{text}");
    }
    // A row without an end is looked at once.
    assert_eq!(secret_in("secret".repeat(200_000).as_bytes()), None);
    assert_eq!(secret_in("-token".repeat(200_000).as_bytes()), None);
}

#[test]
fn two_of_a_kind_have_two_numbers_and_the_same_again_has_one() {
    let tokens: Vec<String> = samples().into_iter().take(2).map(|(_, _, token)| token).collect();
    let text = format!("{{{{secret:4}}}} {} {} {}", tokens[0], tokens[1], tokens[0]);
    assert_eq!(sweep(&text), "{{secret:4}} {{secret:5}} {{secret:6}} {{secret:5}}");
}

/// Real feeds, documents and answers of services.
#[test]
fn nothing_in_the_corpus_looks_like_a_secret() {
    let Some(corpus) = env::var_os("TAPELINE_CORPUS").map(PathBuf::from) else {
        println!("skipped: TAPELINE_CORPUS names no folder");
        return;
    };
    let (mut open, mut files, mut found) = (vec![corpus], 0, Vec::new());
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            files += 1;
            let bytes = fs::read(&path).unwrap();
            found.extend(secret_in(&bytes).map(|shape| format!("{}: {shape}", path.display())));
        }
    }
    assert!(files > 0, "TAPELINE_CORPUS has no file");
    assert!(found.is_empty(), "{found:#?}");
}

/// Samples and what may stand around them and in them.
fn text() -> impl Strategy<Value = String> {
    const BETWEEN: &[&str] = &[
        "",
        "",
        " ",
        "\n",
        "a",
        "1",
        "-",
        "_",
        ".",
        ":",
        "@",
        "/",
        "://",
        "=",
        "\"",
        "\\",
        "\\n",
        "%",
        "%3d",
        "\0",
        "{{secret:2}}",
        "{{secret:",
        "}}",
        "password=",
        "Bearer ",
        "Basic ",
        "eyJ",
        "你",
    ];
    let pieces: Vec<String> = samples()
        .into_iter()
        .flat_map(|(_, text, secret)| {
            let half = secret.get(..secret.len() / 2).unwrap().to_owned();
            let wide = secret.chars().flat_map(|letter| [letter, '\0']).collect();
            [text, half, wide, secret]
        })
        .collect();
    let between = || prop::sample::select(BETWEEN).prop_map(str::to_owned);
    let piece = prop_oneof![prop::sample::select(pieces), between()];
    prop::collection::vec((between(), piece), 0..6).prop_map(|parts| {
        parts.into_iter().map(|(between, piece)| between + &piece).collect::<String>()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn sweeping_again_changes_nothing_and_no_shape_is_left(text in text()) {
        let swept = sweep(&text).into_owned();
        prop_assert_eq!(sweep(&swept), &*swept);
        prop_assert_eq!(secret_in(swept.as_bytes()), None, "{}", swept);
    }

    #[test]
    fn any_bytes_are_taken(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        secret_in(&bytes);
        let text = String::from_utf8_lossy(&bytes);
        let swept = sweep(&text).into_owned();
        prop_assert_eq!(sweep(&swept), &*swept);
    }
}
