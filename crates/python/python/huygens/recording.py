"""Recordings: motion as arrays, pictures, files for other programs, and in the browser."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ._huygens import RecordingFile
from ._arguments import vector
from ._plain import plain
from .errors import ModelError
from .viewer import Viewer

if TYPE_CHECKING:
    import os

Array: TypeAlias = NDArray[np.float64]
SingleArray: TypeAlias = NDArray[np.float32]

__all__ = ["ExportReport", "RecordedField", "Recording", "RecordingSummary"]

_FORMATS = {".html": "html", ".glb": "gltf", ".csv": "csv", ".npz": "npz", ".obj": "obj"}
_FOLDER_FORMATS = ("vtk", "povray")


class ExportReport(NamedTuple):
    """Report of an export."""

    files: list[Path]
    """Files written; the one to open comes first."""
    bytes: int
    """Size of all files."""
    notes: list[str]
    """What the format cannot represent and was omitted."""


class RecordingSummary(NamedTuple):
    """Summary of a written recording."""

    frames: int
    """Frames in the file."""
    bytes: int
    """Size of the file."""
    interval: float
    """Final interval between frames [s]."""
    thinned: int
    """Number of times every second frame was dropped to stay below the size limit."""


class RecordedField(NamedTuple):
    """A quantity of every item of a group."""

    unit: str
    """Unit; empty for pure numbers."""
    components: int
    """Numbers per item."""
    constant: bool
    """Whether it is written once instead of in every frame."""


class Recording:
    """A recording of a run, finished or still growing.

    Frames hold the fields of groups such as ``bodies``, ``contacts`` and ``lines`` (ends of springs and ropes).
    Methods that read a frame take a time ``t`` [s], which selects the *nearest* frame, or its ``index`` (negative
    ones count from the end); without either they read the last one. Fields come as float32 arrays of shape
    (items, components), in the order of `names`, which lists all that are there in any frame; the numbers of an item
    that is not there are NaN.
    """

    __slots__ = ("_file",)

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open a file, or the ``run.hrec`` of a run's folder."""
        self._file = RecordingFile(path)

    def __len__(self) -> int:
        return self._file.frame_count

    def __repr__(self) -> str:
        times = self.times
        span = f", {times[0]:.6g} s to {times[-1]:.6g} s" if len(times) else ""
        return f"<Recording '{self.path}': {len(times)} frames{span}{'' if self.finished else ', not finished'}>"

    # What there is

    @property
    def path(self) -> Path:
        """The file."""
        return Path(self._file.path)

    @property
    def name(self) -> str:
        """Name of the run."""
        return self._file.name

    @property
    def frame_count(self) -> int:
        """Number of frames."""
        return self._file.frame_count

    @property
    def finished(self) -> bool:
        """Whether the file is complete; if not, it is being written, or its writer was interrupted."""
        return self._file.finished

    @property
    def bytes(self) -> int:
        """Size of the file."""
        return self._file.bytes

    @property
    def damage(self) -> str | None:
        """Damage after the last frame, if any."""
        return self._file.damage

    @property
    def times(self) -> Array:
        """Times of the frames [s]."""
        return self._file.times()

    @property
    def steps(self) -> NDArray[np.uint64]:
        """Step numbers of the frames."""
        return self._file.steps()

    @property
    def duration(self) -> float:
        """Time from the first to the last frame [s]."""
        times = self.times
        return float(times[-1] - times[0]) if len(times) else 0.0

    @property
    def groups(self) -> list[str]:
        """Names of the groups of items."""
        return self._file.groups()

    def names(self, group: str = "bodies") -> list[str]:
        """Return the names of a group's items; none where they have no names."""
        return self._file.names(group)

    def fields(self, group: str = "bodies") -> dict[str, RecordedField]:
        """Return the fields of a group by name."""
        return {
            name: RecordedField(unit, components, constant)
            for name, unit, components, constant in self._file.fields(group)
        }

    @property
    def scalars(self) -> dict[str, Array]:
        """Quantities with one value per frame: energies, the number of contacts, and probes."""
        names = self._file.scalar_names()
        table = self._file.scalars().reshape(-1, len(names)) if names else np.zeros((len(self), 0))
        return {name: table[:, column].copy() for column, (name, _) in enumerate(names)}

    @property
    def scalar_units(self) -> dict[str, str]:
        """Units of the scalars."""
        return dict(self._file.scalar_names())

    def refresh(self) -> bool:
        """Look for new frames; return whether there are any."""
        return self._file.refresh()

    # Frames

    def index_at(self, t: float) -> int:
        """Return the index of the frame nearest to a time [s]."""
        return self._file.index_at(t)

    def field(
        self, name: str, t: float | None = None, *, group: str = "bodies", index: int | None = None
    ) -> SingleArray:
        """Return a field as it was recorded, (items, components)."""
        values, components = self._file.field(self._frame(t, index), group, name)
        return values.reshape(-1, components)

    def positions(self, t: float | None = None, *, group: str = "bodies", index: int | None = None) -> SingleArray:
        """Return positions [m], (n, 3)."""
        return self.field("position", t, group=group, index=index)

    def rotations(self, t: float | None = None, *, group: str = "bodies", index: int | None = None) -> SingleArray:
        """Return quaternions w, x, y, z, (n, 4), as `World.rotations` has them; the field itself has w last."""
        return np.roll(self.field("rotation", t, group=group, index=index), 1, axis=1)

    def velocities(self, t: float | None = None, *, group: str = "bodies", index: int | None = None) -> SingleArray:
        """Return velocities [m/s], (n, 3)."""
        return self.field("velocity", t, group=group, index=index)

    def _frame(self, t: float | None, index: int | None) -> int:
        count = len(self)
        if t is not None and index is not None:
            message = "a frame is named by a time or by its index, not by both"
            raise ModelError(message)
        if t is not None:
            return self._file.index_at(t)
        found = -1 if index is None else index
        if not -count <= found < count:
            message = f"the recording has {count} frames; frame {found} is not among them"
            raise IndexError(message)
        return found % count

    # Pictures

    def render(
        self,
        path: str | os.PathLike[str] | None = None,
        time: float | None = None,
        size: tuple[int, int] | None = None,
        samples: int | None = None,
        color_by: str | Mapping[str, Any] | None = None,
        view: Mapping[str, Any] | None = None,
        *,
        index: int | None = None,
        threads: int = 0,
    ) -> NDArray[np.uint8]:
        """Make a picture at ``time`` [s], or of the frame ``index``; of the last frame if neither is given.

        Between two frames, positions and rotations are interpolated, as in a film. Return its pixels, (height, width,
        4), and write them to ``path`` as a PNG file if that is given. ``view`` is a render description with the keys of
        a scene's ``[view]``, which it replaces; ``size`` [px] (1280 by 720 by default), ``samples`` (rays per pixel)
        and ``color_by`` (name of a field, or a table) override it. Pixels do not depend on ``threads`` (0: all cores).
        """
        description = self._description(size, samples, color_by, view)
        frame = self._frame(time, index) if time is None or index is not None else 0
        width, height, pixels = self._file.render(frame, time, description, threads, path)
        return pixels.reshape(height, width, 4)

    def film(
        self,
        path: str | os.PathLike[str],
        size: tuple[int, int] | None = None,
        samples: int | None = None,
        color_by: str | Mapping[str, Any] | None = None,
        view: Mapping[str, Any] | None = None,
        *,
        speed: float = 1.0,
        rate: float = 30.0,
        start: float | None = None,
        stop: float | None = None,
        threads: int = 0,
    ) -> int:
        """Make a film, ``.gif`` or (by ffmpeg) ``.mp4``; return the number of its pictures.

        ``speed`` is the simulated time per second of film [s], ``rate`` the number of pictures in it, ``start``
        and ``stop`` are times of the run [s]; the rest is as in `render`.
        """
        description = self._description(size, samples, color_by, view)
        return self._file.film(path, description, speed, rate, start, stop, threads)

    # Other programs

    def export(
        self,
        path: str | os.PathLike[str],
        format: str | None = None,
        *,
        fields: Iterable[str] = (),
        times: Iterable[float] | None = None,
        start: float | None = None,
        stop: float | None = None,
        every: int = 1,
        limit_mb: int = 256,
    ) -> ExportReport:
        """Write the recording for another program, as ``huygens export`` does.

        ``format`` is ``html`` (one file with viewer and data), ``vtk`` (a folder for ParaView), ``gltf`` (``.glb``),
        ``povray`` (a folder), ``csv``, ``npz`` or ``obj`` (surfaces at one time); for files the extension of ``path``
        selects it. ``fields`` such as ``"bodies.position"`` are the columns of a table: all are taken for ``npz`` and
        the scalars for ``csv`` if none is given. ``times`` [s] choose the nearest frames; otherwise every
        ``every``-th frame from ``start`` to ``stop`` [s] is taken. ``limit_mb`` is the largest HTML file [MiB].
        Values are those of the recording, without interpolation, and a file appears only when it is complete.
        """
        kind = _FORMATS.get(Path(path).suffix.lower()) if format is None else format
        if kind not in (*_FORMATS.values(), *_FOLDER_FORMATS):
            known = ", ".join((*_FORMATS.values(), *_FOLDER_FORMATS))
            message = f"cannot tell the format of '{path}'" if format is None else f"there is no format '{format}'"
            message = f"{message}; give one of {known}"
            raise ModelError(message)
        if every < 1:
            message = f"every = {every} is not allowed; 1 takes every frame, 2 every second one"
            raise ModelError(message)
        if times is not None and (start is not None or stop is not None or every != 1):
            message = "frames are chosen by times, or by start, stop and every, not by both"
            raise ModelError(message)
        moments = None if times is None else vector(times, "times", None)
        columns = [_group_and_field(name) for name in fields]
        files, size, notes = self._file.export(path, kind, columns, moments, start, stop, every, limit_mb)
        return ExportReport([Path(file) for file in files], size, notes)

    def view(self, *, port: int = 0, address: str = "127.0.0.1", hosts: Iterable[str] = ()) -> Viewer:
        """Show the recording in the browser: the returned viewer serves it until it is stopped."""
        return Viewer(self.path, port=port, address=address, hosts=hosts)

    def _description(
        self,
        size: tuple[int, int] | None,
        samples: int | None,
        color_by: str | Mapping[str, Any] | None,
        view: Mapping[str, Any] | None,
    ) -> str:
        own = self._file.view or {"title": self.name}
        made: dict[str, Any] = dict(own if view is None else plain(view))
        if size is not None:
            made["size"] = plain(size)
        if samples is not None:
            made["samples"] = plain(samples)
        if isinstance(color_by, str):
            before = made.get("color_by") or {}
            made["color_by"] = {key: before[key] for key in ("component", "map") if key in before}
            made["color_by"]["field"] = color_by
        elif color_by is not None:
            made["color_by"] = plain(color_by)
        return json.dumps(made)


def _group_and_field(name: str) -> tuple[str, str]:
    group, dot, field = name.partition(".")
    if not dot:
        message = f"field '{name}' names no group; write it as 'bodies.{name}'"
        raise ModelError(message)
    return group, field
