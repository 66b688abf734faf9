//! Encoded bodies against [`ReqwestHttp`]: what is decoded, how far, and what is refused.
//!
//! The cap counts decoded bytes while they come. A bomb is a body of a gigabyte that travels as a
//! few kilobytes or never ends; what it may cost shows in the bytes the transport had seen when it
//! stopped.
//!
//! [`ReqwestHttp`]: crate::http::ReqwestHttp

use std::{
    io::{Read, Write},
    net::SocketAddr,
};

use flate2::{
    Compression,
    write::{DeflateEncoder, GzEncoder, ZlibEncoder},
};

use super::reqwest::{PATIENT_MS, bytes, check_fault, get, request, send, serve};
use crate::http::{HttpFaultKind, NetworkOptions};

const ENCODINGS: [&str; 4] = ["gzip", "deflate", "br", "zstd"];
/// As some servers understand `deflate`: without the frame of zlib around it.
const BARE: &str = "bare deflate";
/// What the requests of these tests allow.
const CAP: usize = 4096;
/// What a decoder may give at once beyond the cap.
const CHUNK: u64 = 64 * 1024;

fn encode(encoding: &str, body: &[u8]) -> Vec<u8> {
    match encoding {
        "gzip" => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(body).unwrap();
            encoder.finish().unwrap()
        }
        "deflate" => {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(body).unwrap();
            encoder.finish().unwrap()
        }
        BARE => {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(body).unwrap();
            encoder.finish().unwrap()
        }
        "br" => {
            let mut encoded = Vec::new();
            brotli::CompressorReader::new(body, 4096, 5, 18).read_to_end(&mut encoded).unwrap();
            encoded
        }
        "zstd" => zstd::encode_all(body, 1).unwrap(),
        other => panic!("{other}"),
    }
}

/// The start of a stream that decodes to zeros without end, and what is repeated after it: at
/// least 64 KiB of zeros each time.
fn bomb(encoding: &str) -> (Vec<u8>, Vec<u8>) {
    /// Whatever `flush` ends can be repeated: with nothing but zeros before it, each piece finds
    /// the decoder in the state the last one left it in.
    fn pieces(mut encoder: impl Write, written: impl Fn() -> usize) -> [usize; 3] {
        [(); 3].map(|()| {
            encoder.write_all(&[0; 1 << 16]).unwrap();
            encoder.flush().unwrap();
            written()
        })
    }

    /// Where an encoder writes while it is asked how far it is.
    #[derive(Clone, Default)]
    struct Shared(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);
    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    let shared = Shared::default();
    let written = || shared.0.lock().unwrap().len();
    let [first, second, third] = match encoding {
        "gzip" => pieces(GzEncoder::new(shared.clone(), Compression::fast()), written),
        "deflate" => pieces(ZlibEncoder::new(shared.clone(), Compression::fast()), written),
        "br" => pieces(brotli::CompressorWriter::new(shared.clone(), 4096, 5, 18), written),
        // A frame of RFC 8878 with a window of 128 KiB, then blocks of 128 KiB of one byte.
        "zstd" => {
            let header = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38];
            return (header, vec![0x02, 0x00, 0x10, 0x00]);
        }
        other => panic!("{other}"),
    };
    let encoded = shared.0.lock().unwrap().clone();
    let (piece, again) = (&encoded[first..second], &encoded[second..third]);
    assert_eq!(piece, again, "{encoding}");
    (encoded[..first].to_vec(), piece.to_vec())
}

fn encoded(encoding: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let mut answer = format!(
        "HTTP/1.1 200 OK\r\nContent-Encoding: {encoding}\r\nContent-Length: {length}\r\n\r\n"
    )
    .into_bytes();
    answer.extend_from_slice(body);
    answer
}

/// A server that gives this as the body of an answer with this head, and takes it when the client
/// has heard enough.
fn pours(head: &str, body: impl Iterator<Item = Vec<u8>> + Send + 'static) -> SocketAddr {
    let head = head.to_owned();
    serve(move |stream| {
        stream.write_all(head.as_bytes()).unwrap();
        for piece in body {
            if stream.write_all(&piece).is_err() {
                break;
            }
        }
    })
    .0
}

/// Bytes that no encoding makes much shorter.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 7_u32;
    let step = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    };
    std::iter::repeat_with(step).take(length).collect()
}

#[test]
fn each_encoding_is_decoded_and_its_headers_dropped() {
    for encoding in ENCODINGS {
        for body in [b"".to_vec(), b"hello".to_vec(), noise(4000)] {
            let response = get(bytes(encoded(encoding, &encode(encoding, &body)))).unwrap();
            assert_eq!(response.body, body, "{encoding}");
            assert_eq!(response.headers, [], "{encoding}");
        }
    }
}

