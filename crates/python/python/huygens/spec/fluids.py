"""Fluids.

Generated from the schema of scene files by `cargo xtask generate`; changes are lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._plain import Spec
from .._shortcuts import FluidShortcuts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal

    from typing_extensions import Self

    from .._values import Matrix, Ref, Vector
    from .grains import FillMesh, Periodic
    from .values import Region
    from .walls import FluidWall

__all__ = [
    "DensityFilter",
    "Fluid",
    "FluidBounds",
    "FluidClumping",
    "FluidFill",
    "FluidInlet",
    "FluidOutlet",
    "FluidShifting",
    "FluidState",
    "MarkerContact",
    "Rheology",
]


class Fluid(FluidShortcuts):
    """A fluid, weakly compressible or solved as constraints together with joints and contacts, with its walls,
    bodies and structures.

    Keys that belong to one method only say so; the other refuses them. A body or structure meets the fluid
    where it is named in ``bodies`` or ``structures``, by markers that fill its shapes.
    """

    __slots__ = ()
    _section = "fluids"

    def __init__(
        self,
        name: str | None = None,
        *,
        spacing: float,
        method: Literal["weakly_compressible", "constraint"] | None = None,
        density: float | None = None,
        viscosity: float | None = None,
        rheology: Rheology | Mapping[str, Any] | None = None,
        sound_speed: float | None = None,
        max_speed: float | None = None,
        kernel: Literal["cubic_spline", "quintic_spline", "wendland_c2", "wendland_c4", "poly6_spiky"] | None = None,
        smoothing: float | None = None,
        state: FluidState | Mapping[str, Any] | None = None,
        tension: bool | None = None,
        wall_model: Literal["projected", "balanced"] | None = None,
        viscous: Literal["morris", "laminar", "central"] | None = None,
        artificial: float | None = None,
        diffusion: float | None = None,
        xsph: float | None = None,
        shifting: FluidShifting | Mapping[str, Any] | None = None,
        density_filter: DensityFilter | Mapping[str, Any] | None = None,
        gradient_correction: bool | None = None,
        scheme: Literal["leapfrog", "predictor_corrector"] | None = None,
        law: Literal["density", "spheres"] | None = None,
        bilateral: bool | None = None,
        normalized: bool | None = None,
        compliance: float | None = None,
        stabilization: float | None = None,
        clumping: FluidClumping | Mapping[str, Any] | None = None,
        contact: MarkerContact | Mapping[str, Any] | None = None,
        plane: Literal["xy", "xz", "yz"] | None = None,
        periodic: Periodic | Mapping[str, Any] | None = None,
        step: float | Literal["auto"] | None = None,
        courant: float | None = None,
        acceleration: Vector | None = None,
        bounds: FluidBounds | Mapping[str, Any] | None = None,
        fills: Sequence[FluidFill | Mapping[str, Any]] | None = None,
        walls: Sequence[FluidWall | Mapping[str, Any]] | None = None,
        bodies: Sequence[Ref] | None = None,
        structures: Sequence[Ref] | None = None,
        inlets: Sequence[FluidInlet | Mapping[str, Any]] | None = None,
        outlets: Sequence[FluidOutlet | Mapping[str, Any]] | None = None,
    ) -> None:
        r"""Build the description.

        Args:
            name: Unique name.
            spacing: Distance of particles [m].
            method: How it is computed.
            density: Density at rest [kg/m³]. Default: ``1000``.
            viscosity: Viscosity [Pa·s]. Default: that of water, or ``rheology`` if given; a constraint
                fluid is inviscid by default.
            rheology: Viscosity that depends on the rate of shear; instead of ``viscosity``. Weakly
                compressible.
            sound_speed: Speed of sound [m/s]; ten times the ``max_speed`` if absent. Weakly compressible.
            max_speed: Maximum speed expected [m/s]. Default: the larger of the initial speed and that of
                a fall through the height of the fluid, $\sqrt{2 g H}$. Weakly compressible.
            kernel: Kernel. Default: ``"wendland_c2"``.
            smoothing: Length of the kernel in spacings; 1.5 if absent. Of a constraint fluid 1.1, and 1.6
                in a plane.
            state: Equation of state. Weakly compressible.
            tension: Whether pressure may fall below zero. Weakly compressible. Default: ``True``.
            wall_model: How walls answer. Weakly compressible. Default: ``"balanced"``.
            viscous: How viscous forces are found. Weakly compressible. Default: ``"morris"``.
            artificial: Artificial viscosity α, less what viscosity the fluid has; 0 is none. Weakly
                compressible. Default: ``0.005``.
            diffusion: Diffusion of density δ; 0 is none. Weakly compressible. Default: ``0.1``.
            xsph: Share of the mean velocity of the neighbours by which particles are moved, or which
                markers of a constraint fluid adopt in a step; 0 disables it. Default: 0; 0.05 for a
                constraint fluid.
            shifting: Particle shifting. Default: on; ``{ strength = 0 }`` disables it. Weakly
                compressible.
            density_filter: Filter of density. Weakly compressible.
            gradient_correction: Whether gradients of linear fields are exact. Weakly compressible.
                Default: ``False``.
            scheme: Time scheme. Weakly compressible. Default: ``"leapfrog"``.
            law: What keeps markers apart. Constraint.
            bilateral: Whether markers also resist separation. Default: false. Constraint fluids only.
            normalized: Whether densities are divided by the share of the kernel that is full, so that
                markers at a surface count as those inside; no if absent. Constraint.
            compliance: Compliance of the density constraint, in units of the inverse mass of a marker.
                Default: 0.1. Constraint fluids only.
            stabilization: Fraction of the excess density that a step removes, above 0 and at most 1.
                Default: 0.3. Constraint.
            clumping: Moves markers apart that have come together. Constraint.
            contact: Markers as spheres of the contact stage. Constraint.
            plane: Plane of a flow in two dimensions; particles are put into the plane through the origin.
                Bodies in it need masses per metre of its normal.
            periodic: Periodic axes.
            step: Step of the fluid [s], or ``"auto"``: as long as sound, viscosity and forces allow.
                Every step of the world is cut into such ones. Weakly compressible.
            courant: Share of the time in which sound crosses the kernel that a step may take. Weakly
                compressible.
            acceleration: Acceleration in addition to gravity [m/s²], such as the pressure gradient along
                a channel divided by the density.
            bounds: Domain boundary of the fluid. Default: unbounded.
            fills: Where fluid is at the start.
            walls: Walls.
            bodies: Names of bodies that meet the fluid with the shapes they collide with, or else the
                solid that gives their mass.
            structures: Names of flexible structures that meet the fluid with the contact surface of their
                lines.
            inlets: Where fluid comes in. Weakly compressible.
            outlets: Where fluid goes out. Weakly compressible.
        """
        super().__init__(
            name=name,
            method=method,
            spacing=spacing,
            density=density,
            viscosity=viscosity,
            rheology=rheology,
            sound_speed=sound_speed,
            max_speed=max_speed,
            kernel=kernel,
            smoothing=smoothing,
            state=state,
            tension=tension,
            wall_model=wall_model,
            viscous=viscous,
            artificial=artificial,
            diffusion=diffusion,
            xsph=xsph,
            shifting=shifting,
            density_filter=density_filter,
            gradient_correction=gradient_correction,
            scheme=scheme,
            law=law,
            bilateral=bilateral,
            normalized=normalized,
            compliance=compliance,
            stabilization=stabilization,
            clumping=clumping,
            contact=contact,
            plane=plane,
            periodic=periodic,
            step=step,
            courant=courant,
            acceleration=acceleration,
            bounds=bounds,
            fills=fills,
            walls=walls,
            bodies=bodies,
            structures=structures,
            inlets=inlets,
            outlets=outlets,
        )


class Rheology(Spec):
    """Viscosity that depends on the rate of shear."""

    __slots__ = ()

    @classmethod
    def newtonian(cls, viscosity: float) -> Self:
        """Constant.

        Args:
            viscosity: Viscosity [Pa·s].
        """
        return cls(type="newtonian", viscosity=viscosity)

    @classmethod
    def power_law(cls, consistency: float, exponent: float, most: float) -> Self:
        r"""$\mu = K\dot\gamma^{n-1}$.

        Args:
            consistency: Consistency K [Pa·sⁿ].
            exponent: Exponent n.
            most: Maximum viscosity [Pa·s].
        """
        return cls(type="power_law", consistency=consistency, exponent=exponent, most=most)

    @classmethod
    def bingham(cls, viscosity: float, yield_stress: float, most: float, *, sharpness: float | None = None) -> Self:
        """Flows above a yield stress, then at a constant viscosity.

        Args:
            viscosity: Viscosity [Pa·s] when it flows.
            yield_stress: Yield stress [Pa].
            most: Maximum viscosity [Pa·s].
            sharpness: How sharply the stress rises [s]. Default: ``100``.
        """
        return cls(type="bingham", viscosity=viscosity, yield_stress=yield_stress, most=most, sharpness=sharpness)

    @classmethod
    def herschel_bulkley(
        cls,
        consistency: float,
        exponent: float,
        yield_stress: float,
        most: float,
        *,
        sharpness: float | None = None,
    ) -> Self:
        """Flows above a yield stress, then by a power law.

        Args:
            consistency: Consistency K [Pa·sⁿ].
            exponent: Exponent n.
            yield_stress: Yield stress [Pa].
            most: Maximum viscosity [Pa·s].
            sharpness: How sharply the stress rises [s]. Default: ``100``.
        """
        return cls(
            type="herschel_bulkley",
            consistency=consistency,
            exponent=exponent,
            yield_stress=yield_stress,
            most=most,
            sharpness=sharpness,
        )


class FluidState(Spec):
    """Pressure from density."""

    __slots__ = ()

    @classmethod
    def tait(cls, *, exponent: float | None = None) -> Self:
        r"""$p = \frac{c^2\rho_0}{\gamma}[(\rho/\rho_0)^\gamma - 1]$.

        Args:
            exponent: Exponent γ. Default: ``7``.
        """
        return cls(type="tait", exponent=exponent)

    @classmethod
    def linear(cls) -> Self:
        r"""$p = c^2(\rho - \rho_0)$."""
        return cls(type="linear")


class FluidShifting(Spec):
    """Particles are moved to where there are fewer."""

    __slots__ = ()

    def __init__(self, *, strength: float | None = None, free_surface: bool | None = None) -> None:
        """Build the description.

        Args:
            strength: Strength; 0 disables shifting. Default: ``8``.
            free_surface: Whether particles with too few neighbours stay, as at a free surface, and all
                others are shifted. Default: all particles are shifted while the fluid fills its room, and
                none once it has a free surface.
        """
        super().__init__(strength=strength, free_surface=free_surface)


class DensityFilter(Spec):
    """A filter of density."""

    __slots__ = ()

    def __init__(self, *, type: Literal["shepard", "consistent"] | None = None, every: int | None = None) -> None:
        """Build the description.

        Args:
            type: Which. Default: ``"shepard"``.
            every: Steps of the fluid between two filters. Default: ``30``.
        """
        super().__init__(type=type, every=every)


class FluidClumping(Spec):
    """Moves markers apart that have come together; their velocities stay."""

    __slots__ = ()

    def __init__(
        self,
        *,
        strength: float | None = None,
        exponent: int | None = None,
        distance: float | None = None,
    ) -> None:
        """Build the description.

        Args:
            strength: Strength. Default: ``0.1``.
            exponent: Exponent. Default: ``4``.
            distance: Distance in units of the support radius of the kernel. Default: ``0.2``.
        """
        super().__init__(strength=strength, exponent=exponent, distance=distance)


class MarkerContact(Spec):
    """Markers as spheres of the contact stage: they do not penetrate shapes and feel their friction."""

    __slots__ = ()

    def __init__(self, *, material: Ref | None = None, radius: float | None = None) -> None:
        """Build the description.

        Args:
            material: Name of their material. Default: the default material.
            radius: Radius in spacings: one half where what they touch has no markers, less where it has.
                Default: ``0.5``.
        """
        super().__init__(material=material, radius=radius)


class FluidBounds(Spec):
    """The box in which a fluid is kept."""

    __slots__ = ()

    def __init__(self, low: Vector, high: Vector, *, closed: bool | None = None) -> None:
        """Build the description.

        Args:
            low: Lowest corner [m].
            high: Highest corner [m].
            closed: Whether a particle that leaves is an error; else such particles are removed and
                counted. Default: ``False``.
        """
        super().__init__(low=low, high=high, closed=closed)


class FluidFill(Spec):
    """A place that is full of fluid at the start."""

    __slots__ = ()

    def __init__(
        self,
        *,
        region: Region | Mapping[str, Any] | None = None,
        mesh: FillMesh | Mapping[str, Any] | None = None,
        points: Matrix | None = None,
        velocity: Vector | None = None,
        hydrostatic: bool | None = None,
        carve: bool | None = None,
    ) -> None:
        """Build the description.

        Args:
            region: Region.
            mesh: Closed mesh; instead of ``region``.
            points: Particles one by one [m]; instead of ``region``.
            velocity: Velocity [m/s]. Default: ``(0, 0, 0)``.
            hydrostatic: Whether pressure is that of a fluid at rest below the highest point of the fill.
                Default: ``True``.
            carve: Whether walls take room from the fill. Bodies and structures always do; where walls may
                not, a fill that overlaps one is an error. Default: ``False``.
        """
        super().__init__(
            region=region,
            mesh=mesh,
            points=points,
            velocity=velocity,
            hydrostatic=hydrostatic,
            carve=carve,
        )


class FluidInlet(Spec):
    """A rectangle through which fluid comes in at a constant velocity."""

    __slots__ = ()

    def __init__(
        self,
        center: Vector,
        velocity: Vector,
        along: Vector,
        size: Vector,
        *,
        name: str | None = None,
    ) -> None:
        """Build the description.

        Args:
            center: Centre [m].
            velocity: Velocity [m/s], normal to the rectangle.
            along: Direction of one side of the rectangle, normal to the velocity.
            size: Length of this side and of the other [m]; in a plane the second is not used.
            name: Name, unique among the walls, bodies, structures, inlets and outlets of the fluid.
        """
        super().__init__(center=center, velocity=velocity, along=along, size=size, name=name)


class FluidOutlet(Spec):
    """A plane through which fluid goes out."""

    __slots__ = ()

    def __init__(self, position: Vector, normal: Vector, *, name: str | None = None) -> None:
        """Build the description.

        Args:
            position: A point of the plane [m].
            normal: Direction out of the fluid.
            name: Name, unique among the walls, bodies, structures, inlets and outlets of the fluid.
        """
        super().__init__(position=position, normal=normal, name=name)
