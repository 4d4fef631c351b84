"""What a world is made of: bodies, joints, motors, couplings, forces, shafts, signals, probes.

Every class builds the description that a scene file would hold, with the same keys, defaults and checks.
Quantities are in SI units, angles in radians unless a key ends in ``_deg``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

from ._plain import Named, Spec

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

Vector: TypeAlias = Sequence[float] | NDArray[np.float64]
Matrix: TypeAlias = Sequence[Sequence[float]] | NDArray[np.float64]
Rotation: TypeAlias = Vector | Mapping[str, Any]
Ref: TypeAlias = str | Named
Law: TypeAlias = Callable[[float, float, float], float]

__all__ = [
    "Body",
    "Coupling",
    "Force",
    "Frame",
    "Function",
    "Integrator",
    "Joint",
    "Limit",
    "Motor",
    "Probe",
    "Rotate",
    "Sensor",
    "Shaft",
    "Shape",
    "Signal",
]


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


class Shape(Spec):
    """A simple solid about the centre of mass: it gives the inertia, with a density also the mass."""

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


class BodyArguments(TypedDict, total=False):
    """What every body may be given."""

    name: str
    position: Vector
    rotation: Rotation | Rotate
    shape: Shape | Mapping[str, Any]
    center_of_mass: Vector
    markers: Mapping[str, Frame | Mapping[str, Any]]
    mass: float
    density: float
    inertia: Vector | Matrix | Mapping[str, float]
    velocity: Vector
    angular_velocity: Vector
    angular_velocity_body: Vector


class Body(Spec):
    """A rigid body."""

    __slots__ = ()

    @classmethod
    def dynamic(cls, **body: Unpack[BodyArguments]) -> Self:
        """Build a body that forces move.

        It needs ``mass`` [kg] with ``inertia`` [kg·m²] or a ``shape``, or ``density`` [kg/m³] with a ``shape``.
        """
        return cls(kind="dynamic", **body)

    @classmethod
    def fixed(cls, **body: Unpack[BodyArguments]) -> Self:
        """Build a body that never moves."""
        return cls(kind="fixed", **body)

    @classmethod
    def kinematic(
        cls,
        *,
        translation: Sequence[FunctionLike] | None = None,
        angle: FunctionLike | None = None,
        axis: Vector | None = None,
        motion: Mapping[str, Any] | None = None,
        **body: Unpack[BodyArguments],
    ) -> Self:
        """Build a body that moves as prescribed.

        ``translation`` are three functions of time [m] along the world axes, ``angle`` is one [rad] about ``axis``;
        or ``motion`` holds all three.
        """
        given = {"translation": translation, "angle": angle, "axis": axis}
        given = {key: value for key, value in given.items() if value is not None}
        return cls(kind="kinematic", motion={**(motion or {}), **given} or None, **body)


class Limit(Spec):
    """Bounds of a joint coordinate [m or rad].

    Without ``stiffness`` a bound is rigid and needs one of the Euler integrators.
    """

    __slots__ = ()

    def __init__(
        self,
        lower: float | None = None,
        upper: float | None = None,
        *,
        coordinate: str | None = None,
        lower_deg: float | None = None,
        upper_deg: float | None = None,
        stiffness: float | None = None,
        damping: float | None = None,
        restitution: float | None = None,
    ) -> None:
        super().__init__(
            lower=lower,
            upper=upper,
            coordinate=coordinate,
            lower_deg=lower_deg,
            upper_deg=upper_deg,
            stiffness=stiffness,
            damping=damping,
            restitution=restitution,
        )


class PlaceArguments(TypedDict, total=False):
    """Name and place of a joint.

    The place is given in the world by ``position`` and ``axis`` (its z axis) or ``rotation``, for both bodies at
    once, or by frames in the bodies.
    """

    name: str
    position: Vector
    axis: Vector
    rotation: Rotation | Rotate
    frame_a: Frame | Mapping[str, Any]
    frame_b: Frame | Mapping[str, Any]


class JointArguments(PlaceArguments, total=False):
    """Name, place and limits of a joint with coordinates."""

    limits: Sequence[Limit | Mapping[str, Any]]


class Joint(Spec):
    """A joint between body ``a`` (the base) and body ``b``; either may be ``"ground"``."""

    __slots__ = ()

    @classmethod
    def fixed(cls, a: Ref, b: Ref, **joint: Unpack[PlaceArguments]) -> Self:
        """No relative motion."""
        return cls(type="fixed", a=a, b=b, **joint)

    @classmethod
    def revolute(cls, a: Ref, b: Ref, **joint: Unpack[JointArguments]) -> Self:
        """Rotation about z; coordinate ``angle``."""
        return cls(type="revolute", a=a, b=b, **joint)

    @classmethod
    def prismatic(cls, a: Ref, b: Ref, **joint: Unpack[JointArguments]) -> Self:
        """Translation along z; coordinate ``displacement``."""
        return cls(type="prismatic", a=a, b=b, **joint)

    @classmethod
    def cylindrical(cls, a: Ref, b: Ref, **joint: Unpack[JointArguments]) -> Self:
        """Rotation about and translation along z; coordinates ``angle``, ``displacement``."""
        return cls(type="cylindrical", a=a, b=b, **joint)

    @classmethod
    def spherical(cls, a: Ref, b: Ref, **joint: Unpack[PlaceArguments]) -> Self:
        """Rotation about the common point."""
        return cls(type="spherical", a=a, b=b, **joint)

    @classmethod
    def planar(cls, a: Ref, b: Ref, **joint: Unpack[JointArguments]) -> Self:
        """Translation in the x-y plane and rotation about z; coordinates ``x``, ``y``, ``angle``."""
        return cls(type="planar", a=a, b=b, **joint)

    @classmethod
    def universal(cls, a: Ref, b: Ref, **joint: Unpack[JointArguments]) -> Self:
        """Rotation about x of A and y of B; coordinates ``angle_a``, ``angle_b``."""
        return cls(type="universal", a=a, b=b, **joint)

    @classmethod
    def constant_velocity(cls, a: Ref, b: Ref, **joint: Unpack[PlaceArguments]) -> Self:
        """Two rotations with equal speeds of both shafts along z."""
        return cls(type="constant_velocity", a=a, b=b, **joint)

    @classmethod
    def point_on_line(cls, a: Ref, b: Ref, **joint: Unpack[JointArguments]) -> Self:
        """B's point stays on A's z axis; coordinate ``displacement``."""
        return cls(type="point_on_line", a=a, b=b, **joint)

    @classmethod
    def point_on_plane(cls, a: Ref, b: Ref, **joint: Unpack[JointArguments]) -> Self:
        """B's point stays in A's x-y plane; coordinates ``x``, ``y``."""
        return cls(type="point_on_plane", a=a, b=b, **joint)

    @classmethod
    def point_on_curve(
        cls, a: Ref, b: Ref, *, points: Matrix, closed: bool | None = None, **joint: Unpack[PlaceArguments]
    ) -> Self:
        """B's point stays on the spline through ``points`` [m] in A's axes."""
        return cls(type="point_on_curve", a=a, b=b, points=points, closed=closed, **joint)

    @classmethod
    def parallel_axes(cls, a: Ref, b: Ref, **joint: Unpack[JointArguments]) -> Self:
        """The z axes stay parallel; coordinates ``x``, ``y``, ``z``, ``angle``."""
        return cls(type="parallel_axes", a=a, b=b, **joint)

    @classmethod
    def perpendicular_axes(cls, a: Ref, b: Ref, **joint: Unpack[PlaceArguments]) -> Self:
        """A's z axis stays perpendicular to B's z axis."""
        return cls(type="perpendicular_axes", a=a, b=b, **joint)

    @classmethod
    def distance(cls, a: Ref, b: Ref, *, length: float | None = None, **joint: Unpack[PlaceArguments]) -> Self:
        """Two points keep their distance ``length`` [m], the one at the start if absent."""
        return cls(type="distance", a=a, b=b, length=length, **joint)

    @classmethod
    def revolute_spherical(
        cls, a: Ref, b: Ref, *, length: float | None = None, **joint: Unpack[PlaceArguments]
    ) -> Self:
        """A massless link of ``length`` [m] with a revolute joint at A and a ball at B."""
        return cls(type="revolute_spherical", a=a, b=b, length=length, **joint)

    @classmethod
    def revolute_translational(
        cls, a: Ref, b: Ref, *, offset: float | None = None, **joint: Unpack[PlaceArguments]
    ) -> Self:
        """A massless link with a revolute joint at A that slides along B's x axis at ``offset`` [m]."""
        return cls(type="revolute_translational", a=a, b=b, offset=offset, **joint)

    @classmethod
    def screw(cls, a: Ref, b: Ref, *, pitch: float, **joint: Unpack[JointArguments]) -> Self:
        """Rotation about z coupled to translation along z; ``pitch`` [m per turn]."""
        return cls(type="screw", a=a, b=b, pitch=pitch, **joint)

    @classmethod
    def generic(
        cls,
        a: Ref,
        b: Ref,
        *,
        lock: Sequence[Literal["x", "y", "z", "rx", "ry", "rz"]],
        **joint: Unpack[JointArguments],
    ) -> Self:
        """Fix the freedoms in ``lock``."""
        return cls(type="generic", a=a, b=b, lock=lock, **joint)

    @classmethod
    def trajectory(
        cls,
        a: Ref,
        b: Ref,
        *,
        translation: Sequence[FunctionLike] | None = None,
        angle: FunctionLike | None = None,
        motion_axis: Vector | None = None,
        **joint: Unpack[PlaceArguments],
    ) -> Self:
        """B follows a motion in A's axes: ``translation`` [m], ``angle`` [rad] about ``motion_axis`` (z)."""
        return cls(
            type="trajectory",
            a=a,
            b=b,
            translation=translation,
            angle=angle,
            motion_axis=motion_axis,
            **joint,
        )