#[test]
fn the_cap_is_of_decoded_bytes_and_exact() {
    for encoding in ENCODINGS {
        // What is long on the way and what is short alike.
        for body in [noise(CAP + 1), vec![0; CAP + 1]] {
            let exact = encode(encoding, &body[..CAP]);
            let response = get(bytes(encoded(encoding, &exact))).unwrap();
            assert_eq!(response.body.len(), CAP, "{encoding}");
            let over = encode(encoding, &body);
            let fault = get(bytes(encoded(encoding, &over))).unwrap_err();
            assert_eq!(fault.kind, HttpFaultKind::TooLarge, "{encoding} {fault}");
            assert!(fault.after_bytes.is_some_and(|seen| seen > CAP as u64), "{encoding} {fault}");
        }
    }
}

#[test]
fn a_gigabyte_that_travels_as_little_is_cut_while_it_streams() {
    for encoding in ENCODINGS {
        let (mut body, piece) = bomb(encoding);
        let times = (1 << 30) / (1 << 16);
        body.extend(piece.repeat(times));
        // How little is the encoder's choice, and which one it is goes by what else is built in.
        assert!(body.len() < 16 << 20, "{encoding}: {}", body.len());
        let (server, _asked) = serve(move |stream| {
            // The client closes before it has read that.
            let _ = stream.write_all(&encoded(encoding, &body));
        });
        let fault = get(server).unwrap_err();
        assert_eq!(fault.kind, HttpFaultKind::TooLarge, "{encoding} {fault}");
        let seen = fault.after_bytes.unwrap();
        assert!(seen > CAP as u64 && seen <= CAP as u64 + CHUNK, "{encoding} {seen}");
    }
}

#[test]
fn a_body_without_end_is_cut_whatever_it_says_of_its_length() {
    for encoding in ENCODINGS {
        for length in ["", "Content-Length: 9000000000000000000\r\n"] {
            let (start, piece) = bomb(encoding);
            let head = format!("HTTP/1.1 200 OK\r\nContent-Encoding: {encoding}\r\n{length}\r\n");
            let endless = std::iter::once(start).chain(std::iter::repeat(piece.repeat(64)));
            let fault = get(pours(&head, endless)).unwrap_err();
            assert_eq!(fault.kind, HttpFaultKind::TooLarge, "{encoding} {fault}");
            assert!(fault.after_bytes.unwrap() <= CAP as u64 + CHUNK, "{encoding} {fault}");
        }
    }
}

#[test]
fn a_body_that_decodes_to_nothing_ends_with_the_time_of_the_exchange() {
    // Empty blocks of deflate: bytes come without end, and no decoded one among them.
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\n\r\n";
    let empty = [0x00, 0x00, 0x00, 0xff, 0xff].repeat(1000);
    let endless = std::iter::once(vec![0x78, 0x9c]).chain(std::iter::repeat(empty));
    let asked = request("http://a.example/", &[pours(head, endless)], 300);
    check_fault(send(&NetworkOptions::default(), asked), HttpFaultKind::Stall, Some(0));
}

#[test]
fn deflate_is_read_with_and_without_its_frame() {
    for body in [b"<rss/>".to_vec(), noise(2000), vec![b' '; CAP]] {
        for form in ["deflate", BARE] {
            let answer = get(bytes(encoded("deflate", &encode(form, &body)))).unwrap();
            assert_eq!(answer.body, body, "{form}");
        }
    }
    let cut = encode(BARE, &noise(2000));
    let fault = get(bytes(encoded("deflate", &cut[..1000]))).unwrap_err();
    assert_eq!(fault.kind, HttpFaultKind::Decode);
    let bomb = encode(BARE, &vec![0; 1 << 20]);
    let fault = get(bytes(encoded("deflate", &bomb))).unwrap_err();
    assert_eq!(fault.kind, HttpFaultKind::TooLarge);
}

#[test]
fn what_is_cut_or_broken_inside_is_a_decode_fault() {
    for encoding in ENCODINGS {
        let whole = encode(encoding, &noise(2000));
        for left in [1, 8, whole.len() / 2, whole.len() - 1] {
            // The answer is whole, what is in it is not.
            let fault = get(bytes(encoded(encoding, &whole[..left]))).unwrap_err();
            assert_eq!(fault.kind, HttpFaultKind::Decode, "{encoding} {left}: {fault}");
        }
        let fault = get(bytes(encoded(encoding, b"\xff is no start of a stream"))).unwrap_err();
        assert_eq!(fault.kind, HttpFaultKind::Decode, "{encoding}: {fault}");
    }
    // The two that carry a checksum.
    for encoding in ["gzip", "deflate"] {
        let mut corrupt = encode(encoding, b"hello");
        let at = corrupt.len() - if encoding == "gzip" { 8 } else { 4 };
        corrupt[at] ^= 0xff;
        let fault = get(bytes(encoded(encoding, &corrupt))).unwrap_err();
        assert_eq!(fault.kind, HttpFaultKind::Decode, "{encoding}: {fault}");
    }
}

