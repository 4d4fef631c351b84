//! Who is let in: names of this server, pages of this server, holders of the token.

use std::net::IpAddr;

use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{HeaderMap, Request, StatusCode};

use crate::error::ViewerError;

/// Longest address that is looked at.
const ADDRESS_LIMIT: usize = 2048;
/// What the name of the WebSocket protocol begins with; the token follows.
const PROTOCOL_PREFIX: &str = "huygens.";

/// Headers that every answer carries, beside the content policy.
pub(crate) const HEADERS: [(HeaderName, &str); 6] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// What a request must show.
pub(crate) struct Gate {
    token: String,
    /// Where the server listens.
    address: IpAddr,
    /// Further names under which it is reached.
    hosts: Vec<String>,
}

/// Status and reason of a refusal.
pub(crate) type Refusal = (StatusCode, &'static str);

impl Gate {
    pub fn new(address: IpAddr, hosts: Vec<String>) -> Result<Self, ViewerError> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| ViewerError::Random { reason: error.to_string() })?;
        let token = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { token, address, hosts })
    }

    pub fn token(&self) -> &str {
        &self.token
    }

    /// The WebSocket protocol that stands for the token.
    pub fn protocol(&self) -> String {
        format!("{PROTOCOL_PREFIX}{}", self.token)
    }

    /// Whether a request comes by a name of this server and, if from a page, from one of its own. Names are checked
    /// because a foreign page may make its own name point here (DNS rebinding).
    pub fn admit<B>(&self, request: &Request<B>) -> Result<(), Refusal> {
        let headers = request.headers();
        if request.uri().to_string().len() > ADDRESS_LIMIT {
            return Err((StatusCode::URI_TOO_LONG, "the address is too long"));
        }
        let Some(host) = sole(headers, &header::HOST).filter(|host| self.knows(host)) else {
            return Err((StatusCode::FORBIDDEN, "this server does not answer to that name"));
        };
        let foreign = match sole(headers, &header::ORIGIN) {
            Some(origin) => !origin.eq_ignore_ascii_case(&format!("http://{host}")),
            None => headers.contains_key(header::ORIGIN),
        };
        if foreign {
            return Err((StatusCode::FORBIDDEN, "pages of other origins are not served"));
        }
        let length = headers.get(header::CONTENT_LENGTH).is_some_and(|length| length != "0");
        if length || headers.contains_key(header::TRANSFER_ENCODING) {
            return Err((StatusCode::PAYLOAD_TOO_LARGE, "requests have no content here"));
        }
        Ok(())
    }

    /// Whether a `Host` is a name of this server; the port may be another one, as through a tunnel.
    fn knows(&self, host: &str) -> bool {
        let name = match host.strip_prefix('[') {
            Some(rest) => match rest.split_once(']') {
                Some((name, port)) if port.is_empty() || is_port(port) => name,
                _ => return false,
            },
            None => match host.find(':') {
                Some(at) if is_port(&host[at..]) => &host[..at],
                Some(_) => return false,
                None => host,
            },
        };
        if let Ok(address) = name.parse::<IpAddr>() {
            // A number cannot be made to point elsewhere.
            return address.is_loopback() || !self.address.is_loopback();
        }
        name.eq_ignore_ascii_case("localhost")
            || self.hosts.iter().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// Whether a request carries the token: as a bearer, or as the WebSocket protocol, for which browsers let a page
    /// set no other header.
    pub fn holds_token(&self, headers: &HeaderMap) -> bool {
        let bearer = sole(headers, &header::AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
        let protocols = sole(headers, &header::SEC_WEBSOCKET_PROTOCOL).into_iter();
        let protocols = protocols.flat_map(|list| list.split(','));
        let protocols = protocols.filter_map(|name| name.trim().strip_prefix(PROTOCOL_PREFIX));
        bearer.into_iter().chain(protocols).any(|token| same(token, &self.token))
    }

    /// What the page may load: its own files, and data from where it came.
    pub fn content_policy(&self, headers: &HeaderMap) -> HeaderValue {
        let socket = match sole(headers, &header::HOST).filter(|host| self.knows(host)) {
            Some(host) => format!(" ws://{host}"),
            None => String::new(),
        };
        let policy = format!(
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'{socket}; img-src 'self' \
             data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        );
        HeaderValue::from_str(&policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
    }
}

/// The value of a header that is there once.
fn sole<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

fn is_port(text: &str) -> bool {
    text.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok())
}

/// Equality in a time that does not tell where the first difference is.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |sum, (x, y)| sum | (x ^ y)) == 0
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use super::*;

    #[test]
    fn names_of_the_server() {
        let local = Gate::new(Ipv4Addr::LOCALHOST.into(), vec!["node7".to_owned()]).unwrap();
        for known in ["127.0.0.1:8930", "localhost:1", "LOCALHOST", "[::1]:80", "[::1]", "node7:8930"] {
            assert!(local.knows(known), "{known}");
        }
        let foreign = [
            "evil.example",
            "127.0.0.1.evil.example",
            "192.168.0.7:8930",
            "localhost:x",
            "localhost:1:2",
            "",
            "[::1",
            "[::1];x",
            "::1",
            "localhost ; script-src *",
        ];
        for name in foreign {
            assert!(!local.knows(name), "{name}");
        }
        let open = Gate::new(Ipv6Addr::UNSPECIFIED.into(), Vec::new()).unwrap();
        assert!(open.knows("192.168.0.7:8930") && !open.knows("evil.example:8930"));
    }

    #[test]
    fn tokens_differ_and_are_compared_whole() {
        let [a, b] = [(); 2].map(|()| Gate::new(Ipv4Addr::LOCALHOST.into(), Vec::new()).unwrap());
        assert_ne!(a.token(), b.token());
        assert_eq!(a.token().len(), 32);
        assert!(
            same(a.token(), a.token()) && !same(a.token(), &a.token()[1..]) && !same(a.token(), b.token())
        );
    }
}
