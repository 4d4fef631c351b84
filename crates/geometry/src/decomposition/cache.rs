//! The file next to a mesh that caches its convex hulls.
//!
//! Little-endian: a mark of 8 bytes, the key (blake3 of method, settings and mesh file, 32 bytes), the
//! number of hulls (u32), for each the number of vertices (u32) and their coordinates (f64), and at
//! the end the blake3 of all before.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use glam::DVec3;

use super::DecompositionSettings;

const MARK: &[u8; 8] = b"HYHULLS1";
/// Changes when the same mesh and settings would give other hulls.
const METHOD: &[u8] = b"vhacd, parry 0.31, method 1";
const HASH: usize = 32;
/// Largest size of a cache [bytes]: ample for 256 hulls of 1024 vertices.
const MOST_BYTES: u64 = 16 << 20;

/// The reason why the hulls in a cache were not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheFault {
    /// The mesh, the settings or the version of the method have changed.
    Stale,
    /// The file is truncated, altered or not a cache.
    Damaged,
}

/// The outcome of using the cache of a convex decomposition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CacheUse {
    /// The hulls were read from it.
    Reused,
    /// There was no cache; it was written.
    Written,
    /// It could not be used and was rewritten.
    Replaced(CacheFault),
    /// The hulls were computed but could not be stored.
    NotWritten(String),
}

/// The cache of one mesh file and one set of settings.
pub(super) struct Cache {
    path: PathBuf,
    key: [u8; HASH],
}

impl Cache {
    pub(super) fn new(mesh: &Path, content: &[u8], settings: &DecompositionSettings) -> Self {
        let mut name = mesh.file_name().unwrap_or_default().to_owned();
        name.push(".hulls");
        let format = mesh.extension().unwrap_or_default().to_ascii_lowercase();
        let DecompositionSettings { resolution, concavity, max_hulls, max_vertices } = settings;
        let mut hasher = blake3::Hasher::new();
        for part in [
            METHOD,
            &resolution.to_le_bytes(),
            &concavity.to_le_bytes(),
            &max_hulls.to_le_bytes(),
            &max_vertices.to_le_bytes(),
            format.as_encoded_bytes(),
            b"\0",
            content,
        ] {
            hasher.update(part);
        }
        Self { path: mesh.with_file_name(name), key: *hasher.finalize().as_bytes() }
    }

    /// Vertices of the hulls; `Err(None)` where there is no cache.
    pub(super) fn read(&self) -> Result<Vec<Vec<DVec3>>, Option<CacheFault>> {
        let mut bytes = Vec::new();
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(None),
            Err(_) => return Err(Some(CacheFault::Damaged)),
        };
        file.take(MOST_BYTES).read_to_end(&mut bytes).map_err(|_| Some(CacheFault::Damaged))?;
        self.decode(&bytes).map_err(Some)
    }

    fn decode(&self, bytes: &[u8]) -> Result<Vec<Vec<DVec3>>, CacheFault> {
        let body = bytes.len().checked_sub(HASH).ok_or(CacheFault::Damaged)?;
        let (body, checksum) = bytes.split_at(body);
        if blake3::hash(body).as_bytes() != checksum {
            return Err(CacheFault::Damaged);
        }
        let mut rest = body.strip_prefix(MARK).ok_or(CacheFault::Damaged)?;
        let key: [u8; HASH] = take(&mut rest)?;
        if key != self.key {
            return Err(CacheFault::Stale);
        }
        let count = u32::from_le_bytes(take(&mut rest)?);
        let mut hulls = Vec::new();
        for _ in 0..count {
            let vertices = u32::from_le_bytes(take(&mut rest)?);
            let mut hull = Vec::new();
            for _ in 0..vertices {
                let mut number = || take(&mut rest).map(f64::from_le_bytes);
                hull.push(DVec3::new(number()?, number()?, number()?));
            }
            hulls.push(hull);
        }
        if rest.is_empty() { Ok(hulls) } else { Err(CacheFault::Damaged) }
    }

    fn encode(&self, hulls: &[Vec<DVec3>]) -> Vec<u8> {
        let mut bytes = MARK.to_vec();
        bytes.extend(self.key);
        bytes.extend((hulls.len() as u32).to_le_bytes());
        for hull in hulls {
            bytes.extend((hull.len() as u32).to_le_bytes());
            bytes.extend(hull.iter().flat_map(|v| v.to_array()).flat_map(f64::to_le_bytes));
        }
        let checksum = blake3::hash(&bytes);
        bytes.extend(checksum.as_bytes());
        bytes
    }

    /// Writes under a temporary name and renames, so that no reader sees a partial file.
    pub(super) fn write(&self, hulls: &[Vec<DVec3>], fault: Option<CacheFault>) -> CacheUse {
        static SEQUENCE: AtomicU64 = AtomicU64::new(0);
        let sequence = SEQUENCE.fetch_add(1, Ordering::Relaxed);
        let mut temporary = self.path.clone().into_os_string();
        temporary.push(format!(".{}-{sequence}.tmp", std::process::id()));
        let attempt = || -> io::Result<()> {
            let mut file = File::create(&temporary)?;
            file.write_all(&self.encode(hulls))?;
            file.sync_all()?;
            fs::rename(&temporary, &self.path)
        };
        match attempt() {
            Ok(()) => fault.map_or(CacheUse::Written, CacheUse::Replaced),
            Err(error) => {
                // Best effort: the first error is the one worth telling.
                let _ = fs::remove_file(&temporary);
                CacheUse::NotWritten(error.to_string())
            }
        }
    }
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], CacheFault> {
    let (head, tail) = rest.split_first_chunk::<N>().ok_or(CacheFault::Damaged)?;
    *rest = tail;
    Ok(*head)
}
