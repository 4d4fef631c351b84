"""Constructors without a counterpart in scene files; the generated classes of `huygens.spec` build on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._plain import Spec

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._values import FunctionLike, Law, Ref, Vector

__all__ = ["FluidShortcuts", "ForceWithLaw", "FunctionShortcuts", "Rotate", "SignalShortcuts"]


class Rotate(Spec):
    """A rotation, where a quaternion ``(w, x, y, z)`` would be inconvenient."""

    __slots__ = ()

    @classmethod
    def about(cls, axis: Vector, angle: float | None = None, *, degrees: float | None = None) -> Self:
        """Rotate about a unit axis by ``angle`` [rad] or ``degrees``."""
        return cls(axis=axis, angle=angle, angle_deg=degrees)

    @classmethod
    def euler(cls, x: float, y: float, z: float) -> Self:
        """Rotate about x, the new y and the new z, in degrees."""
        return cls(euler_deg=(x, y, z))


class FunctionShortcuts(Spec):
    """Combinations of functions, and callables as functions."""

    __slots__ = ()

    @classmethod
    def sum(cls, *terms: FunctionLike) -> Self:
        """Sum of functions."""
        return cls(type="sum", terms=terms)

    @classmethod
    def product(cls, *factors: FunctionLike) -> Self:
        """Product of functions."""
        return cls(type="product", factors=factors)

    @classmethod
    def custom(cls, value: Callable[[float], float]) -> Self:
        """Build a function from a callable ``f(t)``; its derivatives are found by differences."""
        return cls(type="custom", callable=value)

    @classmethod
    def custom_with_derivatives(cls, law: Callable[[float], Sequence[float]]) -> Self:
        """Build a function from a callable that returns value, first and second derivative at ``t``."""
        return cls(type="custom", callable=law, derivatives=True)


class ForceWithLaw(Spec):
    """A force element whose law may be a callable."""

    __slots__ = ("law",)

    def __init__(self, law: Law | None = None, **spec: Any) -> None:
        super().__init__(**spec)
        self.law = law


class SignalShortcuts(Spec):
    """References to signals."""

    __slots__ = ()

    @staticmethod
    def ref(name: Ref) -> Mapping[str, Any]:
        """Refer to a signal where a motor or a force expects a drive."""
        return {"signal": name}


class FluidShortcuts(Spec):
    """Regions filled with fluid."""

    __slots__ = ()

    @staticmethod
    def box(low: Vector, high: Vector, **fill: Any) -> dict[str, Any]:
        """Return a fill of the axis-aligned box between two corners [m]; ``fill`` has the keys of `FluidFill`."""
        return {"region": {"type": "box", "low": low, "high": high}, **fill}