#[test]
fn an_answer_that_ends_before_its_length_is_truncated() {
    for encoding in ENCODINGS {
        let mut answer = encoded(encoding, &encode(encoding, &noise(2000)));
        answer.truncate(answer.len() - 9);
        let fault = get(bytes(answer)).unwrap_err();
        assert_eq!(fault.kind, HttpFaultKind::Truncated, "{encoding}: {fault}");
    }
}

#[test]
fn what_follows_the_end_of_a_stream() {
    // Streams of these are as many as there are (RFC 1952, 2.2; RFC 8878, 3.1).
    for encoding in ["gzip", "zstd"] {
        let two = [encode(encoding, b"one, "), encode(encoding, b"two")].concat();
        assert_eq!(get(bytes(encoded(encoding, &two))).unwrap().body, b"one, two", "{encoding}");
        let more = [encode(encoding, b"hello"), b"garbage".to_vec()].concat();
        check_fault(get(bytes(encoded(encoding, &more))), HttpFaultKind::Decode, Some(5));
    }
    // Of the others nothing follows, and it is no part of the body.
    for encoding in ["deflate", "br"] {
        let more = [encode(encoding, b"hello"), b"garbage".to_vec()].concat();
        assert_eq!(get(bytes(encoded(encoding, &more))).unwrap().body, b"hello", "{encoding}");
    }
}

#[test]
fn a_body_of_no_bytes_is_empty_in_any_encoding() {
    for encoding in ENCODINGS {
        assert_eq!(get(bytes(encoded(encoding, b""))).unwrap().body, b"", "{encoding}");
    }
}

#[test]
fn an_encoding_has_more_than_one_spelling() {
    for spelling in ["GZIP", "x-gzip", "X-Gzip", " gzip ", "identity, gzip", ",gzip,", "gzip,"] {
        let hello = encode("gzip", b"hello");
        let answer = get(bytes(encoded(spelling, &hello))).unwrap();
        assert_eq!(answer.body, b"hello", "{spelling:?}");
    }
    for none in ["identity", "Identity", "", ",", "identity, identity"] {
        assert_eq!(get(bytes(encoded(none, b"hello"))).unwrap().body, b"hello", "{none:?}");
    }
}

#[test]
fn an_encoding_nobody_asked_for_is_refused() {
    let hello = encode("gzip", b"hello");
    // Two headers are one list.
    let two_headers = "gzip\r\nContent-Encoding: gzip";
    for encoding in
        ["compress", "gzip, gzip", "gzip, br", "br,gzip", "aws-chunked", "gzip;q=1", two_headers]
    {
        check_fault(get(bytes(encoded(encoding, &hello))), HttpFaultKind::Decode, None);
    }
    // Of the transfer, only chunks are undone.
    for coding in ["gzip, chunked", "gzip"] {
        let answer = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: {coding}\r\n\r\n0\r\n\r\n");
        check_fault(get(bytes(answer)), HttpFaultKind::Decode, None);
    }
}

#[test]
fn a_window_of_zstd_is_at_most_8_mib() {
    let framed = |window_descriptor| {
        // A frame of RFC 8878 without a length of its content, and a block of five bytes, the last.
        let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, window_descriptor, 0x29, 0x00, 0x00];
        frame.extend_from_slice(b"hello");
        bytes(encoded("zstd", &frame))
    };
    // The exponent, from 1 KiB, stands above three bits of mantissa.
    assert_eq!(get(framed(13 << 3)).unwrap().body, b"hello");
    for larger in [14 << 3, 13 << 3 | 1, 17 << 3, 0xff] {
        check_fault(get(framed(larger)), HttpFaultKind::Decode, Some(0));
    }
}

#[test]
fn what_has_no_body_is_not_decoded() {
    let not_modified = "HTTP/1.1 304 \r\nContent-Encoding: gzip\r\nETag: \"1\"\r\n\r\n";
    let response = get(bytes(not_modified)).unwrap();
    assert_eq!((response.status, response.body.len()), (304, 0));
    assert_eq!(response.headers, [("etag".to_owned(), "\"1\"".to_owned())]);

    // Nor is one missed in an encoding we do not know.
    let server = bytes("HTTP/1.1 200 \r\nContent-Encoding: compress\r\nContent-Length: 9\r\n\r\n");
    let mut head = request("http://a.example/", &[server], PATIENT_MS);
    head.method = "HEAD".to_owned();
    assert_eq!(send(&NetworkOptions::default(), head).unwrap().status, 200);
}
