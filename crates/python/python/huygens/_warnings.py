"""Warnings of the engine as Python warnings."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from .errors import SimulationWarning

_PACKAGE = str(Path(__file__).parent)


def tell(texts: list[str]) -> None:
    """Issue warnings, at the line outside of this package that led to them."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    for text in texts:
        warnings.warn(text, SimulationWarning, stacklevel=level)
