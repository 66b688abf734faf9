//! [`ConnectTo`]: the operator's detour for one host and port, spelled as curl spells it.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use url::Host;

/// `HOST1:PORT1:HOST2:PORT2`: a request to the first pair connects to the second; an empty
/// `HOST1` or `PORT1` matches any, an empty `HOST2` or `PORT2` keeps what was asked for.
///
/// Hosts are kept as URLs spell them: lower-case, international names in their ASCII form, without
/// a final dot. An IPv6 address stands in brackets in the text, without them in the fields.
///
/// ```
/// let connect_to: tapeline::ConnectTo = "open.er-api.com:443:127.0.0.1:8443".parse()?;
/// assert_eq!(connect_to.to_port, Some(8443));
/// assert_eq!(connect_to.to_string(), "open.er-api.com:443:127.0.0.1:8443");
/// # Ok::<(), tapeline::InvalidConnectTo>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConnectTo {
    /// `None` matches any host.
    pub host: Option<String>,
    /// `None` matches any port.
    pub port: Option<u16>,
    /// `None` keeps the host.
    pub to_host: Option<String>,
    /// `None` keeps the port.
    pub to_port: Option<u16>,
}

impl ConnectTo {
    /// Where a request to `host` (as a URL spells it, IPv6 without brackets) and `port` connects
    /// to; `None` when this detour is for others.
    pub fn applies(&self, host: &str, port: u16) -> Option<(String, u16)> {
        let meant = self.host.as_deref().is_none_or(|known| known.eq_ignore_ascii_case(host))
            && self.port.is_none_or(|known| known == port);
        meant.then(|| {
            (self.to_host.as_deref().unwrap_or(host).to_owned(), self.to_port.unwrap_or(port))
        })
    }
}

impl FromStr for ConnectTo {
    type Err = InvalidConnectTo;

    fn from_str(text: &str) -> Result<Self, InvalidConnectTo> {
        let parse = || {
            let (host, rest) = host_part(text)?;
            let (port, rest) = rest.split_once(':')?;
            let (to_host, to_port) = host_part(rest)?;
            Some(Self {
                host: optional(host, known_host)?,
                port: optional(port, known_port)?,
                to_host: optional(to_host, known_host)?,
                to_port: optional(to_port, known_port)?,
            })
        };
        parse().ok_or_else(|| InvalidConnectTo { text: text.to_owned() })
    }
}

impl fmt::Display for ConnectTo {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn pair(
            formatter: &mut fmt::Formatter<'_>,
            host: Option<&str>,
            port: Option<u16>,
        ) -> fmt::Result {
            match host {
                Some(address) if address.contains(':') => write!(formatter, "[{address}]:")?,
                host => write!(formatter, "{}:", host.unwrap_or_default())?,
            }
            port.map_or(Ok(()), |port| write!(formatter, "{port}"))
        }

        pair(formatter, self.host.as_deref(), self.port)?;
        formatter.write_str(":")?;
        pair(formatter, self.to_host.as_deref(), self.to_port)
    }
}

/// A text that is no [`ConnectTo`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not of the form `HOST1:PORT1:HOST2:PORT2`")]
pub struct InvalidConnectTo {
    text: String,
}

/// A host, in brackets or without a colon, and what follows its colon.
fn host_part(text: &str) -> Option<(&str, &str)> {
    match text.strip_prefix('[') {
        // The bracket stays with the address: that is how `Host` tells it from a name.
        Some(_) => {
            let (address, rest) = text.split_at_checked(text.find(']')? + 1)?;
            Some((address, rest.strip_prefix(':')?))
        }
        None => text.split_once(':'),
    }
}

/// `Some(None)` for an empty part, `None` for one that is wrong.
fn optional<T>(part: &str, read: impl FnOnce(&str) -> Option<T>) -> Option<Option<T>> {
    if part.is_empty() { Some(None) } else { read(part).map(Some) }
}

fn known_host(part: &str) -> Option<String> {
    match Host::parse(part.strip_suffix('.').unwrap_or(part)).ok()? {
        Host::Domain(name) => Some(name),
        Host::Ipv4(address) => Some(address.to_string()),
        Host::Ipv6(address) => Some(address.to_string()),
    }
}

fn known_port(part: &str) -> Option<u16> {
    // `u16` alone would take `+80`, and port 0 names no service.
    let digits = part.bytes().all(|byte| byte.is_ascii_digit());
    part.parse().ok().filter(|port| digits && *port != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> ConnectTo {
        text.parse().unwrap()
    }

    #[test]
    fn prints_what_it_parsed() {
        for text in [
            "open.er-api.com:443:127.0.0.1:8443",
            "[2001:db8::1]:443:[::1]:8443",
            "::127.0.0.1:8443",
            "a.example:443::",
            "a.example:443::8443",
            "a.example::b.example:",
            ":::",
        ] {
            assert_eq!(parse(text).to_string(), text);
        }
    }

    #[test]
    fn hosts_are_spelled_as_urls_spell_them() {
        assert_eq!(
            parse("Bücher.Example.:443:0x7f.1:80").to_string(),
            "xn--bcher-kva.example:443:127.0.0.1:80"
        );
        assert_eq!(parse("[::FFFF:127.0.0.1]:1::").host.as_deref(), Some("::ffff:127.0.0.1"));
    }

    #[test]
    fn says_the_form_it_expects() {
        for text in [
            "",
            "a.example",
            "a.example:443",
            "a.example:443:b.example",
            "a.example:443:b.example:80:80",
            "a.example:port:b.example:80",
            "a.example:443:b.example:65536",
            "a.example:+443:b.example:80",
            "a.example:0:b.example:80",
            "::1:443:b.example:80",
            "[::1:443:b.example:80",
            "[::1]443:b.example:80:",
            "a b:443:b.example:80",
            "a.example:443:[b.example]:80",
        ] {
            let error = text.parse::<ConnectTo>().expect_err(text);
            assert_eq!(
                error.to_string(),
                format!("`{text}` is not of the form `HOST1:PORT1:HOST2:PORT2`")
            );
        }
    }

    #[test]
    fn applies_to_its_pair_alone() {
        let detour = parse("a.example:443:127.0.0.1:8443");
        assert_eq!(detour.applies("a.example", 443), Some(("127.0.0.1".to_owned(), 8443)));
        assert_eq!(detour.applies("a.example", 80), None);
        assert_eq!(detour.applies("b.a.example", 443), None);
    }

    #[test]
    fn an_empty_part_matches_any_or_keeps_what_was_asked() {
        assert_eq!(
            parse("::b.example:").applies("a.example", 80),
            Some(("b.example".to_owned(), 80))
        );
        assert_eq!(
            parse(":80::8080").applies("a.example", 80),
            Some(("a.example".to_owned(), 8080))
        );
        assert_eq!(parse(":80::8080").applies("a.example", 81), None);
    }
}
