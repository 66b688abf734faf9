//! Names to addresses: the system's resolver, and what the gateway keeps of any resolver's answer.

use std::net::{SocketAddr, ToSocketAddrs};

use async_trait::async_trait;

use super::{HttpFault, HttpFaultKind, HttpRequest, Resolver};

/// The operating system's own resolution, with its hosts file and search order.
///
/// It asks on a thread of the runtime, since the system's call blocks; one that is given up on ends
/// there by itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

#[async_trait]
impl Resolver for SystemResolver {
    async fn resolve(
        &self,
        host: &str,
        port: u16,
        _request: &HttpRequest,
    ) -> Result<Vec<SocketAddr>, HttpFault> {
        let name = host.to_owned();
        let fault = |cause: String| HttpFault::new(HttpFaultKind::Dns, cause);
        tokio::task::spawn_blocking(move || (name.as_str(), port).to_socket_addrs())
            .await
            .map_err(|error| fault(error.to_string()))?
            .map(Iterator::collect)
            .map_err(|error| fault(error.to_string()))
    }
}

/// The addresses a hop may use: each once, in the order given, IPv4 ones as such, 64 at most. A
/// name with thousands of addresses cannot make a run try, or record, them all.
pub(super) fn distinct(addresses: Vec<SocketAddr>) -> Vec<SocketAddr> {
    const MOST: usize = 64;

    let mut distinct = Vec::new();
    for mut address in addresses {
        address.set_ip(address.ip().to_canonical());
        if distinct.len() < MOST && !distinct.contains(&address) {
            distinct.push(address);
        }
    }
    distinct
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn resolve(host: &str, port: u16) -> Result<Vec<SocketAddr>, HttpFault> {
        let request = HttpRequest {
            method: "GET".to_owned(),
            url: format!("http://{host}:{port}/"),
            headers: Vec::new(),
            body: Vec::new(),
            connect_to: Vec::new(),
            max_body_bytes: 1,
            connect_timeout_ms: 1,
            timeout_ms: 1,
        };
        tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap()
            .block_on(SystemResolver.resolve(host, port, &request))
    }

    #[test]
    fn the_system_knows_its_own_name() {
        let addresses = resolve("localhost", 8080).unwrap();
        assert!(!addresses.is_empty());
        assert!(addresses.iter().all(|at| at.ip().is_loopback() && at.port() == 8080));
    }

    #[test]
    fn a_name_that_cannot_be_is_a_dns_fault() {
        assert_eq!(resolve("no such name", 80).unwrap_err().kind, HttpFaultKind::Dns);
    }

    #[test]
    fn keeps_the_order_drops_repeats_and_stops_at_64() {
        let address = |last: u8| SocketAddr::from((Ipv4Addr::new(192, 0, 2, last), 80));
        let mapped = "[::ffff:192.0.2.9]:80".parse().unwrap();
        assert_eq!(
            distinct(vec![address(2), address(1), address(2), mapped, address(9)]),
            [address(2), address(1), address(9)]
        );
        assert_eq!(
            distinct((0..100).map(address).collect()),
            (0..64).map(address).collect::<Vec<_>>()
        );
    }
}