class MotorArguments(TypedDict, total=False):
    """Name of a motor, and the coordinate of the joint if it has several."""

    name: str
    coordinate: str
    shaft: Ref


class Motor(Spec):
    """A motor on a joint coordinate, or on a shaft with ``shaft=``."""

    __slots__ = ()

    @classmethod
    def angle(cls, joint: Ref | None = None, drive: FunctionLike = 0.0, **motor: Unpack[MotorArguments]) -> Self:
        """Prescribe the angle [rad] by a function of time."""
        return cls(type="angle", joint=joint, drive=drive, **motor)

    @classmethod
    def position(cls, joint: Ref | None = None, drive: FunctionLike = 0.0, **motor: Unpack[MotorArguments]) -> Self:
        """Prescribe the displacement [m] by a function of time."""
        return cls(type="position", joint=joint, drive=drive, **motor)

    @classmethod
    def speed(cls, joint: Ref | None = None, drive: DriveLike = 0.0, **motor: Unpack[MotorArguments]) -> Self:
        """Prescribe the speed [rad/s or m/s]."""
        return cls(type="speed", joint=joint, drive=drive, **motor)

    @classmethod
    def torque(cls, joint: Ref | None = None, drive: DriveLike = 0.0, **motor: Unpack[MotorArguments]) -> Self:
        """Prescribe the torque [N·m]."""
        return cls(type="torque", joint=joint, drive=drive, **motor)

    @classmethod
    def force(cls, joint: Ref | None = None, drive: DriveLike = 0.0, **motor: Unpack[MotorArguments]) -> Self:
        """Prescribe the force [N]."""
        return cls(type="force", joint=joint, drive=drive, **motor)


