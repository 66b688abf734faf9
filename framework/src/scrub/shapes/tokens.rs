//! The shapes, one row each, with the page that tells of it.

use std::ops::Range;

use super::structured;

/// What tells one kind of secret.
#[derive(Debug)]
pub(super) struct Shape {
    /// For people.
    pub(super) name: &'static str,
    /// Bytes that each of its secrets begins with or has in it.
    pub(super) mark: &'static str,
    pub(super) any_case: bool,
    what: What,
}

#[derive(Debug)]
enum What {
    /// The mark at the start of a word, and then so many bytes of an alphabet and no more.
    Token { alphabet: fn(u8) -> bool, least: usize, most: usize, start: Start },
    /// Where the secret is, if there is one around a mark at that place.
    Secret(fn(&[u8], usize) -> Option<Range<usize>>),
}

/// What a token begins behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    /// Behind what is no letter or digit.
    Word,
    /// The mark is so short that it stands in names joined by `-`, `_` or `+`, too, and that words may
    /// look like it: what follows has digits and letters.
    Strict,
}

impl Shape {
    /// The secret at or around a place where the mark may be.
    pub(super) fn secret(&self, bytes: &[u8], at: usize) -> Option<Range<usize>> {
        let mark = bytes.get(at..at.checked_add(self.mark.len())?)?;
        let is_mark = match self.any_case {
            true => mark.eq_ignore_ascii_case(self.mark.as_bytes()),
            false => mark == self.mark.as_bytes(),
        };
        if !is_mark {
            return None;
        }
        let (alphabet, least, most, start) = match self.what {
            What::Secret(secret) => return secret(bytes, at),
            What::Token { alphabet, least, most, start } => (alphabet, least, most, start),
        };
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        let is_joined = start == Start::Strict && matches!(before, Some(b'-' | b'_' | b'+'));
        if is_joined || !structured::starts_word(bytes, at) {
            return None;
        }
        let from = at + self.mark.len();
        let row = structured::run(bytes, from, alphabet);
        let token = bytes.get(row.clone())?;
        let is_token = (least..=most).contains(&token.len())
            && is_varied(token)
            && (start == Start::Word || structured::is_mixed(token));
        is_token.then_some(at..row.end)
    }
}

/// `xxxxxxxx` stands for a token and is none.
fn is_varied(token: &[u8]) -> bool {
    const DIFFERENT_BYTES: usize = 6;

    let mut seen = [0_u64; 4];
    for byte in token {
        if let Some(word) = seen.get_mut(usize::from(byte / 64)) {
            *word |= 1 << (byte % 64);
        }
    }
    seen.iter().map(|word| word.count_ones() as usize).sum::<usize>() >= DIFFERENT_BYTES
}

const fn token(
    name: &'static str,
    mark: &'static str,
    alphabet: fn(u8) -> bool,
    least: usize,
    most: usize,
) -> Shape {
    let what = What::Token { alphabet, least, most, start: Start::Word };
    Shape { name, mark, any_case: false, what }
}

const fn strict(
    name: &'static str,
    mark: &'static str,
    alphabet: fn(u8) -> bool,
    least: usize,
    most: usize,
) -> Shape {
    let what = What::Token { alphabet, least, most, start: Start::Strict };
    Shape { name, mark, any_case: false, what }
}

const fn secret(
    name: &'static str,
    mark: &'static str,
    find: fn(&[u8], usize) -> Option<Range<usize>>,
) -> Shape {
    Shape { name, mark, any_case: false, what: What::Secret(find) }
}

const fn label(
    name: &'static str,
    mark: &'static str,
    find: fn(&[u8], usize) -> Option<Range<usize>>,
) -> Shape {
    Shape { name, mark, any_case: true, what: What::Secret(find) }
}

