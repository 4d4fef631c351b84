"""Bodies, joints, motors, couplings and shafts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from .._plain import Spec
from .surfaces import Shape
from .values import DriveLike, Frame, FunctionLike, Matrix, Ref, Rotate, Rotation, Solid, Vector

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack


__all__ = ["Body", "Coupling", "Joint", "Limit", "Motor", "Shaft"]


class BodyArguments(TypedDict, total=False):
    """What every body may be given.

    A ``shape`` is the one shape it collides with, ``shapes`` are several; ``material`` is that of shapes that have
    none of their own. A `Solid` as ``shape`` gives mass and a picture, but does not collide.
    """

    name: str
    position: Vector
    rotation: Rotation | Rotate
    shape: Shape | Solid | Mapping[str, Any]
    shapes: Sequence[Shape | Mapping[str, Any]]
    material: Ref
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

        It needs ``mass`` [kg] with ``inertia`` [kg·m²] or shapes, or ``density`` [kg/m³] with shapes.
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
    once, or by frames in the bodies. The two bodies touch each other only with ``collide=True``.
    """

    name: str
    position: Vector
    axis: Vector
    rotation: Rotation | Rotate
    frame_a: Frame | Mapping[str, Any]
    frame_b: Frame | Mapping[str, Any]
    collide: bool


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
