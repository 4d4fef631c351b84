//! Bytes of a checkpoint: decoded as they are, and again with checksums made right, so that the
//! fuzzer reaches the parser behind them.

#![no_main]

use huygens_record::Checkpoint;
use huygens_record::checkpoint::encode_checkpoint;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    decode_and_encode(bytes.to_vec());
    let chunks = split(bytes);
    let borrowed: Vec<(&str, &[u8])> = chunks.iter().map(|(name, data)| (name.as_str(), *data)).collect();
    let mut sound = Vec::new();
    if encode_checkpoint(&mut sound, 1, &borrowed).is_ok() {
        assert!(decode_and_encode(sound.clone()));
        // One byte changed anywhere must be noticed.
        if let [at, flip, ..] = bytes {
            let at = usize::from(*at) % sound.len();
            sound[at] ^= flip;
            assert_eq!(decode_and_encode(sound), *flip == 0);
        }
    }
});

/// Whether the bytes decode; if so they must encode back to themselves.
fn decode_and_encode(bytes: Vec<u8>) -> bool {
    let Ok(checkpoint) = Checkpoint::decode(bytes.clone()) else {
        return false;
    };
    let chunks: Vec<_> = checkpoint.chunks().collect();
    let mut again = Vec::new();
    encode_checkpoint(&mut again, checkpoint.step(), &chunks).expect("decoded chunks obey the rules");
    assert_eq!(again, bytes);
    true
}

/// Cuts the input into named chunks: a length byte, that many bytes, and so on.
fn split(mut bytes: &[u8]) -> Vec<(String, &[u8])> {
    let mut chunks = Vec::new();
    while let [length, rest @ ..] = bytes {
        let (data, next) = rest.split_at(usize::from(*length).min(rest.len()));
        let name = String::from_utf8_lossy(&data[..data.len().min(7)]).into_owned();
        chunks.push((format!("{}{name}", chunks.len()), data));
        bytes = next;
    }
    chunks
}
