//! Whom TLS trusts: the platform's certificate authorities, or those the operator gives.
//!
//! The cryptography is ring's, named here and never installed for the process: the host may have
//! another.

use std::{error::Error, sync::Arc};

use rustls::{
    ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
    client::{
        Resumption, WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject},
};
use tokio::sync::OnceCell;

/// Network options that no client can be made of.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpSetupError {
    /// `ca_pem` is empty, or holds other things.
    #[error("`ca_pem` (`--cacert`) holds no certificate")]
    NoCertificate,
    /// One of the certificates of `ca_pem` is broken.
    #[error("`ca_pem` (`--cacert`) holds a certificate that cannot be read")]
    Certificate {
        /// What is wrong with it.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// `proxy` is no URL, or of another kind of proxy.
    #[error("`proxy` (`--proxy`) is not an `http` or `https` URL")]
    Proxy,
    /// A detour that the proxy would not take.
    #[error("`connect_to` (`--connect-to`) has no effect through a proxy: leave one of them out")]
    DetourByProxy,
}

/// Makes TLS settings for one exchange at a time.
#[derive(Debug)]
pub(super) struct Trust {
    provider: Arc<CryptoProvider>,
    /// From `ca_pem` at once, from the platform at the first exchange that needs it: a machine
    /// without roots can still run commands, and asks again at the next exchange.
    verifier: OnceCell<Arc<dyn ServerCertVerifier>>,
}

impl Trust {
    pub(super) fn new(ca_pem: Option<&[u8]>) -> Result<Self, HttpSetupError> {
        let provider = Arc::new(ring::default_provider());
        let verifier = ca_pem.map(|pem| given(pem, &provider)).transpose()?;
        Ok(Self { provider, verifier: OnceCell::new_with(verifier) })
    }

    /// Settings that trust nobody, for an exchange without TLS.
    pub(super) fn nobody(&self) -> Result<ClientConfig, rustls::Error> {
        let config = ClientConfig::builder_with_provider(Arc::clone(&self.provider))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(RootCertStore::empty())
            .with_no_client_auth();
        Ok(config)
    }

    /// Settings for an exchange with the server the client calls by its name, or, where the client
    /// is handed a stand-in for an IP address, with `literal`.
    ///
    /// # Errors
    /// The platform has no usable roots.
    pub(super) async fn everyone_known(
        &self,
        literal: Option<ServerName<'static>>,
    ) -> Result<ClientConfig, Box<dyn Error + Send + Sync>> {
        let known = self.verifier.get_or_try_init(|| platform(&self.provider)).await?;
        let named = literal.is_some();
        let verifier = match literal {
            None => Arc::clone(known),
            Some(name) => Arc::new(Named { name, known: Arc::clone(known) }),
        };
        let mut config = ClientConfig::builder_with_provider(Arc::clone(&self.provider))
            .with_safe_default_protocol_versions()?
            .dangerous()
            .with_custom_certificate_verifier(verifier)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        // A ticket would tie runs together, and a stand-in name is shared by many servers.
        config.resumption = Resumption::disabled();
        // Server names are for names only (RFC 6066), so none is sent for a stand-in.
        config.enable_sni = !named;
        Ok(config)
    }
}

/// The platform's roots are read on a thread of the runtime: they are hundreds of files.
async fn platform(
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<dyn ServerCertVerifier>, Box<dyn Error + Send + Sync>> {
    let provider = Arc::clone(provider);
    let verifier =
        tokio::task::spawn_blocking(|| rustls_platform_verifier::Verifier::new(provider)).await??;
    Ok(Arc::new(verifier))
}

fn given(
    pem: &[u8],
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<dyn ServerCertVerifier>, HttpSetupError> {
    let broken = |source: Box<dyn Error + Send + Sync>| HttpSetupError::Certificate { source };
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(|error| broken(error.into()))?;
        roots.add(certificate).map_err(|error| broken(error.into()))?;
    }
    if roots.is_empty() {
        return Err(HttpSetupError::NoCertificate);
    }
    let verifier =
        WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider))
            .build()
            .map_err(|error| broken(error.into()))?;
    Ok(verifier)
}

/// Holds the certificate to `name`, whatever the client calls the server.
#[derive(Debug)]
struct Named {
    name: ServerName<'static>,
    known: Arc<dyn ServerCertVerifier>,
}

impl ServerCertVerifier for Named {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        self.known.verify_server_cert(end_entity, intermediates, &self.name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.known.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.known.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.known.supported_verify_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(pem: &str) -> String {
        Trust::new(Some(pem.as_bytes())).unwrap_err().to_string()
    }

    #[test]
    fn says_what_is_wrong_with_the_certificates() {
        let none = "`ca_pem` (`--cacert`) holds no certificate";
        let broken = "`ca_pem` (`--cacert`) holds a certificate that cannot be read";
        assert_eq!(refused(""), none);
        assert_eq!(refused("-----BEGIN X-----\nAAAA\n-----END X-----\n"), none);
        assert_eq!(refused("-----BEGIN CERTIFICATE-----\nAAAA\n"), broken);
        let pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        assert_eq!(refused(pem), broken);
    }
}