fn alnum(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn url(byte: u8) -> bool {
    word(byte) || byte == b'-'
}

fn dotted(byte: u8) -> bool {
    url(byte) || byte == b'.'
}

fn base64(byte: u8) -> bool {
    url(byte) || matches!(byte, b'+' | b'/' | b'=')
}

fn hex(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
}

fn upper(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

/// Longer than any token.
const ANY: usize = 4096;

/// The order is that in which they are tried at one place.
pub(super) static SHAPES: &[Shape] = &[
    // https://docs.github.com/en/authentication/keeping-your-account-and-data-secure/about-authentication-to-github#githubs-token-formats
    token("GitHub personal access token", "ghp_", word, 36, 255),
    token("GitHub OAuth token", "gho_", word, 36, 255),
    token("GitHub user-to-server token", "ghu_", word, 36, 255),
    token("GitHub server-to-server token", "ghs_", dotted, 36, ANY),
    token("GitHub refresh token", "ghr_", word, 36, 255),
    token("GitHub fine-grained token", "github_pat_", word, 36, 255),
    // https://docs.gitlab.com/security/tokens/#token-prefixes
    token("GitLab personal access token", "glpat-", dotted, 20, 320),
    token("GitLab deploy token", "gldt-", dotted, 20, 320),
    token("GitLab runner token", "glrt-", dotted, 20, 320),
    token("GitLab CI job token", "glcbt-", dotted, 20, ANY),
    token("GitLab trigger token", "glptt-", dotted, 20, 320),
    token("GitLab OAuth secret", "gloas-", dotted, 20, 320),
    token("GitLab agent token", "glagent-", dotted, 20, 320),
    token("GitLab feed token", "glft-", dotted, 20, 320),
    token("GitLab incoming mail token", "glimt-", dotted, 20, 320),
    token("GitLab SCIM token", "glsoat-", dotted, 20, 320),
    // https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-unique-ids
    token("AWS access key id", "AKIA", upper, 16, 16),
    token("AWS temporary access key id", "ASIA", upper, 16, 16),
    token("AWS bearer token", "ABIA", upper, 16, 16),
    // https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html
    token("Amazon Bedrock API key", "ABSK", base64, 100, ANY),
    // https://cloud.google.com/docs/authentication/api-keys
    token("Google API key", "AIza", url, 35, 35),
    // https://developers.google.com/identity/protocols/oauth2
    token("Google OAuth access token", "ya29.", dotted, 20, ANY),
    token("Google OAuth client secret", "GOCSPX-", url, 24, 40),
    // https://api.slack.com/concepts/token-types
    token("Slack bot token", "xoxb-", url, 16, 255),
    token("Slack user token", "xoxp-", url, 16, 255),
    token("Slack workspace token", "xoxa-", url, 16, 255),
    token("Slack legacy token", "xoxs-", url, 16, 255),
    token("Slack refresh token", "xoxr-", url, 16, 255),
    token("Slack cookie", "xoxd-", base64, 16, ANY),
    token("Slack client token", "xoxc-", url, 16, 255),
    token("Slack configuration token", "xoxe.", dotted, 16, 512),
    token("Slack rotated refresh token", "xoxe-", url, 16, 512),
    token("Slack app token", "xapp-", url, 16, 255),
    // https://api.slack.com/messaging/webhooks
    secret("Slack webhook", "hooks.slack.com/", structured::slack_webhook),
    // https://docs.stripe.com/keys and https://docs.stripe.com/webhooks#verify-events
    token("Stripe secret key", "sk_live_", alnum, 16, 255),
    token("Stripe test key", "sk_test_", alnum, 16, 255),
    token("Stripe restricted key", "rk_live_", alnum, 16, 255),
    token("Stripe restricted test key", "rk_test_", alnum, 16, 255),
    token("webhook signing secret", "whsec_", base64, 24, 255),
    // https://platform.openai.com/docs/api-reference/authentication
    token("OpenAI project key", "sk-proj-", url, 20, 255),
    token("OpenAI service account key", "sk-svcacct-", url, 20, 255),
    token("OpenAI admin key", "sk-admin-", url, 20, 255),
    strict("API key", "sk-", alnum, 32, 128),
    // https://docs.anthropic.com/en/api/overview
    token("Anthropic API key", "sk-ant-", url, 24, 255),
    // https://openrouter.ai/docs/api-reference/authentication
    token("OpenRouter API key", "sk-or-v1-", hex, 64, 64),
    // https://huggingface.co/docs/hub/security-tokens
    strict("Hugging Face token", "hf_", alnum, 30, 64),
    token("Hugging Face organization token", "api_org_", alnum, 30, 64),
    // https://docs.npmjs.com/about-access-tokens
    token("npm token", "npm_", alnum, 36, 36),
    // https://pypi.org/help/#apitoken
    token("PyPI token", "pypi-", url, 50, ANY),
    // https://github.com/rust-lang/crates.io/blob/main/crates/crates_io_database/src/schema.rs
    strict("crates.io token", "cio", alnum, 32, 32),
    // https://docs.docker.com/security/for-developers/access-tokens/
    token("Docker personal access token", "dckr_pat_", url, 27, 64),
    token("Docker organization token", "dckr_oat_", url, 27, 64),
    // https://docs.digitalocean.com/reference/api/create-personal-access-token/
    token("DigitalOcean personal token", "dop_v1_", hex, 64, 64),
    token("DigitalOcean OAuth token", "doo_v1_", hex, 64, 64),
    token("DigitalOcean refresh token", "dor_v1_", hex, 64, 64),
    // https://www.twilio.com/docs/sendgrid/ui/account-and-settings/api-keys
    secret("SendGrid API key", "SG.", structured::sendgrid),
    // https://www.twilio.com/docs/iam/api-keys
    strict("Twilio API key", "SK", hex, 32, 32),
    // https://documentation.mailgun.com/docs/mailgun/api-reference/mg-auth
    strict("Mailgun API key", "key-", hex, 32, 32),
    // https://developers.brevo.com/docs/getting-started
    token("Brevo API key", "xkeysib-", url, 64, 128),
    // https://core.telegram.org/bots/api#authorizing-your-bot
    secret("Telegram bot token", ":AA", structured::telegram),
    // https://discord.com/developers/docs/reference#authentication
    secret("Discord bot token", ".", structured::discord),
    // https://discord.com/developers/docs/resources/webhook
    secret("Discord webhook", "/api/webhooks/", structured::discord_webhook),
    // https://shopify.dev/docs/apps/build/authentication-authorization/access-tokens
    token("Shopify access token", "shpat_", hex, 32, 32),
    token("Shopify shared secret", "shpss_", hex, 32, 32),
    token("Shopify custom app token", "shpca_", hex, 32, 32),
    token("Shopify private app password", "shppa_", hex, 32, 32),
    // https://developer.squareup.com/docs/build-basics/access-tokens
    token("Square access token", "sq0atp-", url, 22, 64),
    token("Square OAuth secret", "sq0csp-", url, 43, 64),
    // https://support.atlassian.com/atlassian-account/docs/manage-api-tokens-for-your-atlassian-account/
    token("Atlassian API token", "ATATT3x", base64, 50, 255),
    token("Bitbucket app password", "ATCTT3x", base64, 50, 255),
    // https://linear.app/developers/graphql
    token("Linear API key", "lin_api_", alnum, 32, 64),
    token("Linear OAuth token", "lin_oauth_", alnum, 32, 80),
    // https://developers.notion.com/reference/authentication
    strict("Notion token", "ntn_", alnum, 40, 64),
    strict("Notion internal token", "secret_", alnum, 43, 43),
    // https://docs.databricks.com/aws/en/dev-tools/auth/pat
    strict("Databricks token", "dapi", hex, 32, 33),
    // https://developer.hashicorp.com/vault/docs/concepts/tokens#token-prefixes
    token("Vault service token", "hvs.", url, 24, 255),
    token("Vault batch token", "hvb.", url, 24, 512),
    token("Vault recovery token", "hvr.", url, 24, 255),
    strict("Vault legacy token", "s.", alnum, 24, 24),
    // https://developer.hashicorp.com/terraform/cloud-docs/users-teams-organizations/api-tokens
    secret("Terraform token", ".atlasv1.", structured::terraform),
    // https://age-encryption.org/v1
    token("age secret key", "AGE-SECRET-KEY-1", upper, 58, 58),
    // https://www.rfc-editor.org/rfc/rfc7519 and https://www.rfc-editor.org/rfc/rfc7516
    secret("JSON web token", "eyJ", structured::jwt),
    // https://www.rfc-editor.org/rfc/rfc7468, https://www.rfc-editor.org/rfc/rfc9580#section-6.2
    secret("private key", "-----BEGIN", structured::pem),
    // https://the.earth.li/~sgtatham/putty/latest/htmldoc/AppendixC.html
    secret("PuTTY private key", "PuTTY-User-Key-File-", structured::putty),
    // https://grafana.com/docs/grafana/latest/administration/service-accounts/
    token("Grafana service account token", "glsa_", word, 41, 41),
    token("Grafana cloud token", "glc_", base64, 32, 512),
    // https://docs.newrelic.com/docs/apis/intro-apis/new-relic-api-keys/
    token("New Relic user key", "NRAK-", upper, 27, 27),
    // https://learning.postman.com/docs/developer/postman-api/authentication/
    token("Postman API key", "PMAK-", url, 59, 64),
    // https://docs.sentry.io/account/auth-tokens/
    token("Sentry organization token", "sntrys_", base64, 40, ANY),
    token("Sentry user token", "sntryu_", hex, 64, 64),
    // https://planetscale.com/docs/api/reference/service-tokens
    token("PlanetScale token", "pscale_tkn_", dotted, 32, 64),
    token("PlanetScale password", "pscale_pw_", dotted, 32, 64),
    // https://supabase.com/docs/reference/api/introduction
    token("Supabase access token", "sbp_", hex, 40, 40),
    // https://docs.doppler.com/reference/auth-token-formats
    token("Doppler token", "dp.pt.", alnum, 40, 48),
    token("Doppler service token", "dp.st.", dotted, 40, 128),
    // https://www.figma.com/developers/api#access-tokens
    token("Figma access token", "figd_", url, 38, 64),
    // https://fly.io/docs/security/tokens/
    token("Fly.io token", "fm2_", base64, 100, ANY),
    // https://devcenter.heroku.com/articles/authentication
    token("Heroku API key", "HRKU-", url, 36, 80),
    // https://tailscale.com/kb/1277/key-prefixes
    token("Tailscale key", "tskey-", url, 20, 128),
    // https://console.groq.com/docs/quickstart
    strict("Groq API key", "gsk_", alnum, 52, 52),
    // https://docs.x.ai/docs/tutorial
    token("xAI API key", "xai-", alnum, 80, 80),
    // https://docs.perplexity.ai/getting-started/quickstart
    token("Perplexity API key", "pplx-", alnum, 48, 64),
    // https://docs.api.nvidia.com/nim/docs/api-quickstart
    token("NVIDIA API key", "nvapi-", url, 60, 80),
    // https://replicate.com/docs/topics/security/api-tokens
    strict("Replicate token", "r8_", alnum, 37, 37),
    // https://guides.rubygems.org/api-key-scopes/
    token("RubyGems API key", "rubygems_", hex, 48, 48),
    // https://support.airtable.com/docs/creating-personal-access-tokens
    secret("Airtable personal access token", "pat", structured::airtable),
    // https://docs.dynatrace.com/docs/manage/identity-access-management/access-tokens-and-oauth-clients/access-tokens
    token("Dynatrace token", "dt0c01.", dotted, 80, 128),
    // https://circleci.com/docs/managing-api-tokens/
    token("CircleCI token", "CCIPAT_", word, 40, 80),
    // https://www.pulumi.com/docs/pulumi-cloud/access-management/access-tokens/
    strict("Pulumi access token", "pul-", hex, 40, 40),
    // https://developer.1password.com/docs/service-accounts/
    token("1Password service account token", "ops_eyJ", base64, 200, ANY),
    // https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1
    secret("password in a URL", "://", structured::userinfo),
    // https://www.rfc-editor.org/rfc/rfc6750#section-2.1, https://www.rfc-editor.org/rfc/rfc7617
    label("bearer token", "bearer", structured::bearer),
    label("basic credentials", "basic", structured::basic),
    // Values behind labels that say what they are.
    label("password", "passw", structured::labelled),
    label("password", "passphrase", structured::labelled),
    label("password", "pwd", structured::labelled),
    label("labelled secret", "secret", structured::labelled),
    label("labelled key", "api_key", structured::labelled),
    label("labelled key", "api-key", structured::labelled),
    label("labelled key", "apikey", structured::labelled),
    label("labelled key", "account_key", structured::labelled),
    label("labelled key", "accountkey", structured::labelled),
    label("labelled key", "private_key", structured::labelled),
    label("labelled token", "access_token", structured::labelled),
    label("labelled token", "access-token", structured::labelled),
    label("labelled token", "accesstoken", structured::labelled),
    label("labelled token", "auth_token", structured::labelled),
    label("labelled token", "auth-token", structured::labelled),
    label("labelled token", "authtoken", structured::labelled),
    label("labelled token", "refresh_token", structured::labelled),
    label("labelled token", "-token", structured::flagged_token),
];
