"""Names for the kinds of values that descriptions accept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ._plain import Named
from ._shortcuts import FunctionShortcuts

Vector: TypeAlias = Sequence[float] | NDArray[np.float64]
"""Numbers."""

Matrix: TypeAlias = Sequence[Vector] | NDArray[np.float64]
"""Rows of numbers."""

Integers: TypeAlias = Sequence[int] | NDArray[np.integer[Any]]
"""Integers."""

IntegerRows: TypeAlias = Sequence[Integers] | NDArray[np.integer[Any]]
"""Rows of integers."""

Ref: TypeAlias = str | Named
"""An object of the world: its name or its handle."""

Law: TypeAlias = Callable[[float, float, float], float]
"""A force of time, coordinate and rate."""

FunctionLike: TypeAlias = float | FunctionShortcuts | Callable[[float], float] | Mapping[str, Any]
"""A function of time: a constant, a `Function`, or a callable."""

DriveLike: TypeAlias = FunctionLike
"""What a motor or a force follows: a function of time, or a signal by ``handle.drive`` or ``Signal.ref(name)``."""
