"""Gears, belts, other relations of coordinates, and shafts.

Generated from the schema of scene files by `cargo xtask generate`; changes are lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._plain import Spec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from typing_extensions import Self

    from .._values import Ref

__all__ = [
    "Coupling",
    "LinearTerm",
    "Shaft",
]


class Coupling(Spec):
    """A relation of joint coordinates and shaft angles."""

    __slots__ = ()
    _section = "couplings"

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
        """Pair of spur or helical gears.

        Args:
            joint_a: Joint the first gear turns on.
            joint_b: Joint the second gear turns on.
            name: Unique name.
            radius_a: Pitch radius of the first gear [m]; with ``radius_b`` the tooth forces act at the
                pitch point.
            radius_b: Pitch radius of the second gear [m].
            teeth_a: Teeth of the first gear; with ``teeth_b`` instead of radii.
            teeth_b: Teeth of the second gear.
            ratio: Speed of the first gear over speed of the second; instead of radii or teeth.
            internal: Whether one gear is internal, so that both turn in the same direction. Default:
                ``False``.
            pressure_angle_deg: Pressure angle [°] of the tooth force, for gears with radii. Default:
                ``20``.
            helix_angle_deg: Helix angle [°], for gears with radii. Default: ``0``.
        """
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
        cls,
        joint_a: Ref,
        joint_b: Ref,
        ratio: float,
        *,
        name: str | None = None,
        reverse: bool | None = None,
    ) -> Self:
        """Pair of bevel gears.

        Args:
            joint_a: Joint the first gear turns on.
            joint_b: Joint the second gear turns on.
            ratio: Speed of the first gear over speed of the second: teeth of the second over teeth of the
                first.
            name: Unique name.
            reverse: Whether both angles grow together instead of against each other. Default: ``False``.
        """
        return cls(type="bevel_gear", joint_a=joint_a, joint_b=joint_b, ratio=ratio, name=name, reverse=reverse)

    @classmethod
    def rack_pinion(
        cls,
        pinion: Ref,
        rack: Ref,
        radius: float,
        *,
        name: str | None = None,
        reverse: bool | None = None,
    ) -> Self:
        """Rack and pinion.

        Args:
            pinion: Joint the pinion turns on.
            rack: Joint the rack slides on.
            radius: Pitch radius of the pinion [m].
            name: Unique name.
            reverse: Whether a growing angle makes the displacement smaller. Default: ``False``.
        """
        return cls(type="rack_pinion", pinion=pinion, rack=rack, radius=radius, name=name, reverse=reverse)

    @classmethod
    def belt(
        cls,
        joint_a: Ref,
        joint_b: Ref,
        radius_a: float,
        radius_b: float,
        *,
        name: str | None = None,
        crossed: bool | None = None,
    ) -> Self:
        """Belt or chain over two pulleys.

        Args:
            joint_a: Joint the first pulley turns on.
            joint_b: Joint the second pulley turns on.
            radius_a: Radius of the first pulley [m].
            radius_b: Radius of the second pulley [m].
            name: Unique name.
            crossed: Whether the belt is crossed, so that the pulleys turn against each other. Default:
                ``False``.
        """
        return cls(
            type="belt",
            joint_a=joint_a,
            joint_b=joint_b,
            radius_a=radius_a,
            radius_b=radius_b,
            name=name,
            crossed=crossed,
        )

    @classmethod
    def shaft_gear(cls, shaft_a: Ref, shaft_b: Ref, ratio: float, *, name: str | None = None) -> Self:
        """Gear between two shafts.

        Args:
            shaft_a: First shaft.
            shaft_b: Second shaft.
            ratio: Speed of the first shaft over speed of the second; negative if they turn against each
                other.
            name: Unique name.
        """
        return cls(type="shaft_gear", shaft_a=shaft_a, shaft_b=shaft_b, ratio=ratio, name=name)

    @classmethod
    def shaft_joint(
        cls,
        shaft: Ref,
        joint: Ref,
        *,
        name: str | None = None,
        coordinate: str | None = None,
        ratio: float | None = None,
    ) -> Self:
        """Shaft that turns or moves a joint coordinate.

        Args:
            shaft: The shaft.
            joint: The joint.
            name: Unique name.
            coordinate: Coordinate of the joint. Default: the first one.
            ratio: Speed of the shaft over rate of the coordinate [1, or rad/m]. Default: ``1``.
        """
        return cls(type="shaft_joint", shaft=shaft, joint=joint, name=name, coordinate=coordinate, ratio=ratio)

    @classmethod
    def linear(cls, terms: Sequence[LinearTerm | Mapping[str, Any]], *, name: str | None = None) -> Self:
        """Any weighted sum of coordinates that keeps its value at the start.

        Args:
            terms: The coordinates and their weights.
            name: Unique name.
        """
        return cls(type="linear", terms=terms, name=name)


class Shaft(Spec):
    """A shaft with one rotation."""

    __slots__ = ()
    _section = "shafts"

    def __init__(
        self,
        inertia: float,
        *,
        name: str | None = None,
        angle: float | None = None,
        speed: float | None = None,
    ) -> None:
        """Build the description.

        Args:
            inertia: Moment of inertia [kg·m²].
            name: Unique name.
            angle: Angle at the start [rad]. Default: ``0``.
            speed: Speed at the start [rad/s]. Default: ``0``.
        """
        super().__init__(inertia=inertia, name=name, angle=angle, speed=speed)


class LinearTerm(Spec):
    """One weighted coordinate."""

    __slots__ = ()

    def __init__(
        self,
        *,
        joint: Ref | None = None,
        coordinate: str | None = None,
        shaft: Ref | None = None,
        weight: float | None = None,
    ) -> None:
        """Build the description.

        Args:
            joint: The joint.
            coordinate: Coordinate of the joint. Default: the first one.
            shaft: The shaft; instead of ``joint``.
            weight: Weight. Default: ``1``.
        """
        super().__init__(joint=joint, coordinate=coordinate, shaft=shaft, weight=weight)
