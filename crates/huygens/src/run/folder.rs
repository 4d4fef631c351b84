//! The folder of a run: who may write into it, and what a resumed run finds there.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use huygens_record::{Checkpoint, Manifest, Outcome, RecordError, checkpoints_clear, latest_checkpoint};

use super::{CHECKPOINTS, MANIFEST, RunError};

/// A checkpoint to continue from.
#[derive(Default)]
pub(super) struct Resumption {
    /// The folder is locked as soon as it is known to hold a run.
    pub lock: Option<FolderLock>,
    /// None where the run was stopped before its first step.
    pub checkpoint: Option<Checkpoint>,
    pub warnings: Vec<String>,
}

/// File in the folder of a run that the run locks; it holds the number of the process.
const LOCK: &str = ".lock";

/// The right to write into a folder, as long as this lives. The system takes it back when the process ends, however it
/// ends; the file stays.
pub(super) struct FolderLock {
    _file: Option<File>,
}

/// Locks a folder that exists, against other runs on this machine.
pub(super) fn lock(folder: &Path) -> Result<FolderLock, RunError> {
    let path = folder.join(LOCK);
    let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
    let mut file = opened.map_err(|source| RecordError::Write { path, source })?;
    match file.try_lock() {
        Ok(()) => {
            // The number is for the message of others only.
            let _ = file.set_len(0).and_then(|()| write!(file, "{}", std::process::id()));
            Ok(FolderLock { _file: Some(file) })
        }
        Err(TryLockError::WouldBlock) => Err(busy(folder, &mut file)),
        // A file system without locks.
        Err(TryLockError::Error(_)) => Ok(FolderLock { _file: None }),
    }
}

/// Refuses a folder that another run writes into; changes nothing.
fn check_idle(folder: &Path) -> Result<(), RunError> {
    let Ok(mut file) = File::open(folder.join(LOCK)) else { return Ok(()) };
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Err(busy(folder, &mut file)),
        _ => Ok(()),
    }
}

fn busy(folder: &Path, file: &mut File) -> RunError {
    let mut pid = String::new();
    let _ = file.rewind().and_then(|()| file.take(20).read_to_string(&mut pid));
    let by = pid.trim().parse::<u32>().map_or(String::new(), |pid| format!(" (process {pid})"));
    let holds = format!("is in use: another run{by} writes into it; wait for that, or choose another --out");
    RunError::Occupied { folder: folder.into(), holds }
}

/// Makes the folder ready for a run from the start, and locks it unless that is done; refuses to destroy what cannot be
/// computed again.
pub(super) fn claim(folder: &Path, force: bool, held: &mut Option<FolderLock>) -> Result<(), RunError> {
    check_contents(folder, force)?;
    std::fs::create_dir_all(folder).map_err(|source| RecordError::Write { path: folder.into(), source })?;
    if held.is_none() {
        *held = Some(lock(folder)?);
    }
    // Another run may have begun and ended since the first look.
    check_contents(folder, force)?;
    checkpoints_clear(&folder.join(CHECKPOINTS))?;
    Ok(())
}

/// Refuses a folder that another run writes into, or in which a run from the start would destroy what cannot be computed
/// again; changes nothing.
pub(super) fn check_free(folder: &Path, force: bool) -> Result<(), RunError> {
    check_idle(folder)?;
    check_contents(folder, force)
}

fn check_contents(folder: &Path, force: bool) -> Result<(), RunError> {
    let occupied = |holds: &str| Err(RunError::Occupied { folder: folder.into(), holds: holds.into() });
    if folder.exists() && !folder.is_dir() {
        return occupied("is a file, not a folder; choose another one with --out");
    }
    let manifest = folder.join(MANIFEST);
    if !force && folder.exists() {
        if manifest.exists() {
            let unfinished = Manifest::read(&manifest).map_or(true, |m| {
                matches!(m.outcome, Outcome::Running | Outcome::Signal | Outcome::WallTime)
                    && !is_unbegun(folder, &m)
            });
            if unfinished {
                return occupied(
                    "contains an unfinished run; continue it with --resume, or replace it with --force",
                );
            }
        } else if !is_empty(folder)? {
            return occupied("contains files that are not from a run; choose another --out, or use --force");
        }
    }
    Ok(())
}

/// Whether a run was stopped before its first step, so that there is nothing to lose and nothing to continue from.
fn is_unbegun(folder: &Path, manifest: &Manifest) -> bool {
    let stopped = matches!(manifest.outcome, Outcome::Signal | Outcome::WallTime);
    stopped && manifest.steps == 0 && is_empty(&folder.join(CHECKPOINTS)).unwrap_or(true)
}

fn is_empty(folder: &Path) -> Result<bool, RecordError> {
    let mut entries =
        std::fs::read_dir(folder).map_err(|source| RecordError::Read { path: folder.into(), source })?;
    Ok(entries.all(|entry| entry.is_ok_and(|entry| entry.file_name() == LOCK)))
}

/// The last sound checkpoint of the run in a folder, checked to belong to a scene.
pub(super) fn resumption(folder: &Path, scene_hash: &str) -> Result<Resumption, RunError> {
    let refuse = |reason: String| RunError::NotResumable { folder: folder.into(), reason };
    let manifest = folder.join(MANIFEST);
    if !manifest.exists() {
        return Err(refuse("it contains no manifest.json".into()));
    }
    let lock = Some(lock(folder)?);
    let manifest = Manifest::read(&manifest)?;
    if manifest.scene_hash != scene_hash {
        return Err(refuse(
            "the scene (or a file it includes, or a parameter) has changed since; restart the run with --force"
                .into(),
        ));
    }
    if is_unbegun(folder, &manifest) {
        return Ok(Resumption { lock, ..Resumption::default() });
    }
    let (checkpoint, path, warnings) = latest_checkpoint(&folder.join(CHECKPOINTS))?;
    if !warnings.is_empty() {
        set_aside_newer(&path)?;
    }
    Ok(Resumption { lock, checkpoint: Some(checkpoint), warnings })
}

/// Renames the refused checkpoints that are newer than the one used, so that they do not count as kept ones.
fn set_aside_newer(used: &Path) -> Result<(), RecordError> {
    let folder = used.parent().unwrap_or(used);
    let entries =
        std::fs::read_dir(folder).map_err(|source| RecordError::Read { path: folder.into(), source })?;
    let newer = entries.flatten().map(|entry| entry.path());
    for path in newer.filter(|p| p.extension() == used.extension() && p.file_name() > used.file_name()) {
        let aside: PathBuf = path.with_extension("damaged");
        std::fs::rename(&path, &aside).map_err(|source| RecordError::Write { path: aside, source })?;
    }
    Ok(())
}
