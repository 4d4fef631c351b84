"""Motors, and limits of joints.

Generated from the schema of scene files by `cargo xtask generate`; changes are lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._plain import Spec

if TYPE_CHECKING:

    from typing_extensions import Self

    from .._values import DriveLike, Ref

__all__ = [
    "Limit",
    "Motor",
]


class Limit(Spec):
    """Bounds of a joint coordinate."""

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
        """Build the description.

        Args:
            lower: Lower bound [m or rad].
            upper: Upper bound [m or rad].
            coordinate: Name of the coordinate. Default: the first of the joint.
            lower_deg: Lower bound [°]; instead of ``lower``.
            upper_deg: Upper bound [°]; instead of ``upper``.
            stiffness: Stiffness beyond the bound [N/m or N·m/rad]; without it the bound is rigid and
                needs the ``euler`` integrators.
            damping: Damping beyond a compliant bound [N·s/m or N·m·s/rad]. Default: ``0``.
            restitution: Coefficient of restitution of a rigid bound, 0 to 1. Default: ``0``.
        """
        super().__init__(
            coordinate=coordinate,
            lower=lower,
            upper=upper,
            lower_deg=lower_deg,
            upper_deg=upper_deg,
            stiffness=stiffness,
            damping=damping,
            restitution=restitution,
        )


class Motor(Spec):
    """A motor on a joint coordinate or a shaft."""

    __slots__ = ()
    _section = "motors"

    @classmethod
    def angle(
        cls,
        joint: Ref | None = None,
        drive: DriveLike = 0.0,
        *,
        name: str | None = None,
        coordinate: str | None = None,
        shaft: Ref | None = None,
    ) -> Self:
        """The angle [rad], by a function of time.

        Args:
            joint: Joint it acts on.
            drive: The prescribed angle [rad], displacement [m], speed, torque [N·m] or force [N].
                Default: ``0.0``.
            name: Unique name.
            coordinate: Coordinate of the joint. Default: the first one.
            shaft: Shaft it acts on; instead of ``joint``.
        """
        return cls(type="angle", drive=drive, name=name, joint=joint, coordinate=coordinate, shaft=shaft)

    @classmethod
    def position(
        cls,
        joint: Ref | None = None,
        drive: DriveLike = 0.0,
        *,
        name: str | None = None,
        coordinate: str | None = None,
        shaft: Ref | None = None,
    ) -> Self:
        """The displacement [m], by a function of time.

        Args:
            joint: Joint it acts on.
            drive: The prescribed angle [rad], displacement [m], speed, torque [N·m] or force [N].
                Default: ``0.0``.
            name: Unique name.
            coordinate: Coordinate of the joint. Default: the first one.
            shaft: Shaft it acts on; instead of ``joint``.
        """
        return cls(type="position", drive=drive, name=name, joint=joint, coordinate=coordinate, shaft=shaft)

    @classmethod
    def speed(
        cls,
        joint: Ref | None = None,
        drive: DriveLike = 0.0,
        *,
        name: str | None = None,
        coordinate: str | None = None,
        shaft: Ref | None = None,
    ) -> Self:
        """The speed [rad/s or m/s].

        Args:
            joint: Joint it acts on.
            drive: The prescribed angle [rad], displacement [m], speed, torque [N·m] or force [N].
                Default: ``0.0``.
            name: Unique name.
            coordinate: Coordinate of the joint. Default: the first one.
            shaft: Shaft it acts on; instead of ``joint``.
        """
        return cls(type="speed", drive=drive, name=name, joint=joint, coordinate=coordinate, shaft=shaft)

    @classmethod
    def torque(
        cls,
        joint: Ref | None = None,
        drive: DriveLike = 0.0,
        *,
        name: str | None = None,
        coordinate: str | None = None,
        shaft: Ref | None = None,
    ) -> Self:
        """The torque [N·m].

        Args:
            joint: Joint it acts on.
            drive: The prescribed angle [rad], displacement [m], speed, torque [N·m] or force [N].
                Default: ``0.0``.
            name: Unique name.
            coordinate: Coordinate of the joint. Default: the first one.
            shaft: Shaft it acts on; instead of ``joint``.
        """
        return cls(type="torque", drive=drive, name=name, joint=joint, coordinate=coordinate, shaft=shaft)

    @classmethod
    def force(
        cls,
        joint: Ref | None = None,
        drive: DriveLike = 0.0,
        *,
        name: str | None = None,
        coordinate: str | None = None,
        shaft: Ref | None = None,
    ) -> Self:
        """The force [N].

        Args:
            joint: Joint it acts on.
            drive: The prescribed angle [rad], displacement [m], speed, torque [N·m] or force [N].
                Default: ``0.0``.
            name: Unique name.
            coordinate: Coordinate of the joint. Default: the first one.
            shaft: Shaft it acts on; instead of ``joint``.
        """
        return cls(type="force", drive=drive, name=name, joint=joint, coordinate=coordinate, shaft=shaft)
