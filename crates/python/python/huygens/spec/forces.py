"""Force elements.

Generated from the schema of scene files by `cargo xtask generate`; changes are lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._shortcuts import ForceWithLaw

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal

    from typing_extensions import Self

    from .._shortcuts import Rotate
    from .._values import DriveLike, Law, Matrix, Ref, Vector
    from .values import Frame

__all__ = [
    "Force",
]


class Force(ForceWithLaw):
    """A force element."""

    __slots__ = ()
    _section = "forces"

    @classmethod
    def spring(
        cls,
        a: Ref,
        b: Ref,
        *,
        name: str | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        stiffness: float | None = None,
        damping: float | None = None,
        length: float | None = None,
        actuator: DriveLike | None = None,
        law: Law | None = None,
    ) -> Self:
        """Spring, damper and actuator along the line of two points.

        Args:
            a: First body: ``body``, ``body/marker`` or ``ground``.
            b: Second body: ``body``, ``body/marker`` or ``ground``.
            name: Unique name.
            point_a: Point in the frame of A [m]. Default: ``(0, 0, 0)``.
            point_b: Point in the frame of B [m]. Default: ``(0, 0, 0)``.
            stiffness: Stiffness [N/m]. Default: ``0``.
            damping: Damping [N·s/m]. Default: ``0``.
            length: Unstretched length [m]. Default: the initial length.
            actuator: Force that pushes the points apart [N].
            law: ``f(time, coordinate, rate)`` instead of the constants: the force [N or N·m] along the
                growing coordinate.
        """
        return cls(
            type="spring",
            a=a,
            b=b,
            name=name,
            point_a=point_a,
            point_b=point_b,
            stiffness=stiffness,
            damping=damping,
            length=length,
            actuator=actuator,
            law=law,
        )

    @classmethod
    def coordinate_spring(
        cls,
        joint: Ref | None = None,
        *,
        name: str | None = None,
        coordinate: str | None = None,
        shaft: Ref | None = None,
        second_shaft: Ref | None = None,
        stiffness: float | None = None,
        damping: float | None = None,
        rest: float | None = None,
        actuator: DriveLike | None = None,
        law: Law | None = None,
    ) -> Self:
        """Spring, damper and actuator along the coordinate of a joint or a shaft, or between two shafts.

        Args:
            joint: The joint.
            name: Unique name.
            coordinate: Coordinate of the joint, such as ``angle`` or ``displacement``. Default: the first
                one.
            shaft: The shaft; instead of ``joint``.
            second_shaft: Second shaft: the coordinate is the angle of ``shaft`` relative to it. Default:
                ground.
            stiffness: Stiffness [N·m/rad or N/m]. Default: ``0``.
            damping: Damping [N·m·s/rad or N·s/m]. Default: ``0``.
            rest: Coordinate at which the spring is relaxed [rad or m]. Default: ``0``.
            actuator: Torque or force along the growing coordinate [N·m or N].
            law: ``f(time, coordinate, rate)`` instead of the constants: the force [N or N·m] along the
                growing coordinate.
        """
        return cls(
            type="coordinate_spring",
            name=name,
            joint=joint,
            coordinate=coordinate,
            shaft=shaft,
            second_shaft=second_shaft,
            stiffness=stiffness,
            damping=damping,
            rest=rest,
            actuator=actuator,
            law=law,
        )

    @classmethod
    def bushing(
        cls,
        a: Ref,
        b: Ref,
        *,
        name: str | None = None,
        position: Vector | None = None,
        axis: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        frame_a: Frame | Mapping[str, Any] | None = None,
        frame_b: Frame | Mapping[str, Any] | None = None,
        stiffness: Vector | Matrix | None = None,
        damping: Vector | Matrix | None = None,
        preload: Vector | None = None,
    ) -> Self:
        """Elastic connection of two frames in all six directions.

        Args:
            a: Base body: ``body``, ``body/marker`` or ``ground``.
            b: Moved body: ``body``, ``body/marker`` or ``ground``.
            name: Unique name.
            position: Place in the world at the start [m].
            axis: Direction of the z axis in the world at the start, a unit vector.
            rotation: Orientation in the world at the start; instead of ``axis``.
            frame_a: Frame on A, in its body frame.
            frame_b: Frame on B, in its body frame.
            stiffness: Stiffness: three entries [N/m], three [N·m/rad]; or 6×6. Default:
                ``((0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0))``.
            damping: Damping: three entries [N·s/m], three [N·m·s/rad]; or 6×6. Default:
                ``((0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0))``.
            preload: Force [N] and torque [N·m] on B in A's axes at rest. Default: ``(0, 0, 0, 0, 0, 0)``.
        """
        return cls(
            type="bushing",
            a=a,
            b=b,
            name=name,
            position=position,
            axis=axis,
            rotation=rotation,
            frame_a=frame_a,
            frame_b=frame_b,
            stiffness=stiffness,
            damping=damping,
            preload=preload,
        )

    @classmethod
    def load(
        cls,
        body: Ref,
        *,
        name: str | None = None,
        point: Vector | None = None,
        frame: Literal["world", "body"] | None = None,
        force: Sequence[DriveLike] | None = None,
        torque: Sequence[DriveLike] | None = None,
    ) -> Self:
        """Force and torque on a body.

        Args:
            body: Body it acts on: ``body`` or ``body/marker``.
            name: Unique name.
            point: Point in the body frame [m]. Default: the marker, or the origin of the body frame.
            frame: Axes in which force and torque are given. Default: ``"world"``.
            force: Force along three axes [N].
            torque: Torque about three axes [N·m].
        """
        return cls(type="load", body=body, name=name, point=point, frame=frame, force=force, torque=torque)

    @classmethod
    def drag(
        cls,
        body: Ref,
        *,
        name: str | None = None,
        point: Vector | None = None,
        medium_velocity: Vector | None = None,
        linear: float | None = None,
        quadratic: float | None = None,
        angular_linear: float | None = None,
        angular_quadratic: float | None = None,
    ) -> Self:
        """Drag of a surrounding medium.

        Args:
            body: Body it acts on: ``body`` or ``body/marker``.
            name: Unique name.
            point: Point in the body frame [m]. Default: the marker, or the centre of mass.
            medium_velocity: Velocity of the medium [m/s]. Default: ``(0, 0, 0)``.
            linear: $c_1$ [N·s/m]. Default: ``0``.
            quadratic: $c_2$ [N·s²/m²]. Default: ``0``.
            angular_linear: $d_1$ [N·m·s/rad]. Default: ``0``.
            angular_quadratic: $d_2$ [N·m·s²/rad²]. Default: ``0``.
        """
        return cls(
            type="drag",
            body=body,
            name=name,
            point=point,
            medium_velocity=medium_velocity,
            linear=linear,
            quadratic=quadratic,
            angular_linear=angular_linear,
            angular_quadratic=angular_quadratic,
        )

    @classmethod
    def rope(
        cls,
        a: Ref,
        b: Ref,
        *,
        length: float,
        name: str | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        stiffness: float | None = None,
        damping: float | None = None,
        restitution: float | None = None,
    ) -> Self:
        """Rope: two points stay within a length of each other.

        Args:
            a: First body: ``body``, ``body/marker`` or ``ground``.
            b: Second body: ``body``, ``body/marker`` or ``ground``.
            length: Length [m].
            name: Unique name.
            point_a: Point in the frame of A [m]. Default: ``(0, 0, 0)``.
            point_b: Point in the frame of B [m]. Default: ``(0, 0, 0)``.
            stiffness: Stiffness when taut [N/m]; without it the rope is rigid and needs the ``euler``
                integrators.
            damping: Damping of a compliant rope when taut [N·s/m]. Default: ``0``.
            restitution: Coefficient of restitution when a rigid rope becomes taut, 0 to 1. Default:
                ``0``.
        """
        return cls(
            type="rope",
            a=a,
            b=b,
            length=length,
            name=name,
            point_a=point_a,
            point_b=point_b,
            stiffness=stiffness,
            damping=damping,
            restitution=restitution,
        )

    @classmethod
    def clutch(
        cls,
        shaft_a: Ref,
        shaft_b: Ref,
        *,
        torque: DriveLike,
        name: str | None = None,
        stiffness: float | None = None,
        damping: float | None = None,
    ) -> Self:
        """Friction between two shafts.

        Args:
            shaft_a: First shaft.
            shaft_b: Second shaft.
            torque: Largest torque [N·m]: a constant, a function of time or a signal.
            name: Unique name.
            stiffness: Stiffness while sticking [N·m/rad]. Default: ``10000``.
            damping: Damping while sticking [N·m·s/rad]. Default: ``0``.
        """
        return cls(
            type="clutch",
            shaft_a=shaft_a,
            shaft_b=shaft_b,
            torque=torque,
            name=name,
            stiffness=stiffness,
            damping=damping,
        )

    @classmethod
    def brake(
        cls,
        joint: Ref | None = None,
        *,
        torque: DriveLike,
        name: str | None = None,
        shaft: Ref | None = None,
        coordinate: str | None = None,
        stiffness: float | None = None,
        damping: float | None = None,
    ) -> Self:
        """Friction between a shaft, or the bodies of a joint, and ground.

        Args:
            joint: Joint that is braked; instead of ``shaft``.
            torque: Largest torque [N·m] or force [N]: a constant, a function of time or a signal.
            name: Unique name.
            shaft: Shaft that is braked.
            coordinate: Coordinate of the joint. Default: the first one.
            stiffness: Stiffness while sticking [N·m/rad or N/m]. Default: ``10000``.
            damping: Damping while sticking [N·m·s/rad or N·s/m]. Default: ``0``.
        """
        return cls(
            type="brake",
            torque=torque,
            name=name,
            shaft=shaft,
            joint=joint,
            coordinate=coordinate,
            stiffness=stiffness,
            damping=damping,
        )
