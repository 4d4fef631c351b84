"""Joints.

Generated from the schema of scene files by `cargo xtask generate`; changes are lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._plain import Spec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal

    from typing_extensions import Self

    from .._shortcuts import Rotate
    from .._values import FunctionLike, Matrix, Ref, Vector
    from .motors import Limit
    from .values import Frame

__all__ = [
    "Joint",
]


class Joint(Spec):
    """A joint between two bodies, or a body and ground.

    Its place is given in the world at the start by ``position`` and ``axis`` or ``rotation``, for both bodies
    at once, or by frames in the bodies (``frame_a``, ``frame_b``, or markers as ``body/marker``). A side
    without a frame of its own takes the place of the other one.
    """

    __slots__ = ()
    _section = "joints"

    @classmethod
    def fixed(
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
        collide: bool | None = None,
    ) -> Self:
        """No relative motion.

        Args:
            a: Base body: ``body``, ``body/marker`` or ``ground``.
            b: Moved body: ``body``, ``body/marker`` or ``ground``.
            name: Unique name.
            position: Place in the world at the start [m].
            axis: Direction of the z axis in the world at the start, a unit vector.
            rotation: Orientation in the world at the start; instead of ``axis``.
            frame_a: Frame on A, in its body frame.
            frame_b: Frame on B, in its body frame.
            collide: Whether the two bodies may touch; bodies that a joint connects do not.
        """
        return cls(
            type="fixed",
            a=a,
            b=b,
            name=name,
            position=position,
            axis=axis,
            rotation=rotation,
            frame_a=frame_a,
            frame_b=frame_b,
            collide=collide,
        )

    @classmethod
    def revolute(
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
        collide: bool | None = None,
        limits: Sequence[Limit | Mapping[str, Any]] | None = None,
    ) -> Self:
        """Rotation about z; coordinate ``angle``.

        Args:
            a: Base body: ``body``, ``body/marker`` or ``ground``.
            b: Moved body: ``body``, ``body/marker`` or ``ground``.
            name: Unique name.
            position: Place in the world at the start [m].
            axis: Direction of the z axis in the world at the start, a unit vector.
            rotation: Orientation in the world at the start; instead of ``axis``.
            frame_a: Frame on A, in its body frame.
            frame_b: Frame on B, in its body frame.
            collide: Whether the two bodies may touch; bodies that a joint connects do not.
            limits: Bounds of its coordinates.
        """
        return cls(
            type="revolute",
            a=a,
            b=b,
            name=name,
            position=position,
            axis=axis,
            rotation=rotation,
            frame_a=frame_a,
            frame_b=frame_b,
            collide=collide,
            limits=limits,
        )

    @classmethod
    def prismatic(
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
        collide: bool | None = None,
        limits: Sequence[Limit | Mapping[str, Any]] | None = None,
    ) -> Self:
        """Translation along z; coordinate ``displacement``.

        Args:
            a: Base body: ``body``, ``body/marker`` or ``ground``.
            b: Moved body: ``body``, ``body/marker`` or ``ground``.
            name: Unique name.
            position: Place in the world at the start [m].
            axis: Direction of the z axis in the world at the start, a unit vector.
            rotation: Orientation in the world at the start; instead of ``axis``.
            frame_a: Frame on A, in its body frame.
            frame_b: Frame on B, in its body frame.
            collide: Whether the two bodies may touch; bodies that a joint connects do not.
            limits: Bounds of its coordinates.
        """
        return cls(
            type="prismatic",
            a=a,
            b=b,
            name=name,
            position=position,
            axis=axis,
            rotation=rotation,
            frame_a=frame_a,
            frame_b=frame_b,
            collide=collide,
            limits=limits,
        )

    @classmethod
    def cylindrical(
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
        collide: bool | None = None,
        limits: Sequence[Limit | Mapping[str, Any]] | None = None,
    ) -> Self:
        """Rotation about and translation along z; coordinates ``angle``, ``displacement``.

        Args:
            a: Base body: ``body``, ``body/marker`` or ``ground``.
            b: Moved body: ``body``, ``body/marker`` or ``ground``.
            name: Unique name.
            position: Place in the world at the start [m].
            axis: Direction of the z axis in the world at the start, a unit vector.
            rotation: Orientation in the world at the start; instead of ``axis``.
            frame_a: Frame on A, in its body frame.
            frame_b: Frame on B, in its body frame.
            collide: Whether the two bodies may touch; bodies that a joint connects do not.
            limits: Bounds of its coordinates.
        """
        return cls(
            type="cylindrical",
            a=a,
            b=b,
            name=name,
            position=position,
            axis=axis,
            rotation=rotation,
            frame_a=frame_a,
            frame_b=frame_b,
            collide=collide,
            limits=limits,
        )

    @classmethod
    def spherical(
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
        collide: bool | None = None,
    ) -> Self:
        """Rotation about the common point.

        Args:
            a: Base body: ``body``, ``body/marker`` or ``ground``.
            b: Moved body: ``body``, ``body/marker`` or ``ground``.
            name: Unique name.
            position: Place in the world at the start [m].
            axis: Direction of the z axis in the world at the start, a unit vector.
            rotation: Orientation in the world at the start; instead of ``axis``.
            frame_a: Frame on A, in its body frame.
            frame_b: Frame on B, in its body frame.
            collide: Whether the two bodies may touch; bodies that a joint connects do not.
        """
        return cls(
            type="spherical",
            a=a,
            b=b,
            name=name,
            position=position,
            axis=axis,
            rotation=rotation,
            frame_a=frame_a,
            frame_b=frame_b,
            collide=collide,
        )

    @classmethod
    def planar(
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
        collide: bool | None = None,
        limits: Sequence[Limit | Mapping[str, Any]] | None = None,
    ) -> Self:
        """Translation in the x–y plane and rotation about z; coordinates ``x``, ``y``, ``angle``.

        Args:
            a: Base body: ``body``, ``body/marker`` or ``ground``.
            b: Moved body: ``body``, ``body/marker`` or ``ground``.
            name: Unique name.
            position: Place in the world at the start [m].
            axis: Direction of the z axis in the world at the start, a unit vector.
            rotation: Orientation in the world at the start; instead of ``axis``.
            frame_a: Frame on A, in its body frame.
            frame_b: Frame on B, in its body frame.
            collide: Whether the two bodies may touch; bodies that a joint connects do not.
            limits: Bounds of its coordinates.
        """
        return cls(
            type="planar",
            a=a,
            b=b,
            name=name,
            position=position,
            axis=axis,
            rotation=rotation,
            frame_a=frame_a,
            frame_b=frame_b,
            collide=collide,
            limits=limits,
        )

    @classmethod
    def universal(
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
        collide: bool | None = None,
        limits: Sequence[Limit | Mapping[str, Any]] | None = None,
    ) -> Self:
        """Rotation about x of A and y of B; coordinates ``angle_a``, ``angle_b``.

        Args:
            a: Base body: ``body``, ``body/marker`` or ``ground``.
            b: Moved body: ``body``, ``body/marker`` or ``ground``.
            name: Unique name.
            position: Place in the world at the start [m].
            axis: Direction of the z axis in the world at the start, a unit vector.
            rotation: Orientation in the world at the start; instead of ``axis``.
            frame_a: Frame on A, in its body frame.
            frame_b: Frame on B, in its body frame.
            collide: Whether the two bodies may touch; bodies that a joint connects do not.
            limits: Bounds of its coordinates.
        """
        return cls(
            type="universal",
            a=a,
            b=b,
            name=name,
            position=position,
            axis=axis,
            rotation=rotation,
            frame_a=frame_a,
            frame_b=frame_b,
            collide=collide,
            limits=limits,
        )

    @classmethod
    def constant_velocity(
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
        collide: bool | None = None,
    ) -> Self:
        """Two rotations with equal speeds of both shafts along z.

        Args:
            a: Base body: ``body``, ``body/marker`` or ``ground``.
            b: Moved body: ``body``, ``body/marker`` or ``ground``.
            name: Unique name.
            position: Place in the world at the start [m].
            axis: Direction of the z axis in the world at the start, a unit vector.
            rotation: Orientation in the world at the start; instead of ``axis``.
            frame_a: Frame on A, in its body frame.
            frame_b: Frame on B, in its body frame.
            collide: Whether the two bodies may touch; bodies that a joint connects do not.
        """
        return cls(
            type="constant_velocity",
            a=a,
            b=b,
            name=name,
            position=position,
            axis=axis,
            rotation=rotation,
            frame_a=frame_a,
            frame_b=frame_b,
            collide=collide,
        )

    @classmethod
    def point_on_line(
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
        collide: bool | None = None,
        limits: Sequence[Limit | Mapping[str, Any]] | None = None,
    ) -> Self:
        """B's point stays on A's z axis; coordinate ``displacement``.

        Args:
            a: Base body: ``body``, ``body/marker`` or ``ground``.
            b: Moved body: ``body``, ``body/marker`` or ``ground``.
            name: Unique name.
            position: Place in the world at the start [m].
            axis: Direction of the z axis in the world at the start, a unit vector.
            rotation: Orientation in the world at the start; instead of ``axis``.
            frame_a: Frame on A, in its body frame.
            frame_b: Frame on B, in its body frame.
            collide: Whether the two bodies may touch; bodies that a joint connects do not.
            limits: Bounds of its coordinates.
        """
        return cls(
            type="point_on_line",
            a=a,
            b=b,
            name=name,
            position=position,
            axis=axis,
            rotation=rotation,
            frame_a=frame_a,
            frame_b=frame_b,
            collide=collide,
            limits=limits,
        )

    @classmethod
    def point_on_plane(
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
        collide: bool | None = None,
        limits: Sequence[Limit | Mapping[str, Any]] | None = None,
    ) -> Self:
        """B's point stays in A's x–y plane; coordinates ``x``, ``y``.

        Args:
            a: Base body: ``body``, ``body/marker`` or ``ground``.
            b: Moved body: ``body``, ``body/marker`` or ``ground``.
            name: Unique name.
            position: Place in the world at the start [m].
            axis: Direction of the z axis in the world at the start, a unit vector.
            rotation: Orientation in the world at the start; instead of ``axis``.
            frame_a: Frame on A, in its body frame.
            frame_b: Frame on B, in its body frame.
            collide: Whether the two bodies may touch; bodies that a joint connects do not.
            limits: Bounds of its coordinates.
        """
        return cls(
            type="point_on_plane",
            a=a,
            b=b,
            name=name,
            position=position,
            axis=axis,
            rotation=rotation,
            frame_a=frame_a,
            frame_b=frame_b,
            collide=collide,
            limits=limits,
        )

    @classmethod
    def point_on_curve(
        cls,
        a: Ref,
        b: Ref,
        points: Matrix,
        *,
        name: str | None = None,
        position: Vector | None = None,
        axis: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        frame_a: Frame | Mapping[str, Any] | None = None,
        frame_b: Frame | Mapping[str, Any] | None = None,
        collide: bool | None = None,
        closed: bool | None = None,
    ) -> Self:
        """B's point stays on the spline through ``points``.

        Args:
            a: Base body: ``body``, ``body/marker`` or ``ground``.
            b: Moved body: ``body``, ``body/marker`` or ``ground``.
            points: Points of the curve in A's axes [m].
            name: Unique name.
            position: Place in the world at the start [m].
            axis: Direction of the z axis in the world at the start, a unit vector.
            rotation: Orientation in the world at the start; instead of ``axis``.
            frame_a: Frame on A, in its body frame.
            frame_b: Frame on B, in its body frame.
            collide: Whether the two bodies may touch; bodies that a joint connects do not.
            closed: Whether the curve is closed. Default: ``False``.
        """
        return cls(
            type="point_on_curve",
            a=a,
            b=b,
            points=points,
            name=name,
            position=position,
            axis=axis,
            rotation=rotation,
            frame_a=frame_a,
            frame_b=frame_b,
            collide=collide,
            closed=closed,
        )

    @classmethod
    def parallel_axes(
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
        collide: bool | None = None,
        limits: Sequence[Limit | Mapping[str, Any]] | None = None,
    ) -> Self:
        """The z axes stay parallel; coordinates ``x``, ``y``, ``z``, ``angle``.

        Args:
            a: Base body: ``body``, ``body/marker`` or ``ground``.
            b: Moved body: ``body``, ``body/marker`` or ``ground``.
            name: Unique name.
            position: Place in the world at the start [m].
            axis: Direction of the z axis in the world at the start, a unit vector.
            rotation: Orientation in the world at the start; instead of ``axis``.
            frame_a: Frame on A, in its body frame.
            frame_b: Frame on B, in its body frame.
            collide: Whether the two bodies may touch; bodies that a joint connects do not.
            limits: Bounds of its coordinates.
        """
        return cls(
            type="parallel_axes",
            a=a,
            b=b,
            name=name,
            position=position,
            axis=axis,
            rotation=rotation,
            frame_a=frame_a,
            frame_b=frame_b,
            collide=collide,
            limits=limits,
        )

    @classmethod
    def perpendicular_axes(
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
        collide: bool | None = None,
    ) -> Self:
        """A's z axis stays perpendicular to B's z axis.

        Args:
            a: Base body: ``body``, ``body/marker`` or ``ground``.
            b: Moved body: ``body``, ``body/marker`` or ``ground``.
            name: Unique name.
            position: Place in the world at the start [m].
            axis: Direction of the z axis in the world at the start, a unit vector.
            rotation: Orientation in the world at the start; instead of ``axis``.
            frame_a: Frame on A, in its body frame.
            frame_b: Frame on B, in its body frame.
            collide: Whether the two bodies may touch; bodies that a joint connects do not.
        """
        return cls(
            type="perpendicular_axes",
            a=a,
            b=b,
            name=name,
            position=position,
            axis=axis,
            rotation=rotation,
            frame_a=frame_a,
            frame_b=frame_b,
            collide=collide,
        )

    @classmethod
    def distance(
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
        collide: bool | None = None,
        length: float | None = None,
    ) -> Self:
        """The two points keep their distance ``length``.

        Args:
            a: Base body: ``body``, ``body/marker`` or ``ground``.
            b: Moved body: ``body``, ``body/marker`` or ``ground``.
            name: Unique name.
            position: Place in the world at the start [m].
            axis: Direction of the z axis in the world at the start, a unit vector.
            rotation: Orientation in the world at the start; instead of ``axis``.
            frame_a: Frame on A, in its body frame.
            frame_b: Frame on B, in its body frame.
            collide: Whether the two bodies may touch; bodies that a joint connects do not.
            length: Distance of the points [m]. Default: that at the start.
        """
        return cls(
            type="distance",
            a=a,
            b=b,
            name=name,
            position=position,
            axis=axis,
            rotation=rotation,
            frame_a=frame_a,
            frame_b=frame_b,
            collide=collide,
            length=length,
        )

    @classmethod
    def revolute_spherical(
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
        collide: bool | None = None,
        length: float | None = None,
    ) -> Self:
        """A massless link of ``length`` with a revolute joint at A and a spherical joint at B.

        Args:
            a: Base body: ``body``, ``body/marker`` or ``ground``.
            b: Moved body: ``body``, ``body/marker`` or ``ground``.
            name: Unique name.
            position: Place in the world at the start [m].
            axis: Direction of the z axis in the world at the start, a unit vector.
            rotation: Orientation in the world at the start; instead of ``axis``.
            frame_a: Frame on A, in its body frame.
            frame_b: Frame on B, in its body frame.
            collide: Whether the two bodies may touch; bodies that a joint connects do not.
            length: Length of the link [m]. Default: the distance of the points at the start.
        """
        return cls(
            type="revolute_spherical",
            a=a,
            b=b,
            name=name,
            position=position,
            axis=axis,
            rotation=rotation,
            frame_a=frame_a,
            frame_b=frame_b,
            collide=collide,
            length=length,
        )

    @classmethod
    def revolute_translational(
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
        collide: bool | None = None,
        offset: float | None = None,
    ) -> Self:
        """A massless link with a revolute joint at A that slides along B's x axis at ``offset``.

        Args:
            a: Base body: ``body``, ``body/marker`` or ``ground``.
            b: Moved body: ``body``, ``body/marker`` or ``ground``.
            name: Unique name.
            position: Place in the world at the start [m].
            axis: Direction of the z axis in the world at the start, a unit vector.
            rotation: Orientation in the world at the start; instead of ``axis``.
            frame_a: Frame on A, in its body frame.
            frame_b: Frame on B, in its body frame.
            collide: Whether the two bodies may touch; bodies that a joint connects do not.
            offset: Distance of the link from B's x axis [m]. Default: ``0``.
        """
        return cls(
            type="revolute_translational",
            a=a,
            b=b,
            name=name,
            position=position,
            axis=axis,
            rotation=rotation,
            frame_a=frame_a,
            frame_b=frame_b,
            collide=collide,
            offset=offset,
        )

    @classmethod
    def screw(
        cls,
        a: Ref,
        b: Ref,
        pitch: float,
        *,
        name: str | None = None,
        position: Vector | None = None,
        axis: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        frame_a: Frame | Mapping[str, Any] | None = None,
        frame_b: Frame | Mapping[str, Any] | None = None,
        collide: bool | None = None,
        limits: Sequence[Limit | Mapping[str, Any]] | None = None,
    ) -> Self:
        """Rotation about z coupled to translation along z by ``pitch``; coordinates ``angle``, ``displacement``.

        Args:
            a: Base body: ``body``, ``body/marker`` or ``ground``.
            b: Moved body: ``body``, ``body/marker`` or ``ground``.
            pitch: Displacement per turn [m].
            name: Unique name.
            position: Place in the world at the start [m].
            axis: Direction of the z axis in the world at the start, a unit vector.
            rotation: Orientation in the world at the start; instead of ``axis``.
            frame_a: Frame on A, in its body frame.
            frame_b: Frame on B, in its body frame.
            collide: Whether the two bodies may touch; bodies that a joint connects do not.
            limits: Bounds of its coordinates.
        """
        return cls(
            type="screw",
            a=a,
            b=b,
            pitch=pitch,
            name=name,
            position=position,
            axis=axis,
            rotation=rotation,
            frame_a=frame_a,
            frame_b=frame_b,
            collide=collide,
            limits=limits,
        )

    @classmethod
    def generic(
        cls,
        a: Ref,
        b: Ref,
        lock: Sequence[Literal["x", "y", "z", "rx", "ry", "rz"]],
        *,
        name: str | None = None,
        position: Vector | None = None,
        axis: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        frame_a: Frame | Mapping[str, Any] | None = None,
        frame_b: Frame | Mapping[str, Any] | None = None,
        collide: bool | None = None,
        limits: Sequence[Limit | Mapping[str, Any]] | None = None,
    ) -> Self:
        """The freedoms in ``lock`` are fixed; coordinates ``x``, ``y``, ``z`` where free, and ``angle`` about z
        if it is the only free rotation.

        Args:
            a: Base body: ``body``, ``body/marker`` or ``ground``.
            b: Moved body: ``body``, ``body/marker`` or ``ground``.
            lock: Freedoms that are fixed.
            name: Unique name.
            position: Place in the world at the start [m].
            axis: Direction of the z axis in the world at the start, a unit vector.
            rotation: Orientation in the world at the start; instead of ``axis``.
            frame_a: Frame on A, in its body frame.
            frame_b: Frame on B, in its body frame.
            collide: Whether the two bodies may touch; bodies that a joint connects do not.
            limits: Bounds of its coordinates.
        """
        return cls(
            type="generic",
            a=a,
            b=b,
            lock=lock,
            name=name,
            position=position,
            axis=axis,
            rotation=rotation,
            frame_a=frame_a,
            frame_b=frame_b,
            collide=collide,
            limits=limits,
        )

    @classmethod
    def trajectory(
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
        collide: bool | None = None,
        translation: Sequence[FunctionLike] | None = None,
        motion_axis: Vector | None = None,
        angle: FunctionLike | None = None,
    ) -> Self:
        """B follows a motion given in A's axes by ``translation``, ``motion_axis`` and ``angle``.

        Args:
            a: Base body: ``body``, ``body/marker`` or ``ground``.
            b: Moved body: ``body``, ``body/marker`` or ``ground``.
            name: Unique name.
            position: Place in the world at the start [m].
            axis: Direction of the z axis in the world at the start, a unit vector.
            rotation: Orientation in the world at the start; instead of ``axis``.
            frame_a: Frame on A, in its body frame.
            frame_b: Frame on B, in its body frame.
            collide: Whether the two bodies may touch; bodies that a joint connects do not.
            translation: Displacement along A's axes [m], functions of time.
            motion_axis: Axis of the rotation in A's axes, a unit vector. Default: ``(0, 0, 1)``.
            angle: Angle about the axis [rad], a function of time.
        """
        return cls(
            type="trajectory",
            a=a,
            b=b,
            name=name,
            position=position,
            axis=axis,
            rotation=rotation,
            frame_a=frame_a,
            frame_b=frame_b,
            collide=collide,
            translation=translation,
            motion_axis=motion_axis,
            angle=angle,
        )