class Coupling(Spec):
    """A relation of joint coordinates and shaft angles."""

    __slots__ = ()

    @classmethod
    def gear(
        cls,
        joint_a: Ref,
        joint_b: Ref,
        *,
        name: str | None = None,
        radius_a: float | None = None,
        radius_b: float | None = None,
        teeth_a: int | None = None,
        teeth_b: int | None = None,
        ratio: float | None = None,
        internal: bool | None = None,
        pressure_angle_deg: float | None = None,
        helix_angle_deg: float | None = None,
    ) -> Self:
        """Pair of spur or helical gears; radii [m] make tooth forces act at the pitch point."""
        return cls(
            type="gear",
            joint_a=joint_a,
            joint_b=joint_b,
            name=name,
            radius_a=radius_a,
            radius_b=radius_b,
            teeth_a=teeth_a,
            teeth_b=teeth_b,
            ratio=ratio,
            internal=internal,
            pressure_angle_deg=pressure_angle_deg,
            helix_angle_deg=helix_angle_deg,
        )

    @classmethod
    def bevel_gear(
        cls, joint_a: Ref, joint_b: Ref, *, ratio: float, reverse: bool | None = None, name: str | None = None
    ) -> Self:
        """Pair of bevel gears; ``ratio`` is the speed of the first over the speed of the second."""
        return cls(type="bevel_gear", joint_a=joint_a, joint_b=joint_b, ratio=ratio, reverse=reverse, name=name)

    @classmethod
    def rack_pinion(
        cls, pinion: Ref, rack: Ref, *, radius: float, reverse: bool | None = None, name: str | None = None
    ) -> Self:
        """Rack on a joint that slides, pinion of ``radius`` [m] on one that turns."""
        return cls(type="rack_pinion", pinion=pinion, rack=rack, radius=radius, reverse=reverse, name=name)

    @classmethod
    def belt(
        cls,
        joint_a: Ref,
        joint_b: Ref,
        *,
        radius_a: float,
        radius_b: float,
        crossed: bool | None = None,
        name: str | None = None,
    ) -> Self:
        """Belt or chain over two pulleys; radii [m]."""
        return cls(
            type="belt",
            joint_a=joint_a,
            joint_b=joint_b,
            radius_a=radius_a,
            radius_b=radius_b,
            crossed=crossed,
            name=name,
        )

    @classmethod
    def shaft_gear(cls, shaft_a: Ref, shaft_b: Ref, *, ratio: float, name: str | None = None) -> Self:
        """Gear between two shafts; ``ratio`` is the speed of the first over the speed of the second."""
        return cls(type="shaft_gear", shaft_a=shaft_a, shaft_b=shaft_b, ratio=ratio, name=name)

    @classmethod
    def shaft_joint(
        cls,
        shaft: Ref,
        joint: Ref,
        *,
        coordinate: str | None = None,
        ratio: float | None = None,
        name: str | None = None,
    ) -> Self:
        """Shaft that turns or moves a joint coordinate; ``ratio`` is its speed over the coordinate's rate."""
        return cls(type="shaft_joint", shaft=shaft, joint=joint, coordinate=coordinate, ratio=ratio, name=name)

    @classmethod
    def linear(cls, terms: Sequence[Mapping[str, Any]], *, name: str | None = None) -> Self:
        """Any weighted sum of coordinates that keeps its value.

        A term has ``joint`` and ``coordinate``, or ``shaft``, and a ``weight``.
        """
        return cls(type="linear", terms=terms, name=name)


