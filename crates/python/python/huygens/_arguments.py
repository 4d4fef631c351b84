"""Arguments checked before they reach the engine: numbers of a shape, and objects of the same world."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ._plain import Named
from .errors import ModelError

if TYPE_CHECKING:
    from ._huygens import Core
    from ._values import Ref

Array: TypeAlias = NDArray[np.float64]

__all__ = ["integers", "name_in", "rows", "scalars", "vector"]


def _numbers(value: Any, what: str, expected: str) -> Array:
    """Return an array of finite real numbers of any shape."""
    try:
        array = np.asarray(value)
    except ValueError:
        # Rows of different lengths.
        array = np.asarray(None)
    if array.dtype.kind not in "iuf":
        message = f"{what} must be {expected}, not {_described(value, array)}"
        raise ModelError(message)
    array = np.ascontiguousarray(array, dtype=np.float64).reshape(array.shape)
    wrong = np.argwhere(~np.isfinite(array))
    if len(wrong):
        index = tuple(int(k) for k in wrong[0])
        place = f"{what}[{', '.join(map(str, index))}]" if index else what
        message = f"{place} = {array[index]} is not a finite number"
        raise ModelError(message)
    return array


def _described(value: Any, array: NDArray[Any]) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {array.dtype} with the shape {array.shape}"
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def vector(value: Any, what: str, size: int | None = 3) -> list[float]:
    """Return ``size`` finite numbers, or any number of them."""
    expected = "a list of numbers" if size is None else f"{size} numbers"
    array = _numbers(value, what, expected)
    if array.ndim != 1 or size not in (None, len(array)):
        message = f"{what} must be {expected}, not {_described(value, array)}"
        raise ModelError(message)
    numbers: list[float] = array.tolist()
    return numbers


def rows(value: Any, what: str, *, count: int | None = None) -> Array:
    """Return rows of three numbers, (n, 3); with a ``count`` that many, and three numbers stand for all rows."""
    expected = "an array of shape (n, 3)" if count is None else f"3 numbers, or an array of shape ({count}, 3)"
    array = _numbers(value, what, expected)
    if array.shape == (0,) and count in (None, 0):
        return array.reshape(0, 3)
    if count is not None and array.shape == (3,):
        return np.ascontiguousarray(np.broadcast_to(array, (count, 3)))
    if array.ndim != 2 or array.shape[1] != 3 or count not in (None, len(array)):
        message = f"{what} must be {expected}, not one of shape {array.shape}"
        raise ModelError(message)
    return array


def scalars(value: Any, what: str, count: int) -> Array:
    """Return one number for each of ``count`` objects; a single number stands for all."""
    expected = f"a number, or an array of shape ({count},)"
    array = _numbers(value, what, expected)
    if array.ndim and array.shape != (count,):
        message = f"{what} must be {expected}, not one of shape {array.shape}"
        raise ModelError(message)
    return np.ascontiguousarray(np.broadcast_to(array, (count,)))


def integers(values: Any, what: str) -> list[int]:
    """Return integers that are not negative."""
    try:
        found = [operator.index(value) for value in values]
    except TypeError:
        message = f"{what} must be integers, not {_described(values, np.asarray(values))}"
        raise ModelError(message) from None
    if any(not 0 <= number < 2**64 for number in found):
        message = f"{what} must be integers from 0 to 2**64 - 1"
        raise ModelError(message)
    return found


def name_in(core: Core, ref: Ref) -> str:
    """Return the name of an object, given by name or by a handle of the same world."""
    if isinstance(ref, Named):
        ref._check_world(core)
        return ref.name
    return ref
