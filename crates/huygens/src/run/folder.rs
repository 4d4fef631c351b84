//! The folder of a run: who may write into it, and what a resumed run finds there.

use std::path::{Path, PathBuf};

use huygens_record::{Checkpoint, Manifest, Outcome, RecordError, checkpoints_clear, latest_checkpoint};

use super::{CHECKPOINTS, MANIFEST, RunError};

/// A checkpoint to continue from.
pub(super) struct Resumption {
    pub checkpoint: Checkpoint,
    pub warnings: Vec<String>,
}

/// Makes the folder ready for a run from the start; refuses to destroy what cannot be computed again.
pub(super) fn claim(folder: &Path, force: bool) -> Result<(), RunError> {
    check_free(folder, force)?;
    std::fs::create_dir_all(folder).map_err(|source| RecordError::Write { path: folder.into(), source })?;
    checkpoints_clear(&folder.join(CHECKPOINTS))?;
    Ok(())
}

/// Refuses a folder in which a run from the start would destroy what cannot be computed again; changes nothing.
pub(super) fn check_free(folder: &Path, force: bool) -> Result<(), RunError> {
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
    Ok(entries.next().is_none())
}

/// The last sound checkpoint of the run in a folder, checked to belong to a scene; none where the run was stopped before
/// its first step.
pub(super) fn resumption(folder: &Path, scene_hash: &str) -> Result<Option<Resumption>, RunError> {
    let refuse = |reason: String| RunError::NotResumable { folder: folder.into(), reason };
    let manifest = folder.join(MANIFEST);
    if !manifest.exists() {
        return Err(refuse("it contains no manifest.json".into()));
    }
    let manifest = Manifest::read(&manifest)?;
    if manifest.scene_hash != scene_hash {
        return Err(refuse(
            "the scene (or a file it includes, or a parameter) has changed since; restart the run with --force"
                .into(),
        ));
    }
    if is_unbegun(folder, &manifest) {
        return Ok(None);
    }
    let (checkpoint, path, warnings) = latest_checkpoint(&folder.join(CHECKPOINTS))?;
    if !warnings.is_empty() {
        set_aside_newer(&path)?;
    }
    Ok(Some(Resumption { checkpoint, warnings }))
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