class Force(Spec):
    """A force element.

    Springs take ``law=f(time, coordinate, rate)``, the force [N or N·m] along the growing coordinate, instead of
    their constants.
    """

    __slots__ = ("law",)

    def __init__(self, law: Law | None = None, **spec: Any) -> None:
        super().__init__(**spec)
        self.law = law

    @classmethod
    def spring(
        cls,
        a: Ref,
        b: Ref,
        *,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        stiffness: float | None = None,
        damping: float | None = None,
        length: float | None = None,
        actuator: DriveLike | None = None,
        law: Law | None = None,
        name: str | None = None,
    ) -> Self:
        """Spring [N/m], damper [N·s/m] and actuator [N] along the line of two points."""
        return cls(
            type="spring",
            a=a,
            b=b,
            point_a=point_a,
            point_b=point_b,
            stiffness=stiffness,
            damping=damping,
            length=length,
            actuator=actuator,
            law=law,
            name=name,
        )

    @classmethod
    def rotational_spring(
        cls,
        joint: Ref,
        *,
        coordinate: str | None = None,
        stiffness: float | None = None,
        damping: float | None = None,
        angle: float | None = None,
        actuator: DriveLike | None = None,
        law: Law | None = None,
        name: str | None = None,
    ) -> Self:
        """Spring [N·m/rad], damper [N·m·s/rad] and actuator [N·m] along a joint coordinate."""
        return cls(
            type="rotational_spring",
            joint=joint,
            coordinate=coordinate,
            stiffness=stiffness,
            damping=damping,
            angle=angle,
            actuator=actuator,
            law=law,
            name=name,
        )

    @classmethod
    def bushing(
        cls,
        a: Ref,
        b: Ref,
        *,
        stiffness: Vector | Matrix | None = None,
        damping: Vector | Matrix | None = None,
        preload: Vector | None = None,
        **place: Unpack[PlaceArguments],
    ) -> Self:
        """Elastic connection of two frames; matrices by their diagonal or as 6 x 6, displacements first."""
        return cls(type="bushing", a=a, b=b, stiffness=stiffness, damping=damping, preload=preload, **place)

    @classmethod
    def load(
        cls,
        body: Ref,
        *,
        force: Sequence[DriveLike] | None = None,
        torque: Sequence[DriveLike] | None = None,
        point: Vector | None = None,
        frame: Literal["world", "body"] | None = None,
        name: str | None = None,
    ) -> Self:
        """Force [N] and torque [N·m] on a body, in world or body axes."""
        return cls(type="load", body=body, force=force, torque=torque, point=point, frame=frame, name=name)

    @classmethod
    def drag(
        cls,
        body: Ref,
        *,
        linear: float | None = None,
        quadratic: float | None = None,
        angular_linear: float | None = None,
        angular_quadratic: float | None = None,
        point: Vector | None = None,
        medium_velocity: Vector | None = None,
        name: str | None = None,
    ) -> Self:
        """Drag of a medium, linear [N·s/m] and quadratic [N·s²/m²] in the velocity."""
        return cls(
            type="drag",
            body=body,
            linear=linear,
            quadratic=quadratic,
            angular_linear=angular_linear,
            angular_quadratic=angular_quadratic,
            point=point,
            medium_velocity=medium_velocity,
            name=name,
        )

    @classmethod
    def rope(
        cls,
        a: Ref,
        b: Ref,
        *,
        length: float,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        stiffness: float | None = None,
        damping: float | None = None,
        restitution: float | None = None,
        name: str | None = None,
    ) -> Self:
        """Keep two points within ``length`` [m]; rigid (Euler integrators) unless it has a stiffness [N/m]."""
        return cls(
            type="rope",
            a=a,
            b=b,
            length=length,
            point_a=point_a,
            point_b=point_b,
            stiffness=stiffness,
            damping=damping,
            restitution=restitution,
            name=name,
        )

    @classmethod
    def torsion_spring(
        cls,
        shaft_a: Ref,
        shaft_b: Ref | None = None,
        *,
        stiffness: float | None = None,
        damping: float | None = None,
        angle: float | None = None,
        law: Law | None = None,
        name: str | None = None,
    ) -> Self:
        """Spring [N·m/rad] and damper [N·m·s/rad] between two shafts, or a shaft and ground."""
        return cls(
            type="torsion_spring",
            shaft_a=shaft_a,
            shaft_b=shaft_b,
            stiffness=stiffness,
            damping=damping,
            angle=angle,
            law=law,
            name=name,
        )

    @classmethod
    def clutch(
        cls,
        shaft_a: Ref,
        shaft_b: Ref,
        *,
        torque: DriveLike,
        stiffness: float | None = None,
        damping: float | None = None,
        name: str | None = None,
    ) -> Self:
        """Friction between two shafts up to ``torque`` [N·m]."""
        return cls(
            type="clutch",
            shaft_a=shaft_a,
            shaft_b=shaft_b,
            torque=torque,
            stiffness=stiffness,
            damping=damping,
            name=name,
        )

    @classmethod
    def brake(
        cls,
        joint: Ref | None = None,
        *,
        shaft: Ref | None = None,
        torque: DriveLike,
        coordinate: str | None = None,
        stiffness: float | None = None,
        damping: float | None = None,
        name: str | None = None,
    ) -> Self:
        """Friction of a joint or shaft against ground up to ``torque`` [N·m or N]."""
        return cls(
            type="brake",
            joint=joint,
            shaft=shaft,
            torque=torque,
            coordinate=coordinate,
            stiffness=stiffness,
            damping=damping,
            name=name,
        )


