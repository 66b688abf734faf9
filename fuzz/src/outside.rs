//! An outside that always answers, with what it was asked.

use std::net::SocketAddr;

use tapeline::{
    ApprovalAnswer, ApprovalRequest, Approver, async_trait,
    http::{Http, HttpFault, HttpRequest, HttpResponse, Resolver},
};

/// Every name leads to a public address, and every request is answered with itself.
#[derive(Clone, Copy, Debug)]
pub struct Echo;

#[async_trait]
impl Http for Echo {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpFault> {
        let HttpRequest { method, url, mut headers, body, max_body_bytes, .. } = request;
        let mut echo = format!("{method} {url}\n").into_bytes();
        for (name, value) in &headers {
            echo.extend(format!("{name}: {value}\n").into_bytes());
        }
        echo.extend(&body);
        // What is over 4 KiB is no longer kept in place.
        if url.contains("long") {
            echo.extend(vec![b'.'; 5000]);
        }
        echo.truncate(usize::try_from(max_body_bytes).unwrap_or(usize::MAX));
        headers.iter_mut().for_each(|(name, _)| name.make_ascii_lowercase());
        headers.push(("set-cookie".to_owned(), "sid=c00kie; Path=/".to_owned()));
        Ok(HttpResponse { status: 200, headers, body: echo })
    }
}

#[async_trait]
impl Resolver for Echo {
    async fn resolve(
        &self,
        _host: &str,
        port: u16,
        _request: &HttpRequest,
    ) -> Result<Vec<SocketAddr>, HttpFault> {
        Ok(vec![SocketAddr::from(([93, 184, 215, 14], port))])
    }
}

/// Says yes to all.
#[derive(Clone, Copy, Debug)]
pub struct Yes;

#[async_trait]
impl Approver for Yes {
    async fn approve(&self, _request: ApprovalRequest) -> ApprovalAnswer {
        ApprovalAnswer::Approved
    }
}
