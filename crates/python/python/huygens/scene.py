"""Scene files and complete runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _huygens

if TYPE_CHECKING:
    import os

__all__ = ["RunReport", "run_scene", "scene_schema"]


class RunReport(NamedTuple):
    """How a run ended."""

    manifest: dict[str, Any]
    """What is in ``manifest.json``."""
    out: Path
    """Folder of the results."""
    checkpoint: Path | None
    """The last checkpoint."""

    @property
    def outcome(self) -> str:
        """How the run ended, such as ``completed``."""
        return str(self.manifest["outcome"])

    @property
    def warnings(self) -> list[str]:
        """What did not stop the run but should be known; each was issued as a `SimulationWarning` as well."""
        return list(self.manifest["warnings"])

    @property
    def state_hash(self) -> str:
        """Hash of the final state."""
        return str(self.manifest["state_hash"])


def run_scene(
    path: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    parameters: Mapping[str, float] | None = None,
    asset_root: str | os.PathLike[str] | None = None,
    until: float | None = None,
    dt: float | None = None,
    threads: int | None = None,
    seed: int | None = None,
    resume: bool = False,
    force: bool = False,
    checkpoint_every: float | None = None,
    max_wall_time: float | None = None,
    progress: Callable[[dict[str, Any]], object] | None = None,
) -> RunReport:
    """Run a scene file into the folder ``out``, as ``huygens run`` does.

    ``progress`` is called about ten times a second with a dictionary of ``event``, ``time``, ``until``, ``step``,
    ``steps_per_second``, ``wall_time`` and ``remaining``. Ctrl-C, and an exception in ``progress``, write a
    checkpoint and stop; ``resume=True`` continues.
    """
    manifest, folder, checkpoint = _huygens.run_scene(
        path,
        out,
        dict(parameters or {}),
        asset_root,
        until,
        dt,
        threads,
        seed,
        resume,
        force,
        checkpoint_every,
        max_wall_time,
        progress,
    )
    return RunReport(manifest, Path(folder), None if checkpoint is None else Path(checkpoint))


def scene_schema() -> dict[str, Any]:
    """Return the JSON Schema of scene files."""
    return _huygens.scene_schema()
