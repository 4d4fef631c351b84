"""Materials of surfaces, and exceptions for pairs.

Generated from the schema of scene files by `cargo xtask generate`; changes are lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._plain import Spec

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from typing_extensions import Self

    from .._values import Ref

__all__ = [
    "ContactPair",
    "ContactStiffness",
    "Material",
]


class Material(Spec):
    """Surface of a shape: one set of numbers for both contact laws.

    Where two materials meet, the lesser friction, restitution, rolling and spinning friction and cohesion
    counts, and their elasticities act in series; ``contact_pairs`` says otherwise for single pairs.
    """

    __slots__ = ()
    _section = "materials"

    def __init__(
        self,
        *,
        name: str | None = None,
        friction: float | None = None,
        restitution: float | None = None,
        rolling_friction: float | None = None,
        spinning_friction: float | None = None,
        cohesion: float | None = None,
        compliance: float | None = None,
        damping: float | None = None,
        young: float | None = None,
        poisson: float | None = None,
        adhesion_dmt: float | None = None,
        cleanliness: float | None = None,
        cohesion_density: float | None = None,
        stiffness: ContactStiffness | Mapping[str, Any] | None = None,
    ) -> None:
        """Build the description.

        Args:
            name: Name, unique among the materials.
            friction: Coefficient of friction. Default: ``0.6``.
            restitution: Coefficient of restitution, 0 to 1. Default: ``0``.
            rolling_friction: Rolling friction [m]: the arm by which the normal force resists rolling.
                Default: ``0``.
            spinning_friction: Spinning friction [m]. Default: ``0``.
            cohesion: Force that must be overcome to part two surfaces [N]. Default: ``0``.
            compliance: Normal compliance of the rigid law [m/N]; zero is perfectly rigid. Default: ``0``.
            damping: Normal damping of the rigid law [N·s/m], where ``compliance`` is not zero. Default:
                ``0``.
            young: Young's modulus [Pa], compliant law; infinite for a rigid partner. Default:
                ``20000000``.
            poisson: Poisson's ratio, compliant law. Default: ``0.3``.
            adhesion_dmt: Multiplier of the adhesive force of derjaguin1975 [N/√m], compliant law with
                ``adhesion = "dmt"``. Default: ``0``.
            cleanliness: Cleanliness of the surface, 0 to 1, compliant law with the adhesion of perko2001.
                Default: ``0``.
            cohesion_density: Energy density of adhesion that grows with the area of contact [J/m³],
                compliant law with ``adhesion = "sjkr"``. Default: ``0``.
            stiffness: Coefficients of the compliant law given directly instead of through ``young`` and
                ``poisson``.
        """
        super().__init__(
            name=name,
            friction=friction,
            restitution=restitution,
            rolling_friction=rolling_friction,
            spinning_friction=spinning_friction,
            cohesion=cohesion,
            compliance=compliance,
            damping=damping,
            young=young,
            poisson=poisson,
            adhesion_dmt=adhesion_dmt,
            cleanliness=cleanliness,
            cohesion_density=cohesion_density,
            stiffness=stiffness,
        )

    @classmethod
    def rigid(
        cls,
        *,
        name: str | None = None,
        friction: float | None = None,
        restitution: float | None = None,
        rolling_friction: float | None = None,
        spinning_friction: float | None = None,
        cohesion: float | None = None,
        compliance: float | None = None,
        damping: float | None = None,
        young: float | None = None,
        poisson: float | None = None,
        adhesion_dmt: float | None = None,
        cleanliness: float | None = None,
        cohesion_density: float | None = None,
        stiffness: ContactStiffness | Mapping[str, Any] | None = None,
    ) -> Self:
        """Build a material for the rigid law; what is not given has its default.

        Args:
            name: Name, unique among the materials.
            friction: Coefficient of friction. Default: ``0.6``.
            restitution: Coefficient of restitution, 0 to 1. Default: ``0``.
            rolling_friction: Rolling friction [m]: the arm by which the normal force resists rolling.
                Default: ``0``.
            spinning_friction: Spinning friction [m]. Default: ``0``.
            cohesion: Force that must be overcome to part two surfaces [N]. Default: ``0``.
            compliance: Normal compliance of the rigid law [m/N]; zero is perfectly rigid. Default: ``0``.
            damping: Normal damping of the rigid law [N·s/m], where ``compliance`` is not zero. Default:
                ``0``.
            young: Young's modulus [Pa], compliant law; infinite for a rigid partner. Default:
                ``20000000``.
            poisson: Poisson's ratio, compliant law. Default: ``0.3``.
            adhesion_dmt: Multiplier of the adhesive force of derjaguin1975 [N/√m], compliant law with
                ``adhesion = "dmt"``. Default: ``0``.
            cleanliness: Cleanliness of the surface, 0 to 1, compliant law with the adhesion of perko2001.
                Default: ``0``.
            cohesion_density: Energy density of adhesion that grows with the area of contact [J/m³],
                compliant law with ``adhesion = "sjkr"``. Default: ``0``.
            stiffness: Coefficients of the compliant law given directly instead of through ``young`` and
                ``poisson``.
        """
        return cls(
            name=name,
            friction=friction,
            restitution=restitution,
            rolling_friction=rolling_friction,
            spinning_friction=spinning_friction,
            cohesion=cohesion,
            compliance=compliance,
            damping=damping,
            young=young,
            poisson=poisson,
            adhesion_dmt=adhesion_dmt,
            cleanliness=cleanliness,
            cohesion_density=cohesion_density,
            stiffness=stiffness,
        )

    @classmethod
    def elastic(
        cls,
        young: float,
        poisson: float = 0.3,
        *,
        name: str | None = None,
        friction: float | None = None,
        restitution: float | None = None,
        rolling_friction: float | None = None,
        spinning_friction: float | None = None,
        cohesion: float | None = None,
        compliance: float | None = None,
        damping: float | None = None,
        adhesion_dmt: float | None = None,
        cleanliness: float | None = None,
        cohesion_density: float | None = None,
        stiffness: ContactStiffness | Mapping[str, Any] | None = None,
    ) -> Self:
        """Build a material for the compliant law.

        Args:
            young: Young's modulus [Pa], compliant law; infinite for a rigid partner.
            poisson: Poisson's ratio, compliant law. Default: ``0.3``.
            name: Name, unique among the materials.
            friction: Coefficient of friction. Default: ``0.6``.
            restitution: Coefficient of restitution, 0 to 1. Default: ``0``.
            rolling_friction: Rolling friction [m]: the arm by which the normal force resists rolling.
                Default: ``0``.
            spinning_friction: Spinning friction [m]. Default: ``0``.
            cohesion: Force that must be overcome to part two surfaces [N]. Default: ``0``.
            compliance: Normal compliance of the rigid law [m/N]; zero is perfectly rigid. Default: ``0``.
            damping: Normal damping of the rigid law [N·s/m], where ``compliance`` is not zero. Default:
                ``0``.
            adhesion_dmt: Multiplier of the adhesive force of derjaguin1975 [N/√m], compliant law with
                ``adhesion = "dmt"``. Default: ``0``.
            cleanliness: Cleanliness of the surface, 0 to 1, compliant law with the adhesion of perko2001.
                Default: ``0``.
            cohesion_density: Energy density of adhesion that grows with the area of contact [J/m³],
                compliant law with ``adhesion = "sjkr"``. Default: ``0``.
            stiffness: Coefficients of the compliant law given directly instead of through ``young`` and
                ``poisson``.
        """
        return cls(
            name=name,
            friction=friction,
            restitution=restitution,
            rolling_friction=rolling_friction,
            spinning_friction=spinning_friction,
            cohesion=cohesion,
            compliance=compliance,
            damping=damping,
            young=young,
            poisson=poisson,
            adhesion_dmt=adhesion_dmt,
            cleanliness=cleanliness,
            cohesion_density=cohesion_density,
            stiffness=stiffness,
        )


class ContactPair(Spec):
    """An exception: whether two bodies may touch, or what two materials make together."""

    __slots__ = ()
    _section = "contact_pairs"

    @classmethod
    def bodies(cls, a: Ref, b: Ref, *, collide: bool) -> Self:
        """Take two bodies out, or let two bodies touch that a joint connects.

        Args:
            a: Two bodies, for ``collide``.
            b: Two bodies, for ``collide``.
            collide: Whether the two bodies touch: ``false`` takes them out, ``true`` lets bodies touch
                that a joint connects.
        """
        return cls(bodies=[a, b], collide=collide)

    @classmethod
    def materials(
        cls,
        a: Ref,
        b: Ref,
        *,
        friction: float | None = None,
        restitution: float | None = None,
        rolling_friction: float | None = None,
        spinning_friction: float | None = None,
        cohesion: float | None = None,
        compliance: float | None = None,
        damping: float | None = None,
        stiffness: ContactStiffness | Mapping[str, Any] | None = None,
    ) -> Self:
        """Give two materials numbers of their own; what is absent follows from the materials.

        Args:
            a: Two materials, for the numbers below; what is absent follows from the materials.
            b: Two materials, for the numbers below; what is absent follows from the materials.
            friction: Coefficient of friction.
            restitution: Coefficient of restitution, 0 to 1.
            rolling_friction: Rolling friction [m]: the arm by which the normal force resists rolling.
            spinning_friction: Spinning friction [m].
            cohesion: Force that must be overcome to part two surfaces [N].
            compliance: Normal compliance of the rigid law [m/N]; zero is perfectly rigid.
            damping: Normal damping of the rigid law [N·s/m], where ``compliance`` is not zero.
            stiffness: Coefficients of the compliant law.
        """
        return cls(
            materials=[a, b],
            friction=friction,
            restitution=restitution,
            rolling_friction=rolling_friction,
            spinning_friction=spinning_friction,
            cohesion=cohesion,
            compliance=compliance,
            damping=damping,
            stiffness=stiffness,
        )


class ContactStiffness(Spec):
    """Coefficients of the compliant contact law given directly, instead of through ``young`` and ``poisson``."""

    __slots__ = ()

    def __init__(
        self,
        normal: float,
        *,
        tangential: float | None = None,
        normal_damping: float | None = None,
        tangential_damping: float | None = None,
    ) -> None:
        """Build the description.

        Args:
            normal: Normal stiffness [N/m] (Hooke) or [N/m²] (Hertz, times √(R δ)).
            tangential: Tangential stiffness, same dimension. Default: ``0``.
            normal_damping: Normal damping [1/s] (Hooke) or [1/(m·s)] (Hertz). Default: ``0``.
            tangential_damping: Tangential damping, same dimension. Default: ``0``.
        """
        super().__init__(
            normal=normal,
            tangential=tangential,
            normal_damping=normal_damping,
            tangential_damping=tangential_damping,
        )