class Shaft(Spec):
    """A shaft with one rotation: inertia [kg·m²], angle [rad] and speed [rad/s] at the start."""

    __slots__ = ()

    def __init__(
        self,
        inertia: float,
        *,
        angle: float | None = None,
        speed: float | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(inertia=inertia, angle=angle, speed=speed, name=name)


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


class Sensor(Spec):
    """A measured number: a ``quantity`` such as ``"position.x"`` of an object."""

    __slots__ = ()

    def __init__(
        self,
        of: Ref,
        quantity: str,
        *,
        point: Vector | None = None,
        side: Literal["a", "b"] | None = None,
        axes: Literal["joint", "world"] | None = None,
    ) -> None:
        super().__init__(of=of, quantity=quantity, point=point, side=side, axes=axes)


class Signal(Spec):
    """A named signal; motors and forces follow it as ``Signal.ref(name)``."""

    __slots__ = ()

    @staticmethod
    def ref(name: Ref) -> Mapping[str, Any]:
        """Refer to a signal where a motor or a force takes a drive."""
        return {"signal": name}

    @classmethod
    def function(cls, name: str, function: FunctionLike, *, input: Ref | None = None) -> Self:
        """Function of time, or of another signal."""
        return cls(name=name, type="function", function=function, input=input)

    @classmethod
    def sensor(
        cls,
        name: str,
        of: Ref,
        quantity: str,
        *,
        point: Vector | None = None,
        side: Literal["a", "b"] | None = None,
        axes: Literal["joint", "world"] | None = None,
    ) -> Self:
        """Measured quantity."""
        return cls(name=name, type="sensor", sensor=Sensor(of, quantity, point=point, side=side, axes=axes))

    @classmethod
    def gain(cls, name: str, input: Ref, gain: float, *, offset: float | None = None) -> Self:
        """Scaled signal."""
        return cls(name=name, type="gain", input=input, gain=gain, offset=offset)

    @classmethod
    def sum(
        cls,
        name: str,
        inputs: Sequence[Ref],
        *,
        weights: Vector | None = None,
        offset: float | None = None,
    ) -> Self:
        """Weighted sum."""
        return cls(name=name, type="sum", inputs=inputs, weights=weights, offset=offset)

    @classmethod
    def product(cls, name: str, inputs: Sequence[Ref]) -> Self:
        """Product."""
        return cls(name=name, type="product", inputs=inputs)

    @classmethod
    def lookup(
        cls,
        name: str,
        input: Ref,
        abscissae: Vector,
        values: Vector,
        *,
        interpolation: Literal["linear", "cubic", "akima"] | None = None,
        extrapolation: Literal["hold", "linear", "periodic"] | None = None,
    ) -> Self:
        """Table of another signal."""
        return cls(
            name=name,
            type="lookup",
            input=input,
            abscissae=abscissae,
            values=values,
            interpolation=interpolation,
            extrapolation=extrapolation,
        )

    @classmethod
    def saturation(cls, name: str, input: Ref, *, lower: float | None = None, upper: float | None = None) -> Self:
        """Signal kept between limits."""
        return cls(name=name, type="saturation", input=input, lower=lower, upper=upper)

    @classmethod
    def pid(
        cls,
        name: str,
        reference: Ref,
        measurement: Ref,
        *,
        kp: float,
        ki: float | None = None,
        kd: float | None = None,
        filter_time: float | None = None,
        lower: float | None = None,
        upper: float | None = None,
        anti_windup: Mapping[str, Any] | None = None,
        initial_integral: float | None = None,
        initial_error: float | None = None,
    ) -> Self:
        """Controller with proportional, integral and derivative terms."""
        return cls(
            name=name,
            type="pid",
            reference=reference,
            measurement=measurement,
            kp=kp,
            ki=ki,
            kd=kd,
            filter_time=filter_time,
            lower=lower,
            upper=upper,
            anti_windup=anti_windup,
            initial_integral=initial_integral,
            initial_error=initial_error,
        )

    @classmethod
    def transfer_function(cls, name: str, input: Ref, numerator: Vector, denominator: Vector) -> Self:
        """Linear system given by a ratio of polynomials, the highest power first."""
        return cls(name=name, type="transfer_function", input=input, numerator=numerator, denominator=denominator)

    @classmethod
    def filter(cls, name: str, input: Ref, time_constant: float, *, initial: float | None = None) -> Self:
        """First-order low-pass filter; time constant [s]."""
        return cls(name=name, type="filter", input=input, time_constant=time_constant, initial=initial)

    @classmethod
    def state(cls, name: str, block: Ref, index: int = 0) -> Self:
        """One of the states of a block with memory."""
        return cls(name=name, type="state", block=block, index=index)


class Probe(Spec):
    """A quantity that is recorded: of an object, of ``"world"``, or of a signal."""

    __slots__ = ()

    def __init__(
        self,
        of: Ref | None = None,
        quantity: str | None = None,
        *,
        signal: Ref | None = None,
        name: str | None = None,
        point: Vector | None = None,
        side: Literal["a", "b"] | None = None,
        axes: Literal["joint", "world"] | None = None,
        file: str | None = None,
    ) -> None:
        super().__init__(
            of=of, quantity=quantity, signal=signal, name=name, point=point, side=side, axes=axes, file=file
        )


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
