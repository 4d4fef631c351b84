"""Settings of a world, as keywords."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from .surfaces import Contact
    from .values import Integrator, Vector

__all__ = ["OutputArguments", "RecordingArguments", "SettingsArguments"]


class RecordingArguments(TypedDict, total=False):
    """The recording of a run."""

    enabled: bool
    """Whether `run_scene` writes one."""
    every: float
    """Interval of frames [s]."""
    budget_mb: float
    """Size the file stays below [MB]."""


class OutputArguments(TypedDict, total=False):
    """What is written while running."""

    every: float
    """Interval of probe rows [s]."""
    checkpoint_every: float
    """Interval of checkpoints [s]."""
    recording: RecordingArguments
    """The recording that viewers and renderers play."""


class SettingsArguments(TypedDict, total=False):
    """Settings of a world."""

    gravity: Vector
    dt: float
    until: float
    integrator: Integrator | str | Mapping[str, Any]
    newton: Mapping[str, Any]
    step_control: Mapping[str, float] | None
    contact: Contact | str | Mapping[str, Any]
    bounds: Sequence[Vector] | None
    assemble: bool
    seed: int
    output: OutputArguments | Mapping[str, Any]
    analysis: str
    load_path: Mapping[str, Any] | None
    modes: Mapping[str, Any] | None
