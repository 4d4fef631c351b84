"""Values that descriptions are made of: frames, solids that give mass, functions of time.

Generated from the schema of scene files by `cargo xtask generate`; changes are lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._plain import Spec
from .._shortcuts import FunctionShortcuts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal

    from typing_extensions import Self

    from .._shortcuts import Rotate
    from .._values import FunctionLike, Vector

__all__ = [
    "Frame",
    "Function",
    "InertiaEntries",
    "Motion",
    "Region",
    "Solid",
]


class Frame(Spec):
    """A frame: position and orientation, the latter by ``rotation`` or by the direction ``axis`` of its z axis."""

    __slots__ = ()

    def __init__(
        self,
        position: Vector | None = None,
        *,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
    ) -> None:
        """Build the description.

        Args:
            position: Position of the origin [m].
            rotation: Orientation.
            axis: Direction of the z axis, a unit vector; instead of ``rotation``.
        """
        super().__init__(position=position, rotation=rotation, axis=axis)


class Solid(Spec):
    """A simple solid about the centre of mass that never collides: it gives the inertia, with a ``density`` also
    the mass, and a picture. What collides is a ``Shape``.
    """

    __slots__ = ()

    @classmethod
    def sphere(cls, radius: float) -> Self:
        """Solid ball.

        Args:
            radius: Radius [m].
        """
        return cls(type="sphere", radius=radius)

    @classmethod
    def box(cls, size: Vector) -> Self:
        """Solid block.

        Args:
            size: Edge lengths along x, y, z [m].
        """
        return cls(type="box", size=size)

    @classmethod
    def cylinder(cls, radius: float, length: float, *, axis: Vector | None = None) -> Self:
        """Solid cylinder.

        Args:
            radius: Radius [m].
            length: Length [m].
            axis: Direction in the body frame, a unit vector. Default: ``(0, 0, 1)``.
        """
        return cls(type="cylinder", radius=radius, length=length, axis=axis)

    @classmethod
    def capsule(cls, radius: float, length: float, *, axis: Vector | None = None) -> Self:
        """Cylinder with hemispheres at its ends.

        Args:
            radius: Radius [m].
            length: Length of the cylinder between the spheres [m].
            axis: Direction in the body frame, a unit vector. Default: ``(0, 0, 1)``.
        """
        return cls(type="capsule", radius=radius, length=length, axis=axis)

    @classmethod
    def rod(cls, length: float, *, radius: float | None = None, axis: Vector | None = None) -> Self:
        """Slender rod: a cylinder whose radius is small; needs a ``mass``, or a ``radius`` for a ``density``.

        Args:
            length: Length [m].
            radius: Radius [m]. Default: 1/50 of the length.
            axis: Direction in the body frame, a unit vector. Default: ``(1, 0, 0)``.
        """
        return cls(type="rod", length=length, radius=radius, axis=axis)


class Function(FunctionShortcuts):
    """Function of time; in a scene file a bare number is a constant, anything else an object with a ``type``."""

    __slots__ = ()

    @classmethod
    def constant(cls, value: float) -> Self:
        """Constant value.

        Args:
            value: Value.
        """
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
        """Line that starts, and may stop, at given times: ``y = y₀ + k (clamp(t, t₀, t₁) − t₀)``.

        Args:
            slope: Slope, per second.
            start_value: Value until the start time. Default: ``0``.
            start_time: Time at which the line starts [s]. Default: ``0``.
            end_time: Time from which the value is held [s]; never if absent.
        """
        return cls(type="ramp", slope=slope, start_value=start_value, start_time=start_time, end_time=end_time)

    @classmethod
    def polynomial(cls, coefficients: Vector) -> Self:
        """Polynomial ``Σ c_i tⁱ``.

        Args:
            coefficients: Coefficients, the constant one first.
        """
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
        """Harmonic ``y = o + A sin(2π f t + φ)``.

        Args:
            amplitude: Amplitude.
            frequency: Frequency [Hz].
            phase: Phase [rad]. Default: ``0``.
            offset: Mean value. Default: ``0``.
        """
        return cls(type="sine", amplitude=amplitude, frequency=frequency, phase=phase, offset=offset)

    @classmethod
    def step_cycloidal(cls, start: float, duration: float, to: float, *, from_: float = 0.0) -> Self:
        """Cycloidal step ``τ − sin(2πτ)/2π``: rate and acceleration vanish at both ends.

        Args:
            start: Time at which it starts [s].
            duration: Time it takes [s].
            to: Value after the step.
            from_: Value before the step. Default: ``0.0``.
        """
        return cls(type="step_cycloidal", to=to, start=start, duration=duration, **{"from": from_})

    @classmethod
    def step_poly345(cls, start: float, duration: float, to: float, *, from_: float = 0.0) -> Self:
        """Polynomial step ``10τ³ − 15τ⁴ + 6τ⁵``: rate and acceleration vanish at both ends.

        Args:
            start: Time at which it starts [s].
            duration: Time it takes [s].
            to: Value after the step.
            from_: Value before the step. Default: ``0.0``.
        """
        return cls(type="step_poly345", to=to, start=start, duration=duration, **{"from": from_})

    @classmethod
    def table(
        cls,
        times: Vector,
        values: Vector,
        *,
        interpolation: Literal["linear", "cubic", "akima"] | None = None,
        extrapolation: Literal["hold", "linear", "periodic"] | None = None,
    ) -> Self:
        """Table of points.

        Args:
            times: Times [s], strictly increasing.
            values: Values, as many as times.
            interpolation: How to fill between the points. Default: ``"linear"``.
            extrapolation: What happens outside the points. Default: ``"hold"``.
        """
        return cls(type="table", times=times, values=values, interpolation=interpolation, extrapolation=extrapolation)

    @classmethod
    def composition(cls, outer: FunctionLike, inner: FunctionLike) -> Self:
        """Composition ``outer(inner(t))``.

        Args:
            outer: Function applied last.
            inner: Function of time applied first.
        """
        return cls(type="composition", outer=outer, inner=inner)


class Region(Spec):
    """A region of space."""

    __slots__ = ()

    @classmethod
    def box(cls, low: Vector, high: Vector) -> Self:
        """Box along the axes.

        Args:
            low: Lowest corner [m].
            high: Highest corner [m].
        """
        return cls(type="box", low=low, high=high)

    @classmethod
    def cylinder(cls, base: Vector, radius: float, height: float, *, axis: Vector | None = None) -> Self:
        """Cylinder.

        Args:
            base: Centre of one end [m].
            radius: Radius [m].
            height: Height [m].
            axis: Direction of its axis, from this end on. Default: ``(0, 0, 1)``.
        """
        return cls(type="cylinder", base=base, radius=radius, height=height, axis=axis)

    @classmethod
    def sphere(cls, center: Vector, radius: float) -> Self:
        """Ball.

        Args:
            center: Centre [m].
            radius: Radius [m].
        """
        return cls(type="sphere", center=center, radius=radius)

    @classmethod
    def cone(cls, base: Vector, radii: Vector, height: float, *, axis: Vector | None = None) -> Self:
        """Cone, or a part of one between two circles.

        Args:
            base: Centre of one end [m].
            radii: Radii at this end and at the other [m]; one may be 0.
            height: Height [m].
            axis: Direction of its axis, from this end on. Default: ``(0, 0, 1)``.
        """
        return cls(type="cone", base=base, radii=radii, height=height, axis=axis)


class Motion(Spec):
    """A prescribed motion relative to the body's pose at the start."""

    __slots__ = ()

    def __init__(
        self,
        *,
        translation: Sequence[FunctionLike] | None = None,
        axis: Vector | None = None,
        angle: FunctionLike | None = None,
    ) -> None:
        """Build the description.

        Args:
            translation: Displacement along the world axes [m], functions of time.
            axis: Axis of rotation through the body's origin, world axes at the start, a unit vector.
                Default: ``(0, 0, 1)``.
            angle: Angle about ``axis`` [rad], a function of time.
        """
        super().__init__(translation=translation, axis=axis, angle=angle)


class InertiaEntries(Spec):
    """"""

    __slots__ = ()

    def __init__(
        self,
        xx: float,
        yy: float,
        zz: float,
        *,
        xy: float | None = None,
        xz: float | None = None,
        yz: float | None = None,
    ) -> None:
        """Build the description.

        Args:
            xx: Moment about x [kg·m²].
            yy: Moment about y [kg·m²].
            zz: Moment about z [kg·m²].
            xy: Tensor entry xy [kg·m²]. Default: ``0``.
            xz: Tensor entry xz [kg·m²]. Default: ``0``.
            yz: Tensor entry yz [kg·m²]. Default: ``0``.
        """
        super().__init__(xx=xx, yy=yy, zz=zz, xy=xy, xz=xz, yz=yz)
