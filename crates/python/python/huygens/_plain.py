"""Arguments as plain numbers, strings, lists and dictionaries, which the extension module accepts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .errors import ModelError

if TYPE_CHECKING:
    from ._huygens import Core


class Spec:
    """A description of an object, with the keys of scene files.

    ``spec`` holds the keys, in the form of a scene file.
    """

    __slots__ = ("spec",)

    _section: ClassVar[str | None] = None
    """The list of a scene whose objects it describes."""

    def __init__(self, **spec: Any) -> None:
        self.spec: dict[str, Any] = {key: value for key, value in spec.items() if value is not None}

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and plain(self) == plain(other)

    def __repr__(self) -> str:
        given = ", ".join(f"{key}={value!r}" for key, value in self.spec.items())
        return f"{type(self).__name__}({given})"

    __hash__ = None  # type: ignore[assignment]


class Named:
    """A named object in a world."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """Its unique name."""
        raise NotImplementedError

    def _world_core(self) -> Core:
        """Return the core of its world."""
        raise NotImplementedError

    def _check_world(self, core: Core) -> None:
        """Refuse to be used in another world, where the name may belong to something else."""
        if self._world_core() is not core:
            message = f"'{self.name}' belongs to another world; use a handle of this world, or a name"
            raise ModelError(message)


def either(key: str, file_key: str, source: Any) -> dict[str, Any]:
    """Return numbers under their key, or the path of a file of them under the key of files."""
    is_path = isinstance(source, str) or hasattr(source, "__fspath__")
    return {file_key if is_path else key: source}


def gathered(whole: Any, given: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return an object that is given as a whole, by its keys, or by both; nothing if nothing is given."""
    keys = whole.spec if isinstance(whole, Spec) else whole or {}
    return {**keys, **{key: value for key, value in given.items() if value is not None}} or None


def plain(value: Any, core: Core | None = None) -> Any:
    """Turn descriptions, handles and arrays into plain objects; callables stay.

    Handles must belong to the world of ``core``, if that is given.
    """
    if isinstance(value, Spec):
        return plain(value.spec, core)
    if isinstance(value, Named):
        if core is not None:
            value._check_world(core)
        return value.name
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(key): plain(item, core) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, core) for item in value]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return value
