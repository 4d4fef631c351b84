"""Meshes of arrays as files, which is what descriptions of shapes refer to."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from .errors import ModelError


_folders: list[tempfile.TemporaryDirectory[str]] = []


def _folder() -> Path:
    """Return the folder of this program's meshes; it goes when the program ends."""
    if not _folders:
        _folders.append(tempfile.TemporaryDirectory(prefix="huygens-meshes-"))
    return Path(_folders[0].name)


def mesh_file(points: Any, triangles: Any) -> str:
    """Write a mesh of points, (n, 3), and triangles, (m, 3); equal meshes share a file."""
    if triangles is None:
        message = "a mesh of points needs `triangles` too"
        raise ModelError(message)
    vertices, faces = np.asarray(points, dtype=np.float64), np.asarray(triangles)
    for what, array, kind in (("points", vertices, "fi"), ("triangles", faces, "iu")):
        if array.ndim != 2 or array.shape[1] != 3 or array.dtype.kind not in kind:
            message = f"the {what} of a mesh must be rows of three numbers, not {array.dtype} of shape {array.shape}"
            raise ModelError(message)
    if not np.isfinite(vertices).all():
        row = int(np.argmin(np.isfinite(vertices).all(axis=1)))
        message = f"point {row} of the mesh is {vertices[row].tolist()}; finite numbers are needed"
        raise ModelError(message)
    wrong = ((faces < 0) | (faces >= len(vertices))).any(axis=1)
    if wrong.any():
        row = int(np.argmax(wrong))
        message = f"triangle {row} of the mesh is {faces[row].tolist()}, but there are {len(vertices)} points"
        raise ModelError(message)
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (faces.astype(np.int64) + 1).tolist()]
    text = "\n".join(lines) + "\n"
    path = _folder() / f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.obj"
    if not path.exists():
        path.write_text(text)
    return str(path)
