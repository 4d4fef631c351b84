"""Exceptions and warnings of Huygens."""

from __future__ import annotations

__all__ = [
    "AssemblyError",
    "ConvergenceError",
    "DivergedError",
    "FileError",
    "FileMissingError",
    "HuygensError",
    "LeftBoundsError",
    "ModelError",
    "SceneError",
    "SimulationWarning",
]


class HuygensError(Exception):
    """Anything that Huygens refuses or fails to do."""


class ModelError(HuygensError, ValueError):
    """An object, a setting or an argument is invalid."""

    section: str | None = None
    """Kind of object, such as ``body``."""
    name: str | None = None
    """Its name."""
    field: str | None = None
    """The wrong key."""


class SceneError(HuygensError, ValueError):
    """A scene file is invalid."""

    file: str | None = None
    """The file."""
    line: int | None = None
    """Line of the wrong place, from 1."""
    column: int | None = None
    """Column of the wrong place, from 1."""
    object: str | None = None
    """The object, such as ``joint 'elbow'``."""


class AssemblyError(ModelError):
    """The joints cannot be assembled in the initial state."""

    time: float | None = None
    """Simulated time [s]."""


class ConvergenceError(HuygensError, ArithmeticError):
    """Newton's method, the contact solver or the search for an equilibrium did not converge."""

    time: float | None = None
    """Simulated time [s]."""
    step: int | None = None
    """Step number."""
    residual: float | None = None
    """What was left."""


class DivergedError(HuygensError, ArithmeticError):
    """A value became infinite or NaN."""

    time: float | None = None
    """Simulated time [s]."""
    step: int | None = None
    """Step number."""
    checkpoint: str | None = None
    """File of the last good state, where one was written."""


class LeftBoundsError(DivergedError):
    """A body left the bounds of the world."""

    body: str | None = None
    """Its name."""
    position: list[float] | None = None
    """Where it is [m]."""


class FileError(HuygensError, OSError):
    """A file cannot be read or written, or does not match."""


class FileMissingError(FileError, FileNotFoundError):
    """There is no such file."""


class SimulationWarning(UserWarning):
    """Something that stops no run but should be known; ``World.warnings`` and the report of a run keep them all.

    ``warnings.filterwarnings("ignore", category=huygens.SimulationWarning)`` silences them, ``"error"`` makes them
    exceptions.
    """
