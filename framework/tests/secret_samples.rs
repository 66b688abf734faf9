//! Secrets of every kind, made when the tests run: the repository holds none that a scanner would
//! report.

/// The names of the shapes, each with a text that has it and the secret in that text.
pub(crate) fn samples() -> Vec<(&'static str, String, String)> {
    const LETTERS: &str = "aZbYcXdWeVfUgThSiRjQkPlOmNnMoLpKqJrIsHtGuFvEwDxCyBzA0918273645";
    const HEX: &str = "0123456789abcdef";
    const UPPER: &str = "A2B3C4D5E6F7GHIJKLMNOPQRSTUVWXYZ";
    const DIGITS: &str = "1029384756";

    let mut seed = 0;
    let mut draw = |alphabet: &str, length: usize| -> String {
        seed += 1;
        drawn(alphabet, length, seed)
    };
    let mut samples = Vec::new();
    let rows: [(&str, &[&str], &str, usize); 62] = [
        ("GitHub personal access token", &["gh", "p_"], LETTERS, 36),
        ("GitHub OAuth token", &["gh", "o_"], LETTERS, 36),
        ("GitHub user-to-server token", &["gh", "u_"], LETTERS, 36),
        ("GitHub server-to-server token", &["gh", "s_"], LETTERS, 36),
        ("GitHub refresh token", &["gh", "r_"], LETTERS, 76),
        ("GitHub fine-grained token", &["github", "_pat_"], LETTERS, 82),
        ("GitLab personal access token", &["glp", "at-"], LETTERS, 20),
        ("GitLab deploy token", &["gld", "t-"], LETTERS, 20),
        ("AWS access key id", &["AK", "IA"], UPPER, 16),
        ("AWS temporary access key id", &["AS", "IA"], UPPER, 16),
        ("Google API key", &["AI", "za"], LETTERS, 35),
        ("Google OAuth access token", &["ya", "29."], LETTERS, 60),
        ("Google OAuth client secret", &["GOC", "SPX-"], LETTERS, 28),
        ("Slack bot token", &["xox", "b-"], LETTERS, 40),
        ("Slack user token", &["xox", "p-"], LETTERS, 40),
        ("Slack app token", &["xa", "pp-"], LETTERS, 60),
        ("Stripe secret key", &["sk_l", "ive_"], LETTERS, 24),
        ("Stripe restricted key", &["rk_l", "ive_"], LETTERS, 24),
        ("webhook signing secret", &["wh", "sec_"], LETTERS, 32),
        ("OpenAI project key", &["sk-p", "roj-"], LETTERS, 60),
        ("API key", &["s", "k-"], LETTERS, 48),
        ("Anthropic API key", &["sk-a", "nt-"], LETTERS, 90),
        ("OpenRouter API key", &["sk-o", "r-v1-"], HEX, 64),
        ("Hugging Face token", &["h", "f_"], LETTERS, 34),
        ("npm token", &["np", "m_"], LETTERS, 36),
        ("PyPI token", &["py", "pi-"], LETTERS, 150),
        ("crates.io token", &["c", "io"], LETTERS, 32),
        ("Docker personal access token", &["dckr", "_pat_"], LETTERS, 27),
        ("DigitalOcean personal token", &["dop", "_v1_"], HEX, 64),
        ("Twilio API key", &["S", "K"], HEX, 32),
        ("Mailgun API key", &["ke", "y-"], HEX, 32),
        ("Brevo API key", &["xkey", "sib-"], HEX, 64),
        ("Shopify access token", &["shp", "at_"], HEX, 32),
        ("Shopify shared secret", &["shp", "ss_"], HEX, 32),
        ("Square access token", &["sq0", "atp-"], LETTERS, 22),
        ("Square OAuth secret", &["sq0", "csp-"], LETTERS, 43),
        ("Atlassian API token", &["ATA", "TT3x"], LETTERS, 180),
        ("Linear API key", &["lin", "_api_"], LETTERS, 40),
        ("Notion token", &["nt", "n_"], LETTERS, 46),
        ("Notion internal token", &["sec", "ret_"], LETTERS, 43),
        ("Databricks token", &["da", "pi"], HEX, 32),
        ("Vault service token", &["hv", "s."], LETTERS, 90),
        ("Vault legacy token", &["s", "."], LETTERS, 24),
        ("age secret key", &["AGE-SEC", "RET-KEY-1"], UPPER, 58),
        ("Grafana service account token", &["gl", "sa_"], LETTERS, 41),
        ("New Relic user key", &["NR", "AK-"], UPPER, 27),
        ("Postman API key", &["PM", "AK-"], HEX, 59),
        ("Sentry user token", &["sntr", "yu_"], HEX, 64),
        ("PlanetScale token", &["pscale", "_tkn_"], LETTERS, 43),
        ("Supabase access token", &["sb", "p_"], HEX, 40),
        ("Doppler token", &["dp", ".pt."], LETTERS, 43),
        ("Figma access token", &["fi", "gd_"], LETTERS, 40),
        ("Heroku API key", &["HR", "KU-"], LETTERS, 60),
        ("Tailscale key", &["ts", "key-auth-"], LETTERS, 40),
        ("Groq API key", &["gs", "k_"], LETTERS, 52),
        ("xAI API key", &["xa", "i-"], LETTERS, 80),
        ("Perplexity API key", &["pp", "lx-"], LETTERS, 48),
        ("NVIDIA API key", &["nv", "api-"], LETTERS, 64),
        ("Replicate token", &["r", "8_"], LETTERS, 37),
        ("RubyGems API key", &["ruby", "gems_"], HEX, 48),
        ("Pulumi access token", &["pu", "l-"], HEX, 40),
        ("CircleCI token", &["CCI", "PAT_"], LETTERS, 60),
    ];
    for (name, mark, alphabet, length) in rows {
        let token = format!("{}{}", mark.concat(), draw(alphabet, length));
        samples.push((name, token.clone(), token));
    }

    let mut whole = |name, token: String| samples.push((name, token.clone(), token));
    whole("SendGrid API key", format!("S{}.{}.{}", "G", draw(LETTERS, 22), draw(LETTERS, 43)));
    whole("Telegram bot token", format!("{}:A{}{}", draw(DIGITS, 9), "A", draw(LETTERS, 33)));
    let user = base64(&draw(DIGITS, 18));
    whole("Discord bot token", format!("{user}.{}.{}", draw(LETTERS, 6), draw(LETTERS, 38)));
    whole("Terraform token", format!("{}.atl{}.{}", draw(LETTERS, 14), "asv1", draw(LETTERS, 67)));
    whole(
        "Airtable personal access token",
        format!("pa{}{}.{}", "t", draw(LETTERS, 14), draw(HEX, 64)),
    );
    let header = base64(r#"{"alg":"HS256","typ":"JWT"}"#);
    let claims = base64(r#"{"sub":"1234567890","admin":true}"#);
    whole("JSON web token", format!("{header}.{claims}.{}", draw(LETTERS, 43)));
    for kind in ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "] {
        let (begin, end) = (format!("BEGIN {kind}PRIV"), format!("END {kind}PRIV"));
        let (first, second) = (draw(LETTERS, 64), draw(LETTERS, 44));
        let key = format!("-----{begin}ATE KEY-----\n{first}\n{second}\n-----{end}ATE KEY-----");
        whole("private key", key);
    }

    let mut within = |name, text: &str, secret: String| {
        samples.push((name, text.replace("{}", &secret), secret));
    };
    let path = format!("T{}/B{}/{}", draw(UPPER, 9), draw(UPPER, 9), draw(LETTERS, 24));
    within("Slack webhook", &format!("https://hooks.{}.com/services/{{}}", "slack"), path);
    let webhook = format!("https://{}.com/api/webhooks/{}/{{}}", "discord", draw(DIGITS, 18));
    within("Discord webhook", &webhook, draw(LETTERS, 68));
    within("password in a URL", "postgres://app:{}@db.example:5432/x", draw(LETTERS, 12));
    within("bearer token", "Authorization: Bearer {}", draw(LETTERS, 40));
    let credentials = base64(&format!("{}:{}", draw(LETTERS, 6), draw(LETTERS, 14)));
    within("basic credentials", "Authorization: Basic {}", credentials);
    within("password", "password={}", draw(LETTERS, 14));
    within("labelled secret", "aws_secret_access_key = {}", draw(LETTERS, 40));
    within("labelled key", "\"api_key\": \"{}\"", draw(LETTERS, 32));
    within("labelled token", "access_token={}", draw(LETTERS, 40));
    samples
}

/// Letters of an alphabet, the same each time; each is another than the one before.
fn drawn(alphabet: &str, length: usize, seed: u64) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let drawn = (0..length).map(|place| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // A digit and a letter of each alphabet are always there.
        let place =
            if place < 4 { place * (letters.len() - 1) / 3 } else { (state >> 33) as usize };
        letters[place % letters.len()]
    });
    drawn.collect()
}

/// Base64 for URLs, without padding.
pub(crate) fn base64(text: &str) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    let mut encoded = String::new();
    for group in text.as_bytes().chunks(3) {
        let bits = group.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
        let bits = bits << (8 * (3 - group.len()));
        for place in 0..=group.len() {
            encoded.push(char::from(LETTERS[(bits >> (18 - 6 * place) & 63) as usize]));
        }
    }
    encoded
}
