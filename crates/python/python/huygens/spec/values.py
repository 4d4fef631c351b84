"""Values that descriptions are made of: vectors, rotations, frames, solids, functions of time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._plain import Named, Spec

if TYPE_CHECKING:
    from typing_extensions import Self

Vector: TypeAlias = Sequence[float] | NDArray[np.float64]
Matrix: TypeAlias = Sequence[Sequence[float]] | NDArray[np.float64]
Rotation: TypeAlias = Vector | Mapping[str, Any]
Ref: TypeAlias = str | Named
Law: TypeAlias = Callable[[float, float, float], float]

__all__ = ["Frame", "Function", "Integrator", "Rotate", "Solid"]


class Rotate(Spec):
    """A rotation, where a quaternion ``(w, x, y, z)`` would be unhandy."""

    __slots__ = ()

    @classmethod
    def about(cls, axis: Vector, angle: float | None = None, *, degrees: float | None = None) -> Self:
        """Turn about a unit axis by ``angle`` [rad] or ``degrees``."""
        return cls(axis=axis, angle=angle, angle_deg=degrees)

    @classmethod
    def euler(cls, x: float, y: float, z: float) -> Self:
        """Turn about x, the new y and the new z, in degrees."""
        return cls(euler_deg=(x, y, z))


class Frame(Spec):
    """A frame in a body: position [m] and orientation, the latter by ``rotation`` or the direction of its z axis."""

    __slots__ = ()

    def __init__(
        self,
        position: Vector | None = None,
        *,
        rotation: Rotation | Rotate | None = None,
        axis: Vector | None = None,
    ) -> None:
        super().__init__(position=position, rotation=rotation, axis=axis)


class Solid(Spec):
    """A simple solid about the centre of mass that does not collide.

    It gives the inertia, with a density also the mass; what collides is a `Shape`.
    """

    __slots__ = ()

    @classmethod
    def sphere(cls, radius: float) -> Self:
        """Solid ball; radius [m]."""
        return cls(type="sphere", radius=radius)

    @classmethod
    def box(cls, size: Vector) -> Self:
        """Solid block; edge lengths [m]."""
        return cls(type="box", size=size)

    @classmethod
    def cylinder(cls, radius: float, length: float, *, axis: Vector | None = None) -> Self:
        """Solid cylinder along ``axis`` (z); radius and length [m]."""
        return cls(type="cylinder", radius=radius, length=length, axis=axis)

    @classmethod
    def capsule(cls, radius: float, length: float, *, axis: Vector | None = None) -> Self:
        """Cylinder along ``axis`` (z) with half balls at its ends; radius and length between them [m]."""
        return cls(type="capsule", radius=radius, length=length, axis=axis)

    @classmethod
    def rod(cls, length: float, *, radius: float | None = None, axis: Vector | None = None) -> Self:
        """Slender rod along ``axis`` (x); length and radius [m]."""
        return cls(type="rod", length=length, radius=radius, axis=axis)


class Function(Spec):
    """A function of time; a number stands for a constant, a callable for a custom one."""

    __slots__ = ()

    @classmethod
    def constant(cls, value: float) -> Self:
        """Constant value."""
        return cls(type="constant", value=value)

    @classmethod
    def ramp(
        cls,
        slope: float,
        *,
        start_value: float | None = None,
        start_time: float | None = None,
        end_time: float | None = None,
    ) -> Self:
        """Line with ``slope`` per second that starts, and may stop, at given times [s]."""
        return cls(type="ramp", slope=slope, start_value=start_value, start_time=start_time, end_time=end_time)

    @classmethod
    def polynomial(cls, coefficients: Vector) -> Self:
        """Polynomial of time, the constant coefficient first."""
        return cls(type="polynomial", coefficients=coefficients)

    @classmethod
    def sine(
        cls,
        amplitude: float,
        frequency: float,
        *,
        phase: float | None = None,
        offset: float | None = None,
    ) -> Self:
        """``offset + amplitude * sin(2 pi frequency t + phase)``; frequency [Hz]."""
        return cls(type="sine", amplitude=amplitude, frequency=frequency, phase=phase, offset=offset)

    @classmethod
    def step_cycloidal(cls, start: float, duration: float, to: float, *, from_: float = 0.0) -> Self:
        """Cycloidal step that starts at ``start`` [s] and takes ``duration`` [s]."""
        return cls(**{"type": "step_cycloidal", "from": from_, "to": to, "start": start, "duration": duration})

    @classmethod
    def poly345(cls, start: float, duration: float, to: float, *, from_: float = 0.0) -> Self:
        """Polynomial step of third to fifth order that starts at ``start`` [s] and takes ``duration`` [s]."""
        return cls(**{"type": "step_poly345", "from": from_, "to": to, "start": start, "duration": duration})

    @classmethod
    def table(
        cls,
        times: Vector,
        values: Vector,
        *,
        interpolation: Literal["linear", "cubic", "akima"] | None = None,
        extrapolation: Literal["hold", "linear", "periodic"] | None = None,
    ) -> Self:
        """Table of points; times [s]."""
        return cls(
            type="table", times=times, values=values, interpolation=interpolation, extrapolation=extrapolation
        )

    @classmethod
    def sum(cls, *terms: FunctionLike) -> Self:
        """Sum of functions."""
        return cls(type="sum", terms=terms)

    @classmethod
    def product(cls, *factors: FunctionLike) -> Self:
        """Product of functions."""
        return cls(type="product", factors=factors)

    @classmethod
    def composition(cls, outer: FunctionLike, inner: FunctionLike) -> Self:
        """``outer(inner(t))``."""
        return cls(type="composition", outer=outer, inner=inner)

    @classmethod
    def custom(cls, value: Callable[[float], float]) -> Self:
        """Build a function of a callable ``f(t)``; its derivatives are found by differences."""
        return cls(type="custom", callable=value)

    @classmethod
    def custom_with_derivatives(cls, law: Callable[[float], Sequence[float]]) -> Self:
        """Build a function of a callable that returns value, first and second derivative at ``t``."""
        return cls(type="custom", callable=law, derivatives=True)


class Integrator(Spec):
    """The method that moves the state."""

    __slots__ = ()

    @classmethod
    def generalized_alpha(cls, rho: float | None = None) -> Self:
        """Generalized-alpha on the index-3 equations; spectral radius ``rho`` at infinity."""
        return cls(type="generalized_alpha", rho=rho)

    @classmethod
    def hht(cls, alpha: float | None = None) -> Self:
        """Hilber-Hughes-Taylor on the index-3 equations; ``alpha`` from -1/3 to 0."""
        return cls(type="hht", alpha=alpha)

    @classmethod
    def newmark(cls, beta: float | None = None, gamma: float | None = None) -> Self:
        """Newmark on the index-3 equations."""
        return cls(type="newmark", beta=beta, gamma=gamma)

    @classmethod
    def euler(cls) -> Self:
        """Linearly implicit Euler at velocity level, for rigid one-sided constraints."""
        return cls(type="euler")

    @classmethod
    def euler_projected(cls) -> Self:
        """As ``euler``, with positions projected onto the constraints."""
        return cls(type="euler_projected")

    @classmethod
    def rk4(cls) -> Self:
        """Fourth-order Runge-Kutta, for unconstrained systems."""
        return cls(type="rk4")

    @classmethod
    def heun(cls) -> Self:
        """Heun's second-order method, for unconstrained systems."""
        return cls(type="heun")

    @classmethod
    def leapfrog(cls) -> Self:
        """Kick-drift-kick leapfrog, for unconstrained systems."""
        return cls(type="leapfrog")


FunctionLike: TypeAlias = float | Function | Callable[[float], float] | Mapping[str, Any]
DriveLike: TypeAlias = FunctionLike
