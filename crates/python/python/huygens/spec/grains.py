"""Granular matter.

Generated from the schema of scene files by `cargo xtask generate`; changes are lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._plain import Spec, either

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal

    from typing_extensions import Self

    from .._shortcuts import Rotate
    from .._values import IntegerRows, Matrix, Ref, Vector
    from .measures import GrainMeasure
    from .settings import CompliantModel
    from .values import Frame, Region
    from .walls import Wall

__all__ = [
    "Clump",
    "ClumpSphere",
    "DragFlow",
    "FillMesh",
    "GrainBoundary",
    "GrainDrag",
    "GrainFill",
    "GrainInlet",
    "GrainOutlet",
    "GrainPattern",
    "GrainSizes",
    "Grains",
    "NearField",
    "Particles",
    "Periodic",
    "Plane",
]


class Grains(Spec):
    """Granular matter: spheres under the compliant contact law, on fields of their own, and the walls they
    touch.

    Grains touch one another and the walls of their set. They do not see the shapes of bodies: a body meets
    them through walls that it carries.
    """

    __slots__ = ()
    _section = "grains"

    def __init__(
        self,
        name: str | None = None,
        *,
        material: Ref | None = None,
        laws: CompliantModel | Mapping[str, Any] | None = None,
        step: float | Literal["auto"] | None = None,
        speed: float | None = None,
        periodic: Periodic | Mapping[str, Any] | None = None,
        walls: Sequence[Wall | Mapping[str, Any]] | None = None,
        particles: Sequence[Particles | Mapping[str, Any]] | None = None,
        clumps: Sequence[Clump | Mapping[str, Any]] | None = None,
        fills: Sequence[GrainFill | Mapping[str, Any]] | None = None,
        inlets: Sequence[GrainInlet | Mapping[str, Any]] | None = None,
        outlets: Sequence[GrainOutlet | Mapping[str, Any]] | None = None,
        drag: GrainDrag | Mapping[str, Any] | None = None,
        near_field: NearField | Mapping[str, Any] | None = None,
        measures: Sequence[GrainMeasure | Mapping[str, Any]] | None = None,
        boundary: GrainBoundary | Mapping[str, Any] | None = None,
    ) -> None:
        """Build the description.

        Args:
            name: Unique name.
            material: Material of grains and walls that name none. Default: ``default``.
            laws: Laws of contact; those of ``settings.contact.compliant`` if absent.
            step: Longest step of the grains [s], or ``"auto"``; every step of the world is cut into equal
                ones.
            speed: Maximum impact speed assumed by ``step = "auto"`` [m/s]. Default: from the initial
                speeds and the height of the grains.
            periodic: Periodic axes.
            walls: Walls.
            particles: Grains, given one by one.
            clumps: Kinds of clumps, grains of several spheres.
            fills: Regions full of grains.
            inlets: Where grains are inserted during the simulation.
            outlets: Where grains disappear.
            drag: Drag of a fluid.
            near_field: Forces between grains that are near without touching.
            measures: What is measured and written to files.
            boundary: What happens to grains that leave a box. Default: nothing.
        """
        super().__init__(
            name=name,
            material=material,
            laws=laws,
            step=step,
            speed=speed,
            periodic=periodic,
            walls=walls,
            particles=particles,
            clumps=clumps,
            fills=fills,
            inlets=inlets,
            outlets=outlets,
            drag=drag,
            near_field=near_field,
            measures=measures,
            boundary=boundary,
        )


class Particles(Spec):
    """Grains given one by one."""

    __slots__ = ()

    def __init__(
        self,
        positions: Matrix | str | os.PathLike[str],
        *,
        density: float,
        frame: Frame | Mapping[str, Any] | None = None,
        radius: float | None = None,
        radii: Vector | None = None,
        velocity: Vector | None = None,
        velocities: Matrix | None = None,
        angular_velocities: Matrix | None = None,
        material: Ref | None = None,
    ) -> None:
        """Build the description.

        Args:
            positions: Centres [m]. Or the path of a file that holds them.
            density: Density [kg/m³].
            frame: Where the axes of the ``file`` lie. Default: those of the world.
            radius: Radius of all [m].
            radii: Radius of each [m]; instead of ``radius``.
            velocity: Velocity of all [m/s].
            velocities: Velocity of each [m/s]; instead of ``velocity``.
            angular_velocities: Angular velocity of each [rad/s], world axes. Default: zero.
            material: Material. Default: that of the set.
        """
        super().__init__(
            density=density,
            frame=frame,
            radius=radius,
            radii=radii,
            velocity=velocity,
            velocities=velocities,
            angular_velocities=angular_velocities,
            material=material,
            **either("positions", "file", positions),
        )


class Periodic(Spec):
    """Periodic axes: lower and upper bound [m] of each."""

    __slots__ = ()

    def __init__(self, *, x: Vector | None = None, y: Vector | None = None, z: Vector | None = None) -> None:
        """Build the description.

        Args:
            x: Along x [m].
            y: Along y [m].
            z: Along z [m].
        """
        super().__init__(x=x, y=y, z=z)


class Clump(Spec):
    """A kind of clump, and those that are given one by one; fills of the set can name it.

    Mass, centre of mass and inertia are those of the union of its spheres.
    """

    __slots__ = ()

    def __init__(
        self,
        spheres: Sequence[ClumpSphere | Mapping[str, Any]],
        density: float,
        *,
        name: str | None = None,
        material: Ref | None = None,
        positions: Matrix | None = None,
        rotations: Sequence[Rotate | Vector | Mapping[str, Any]] | None = None,
        velocities: Matrix | None = None,
        angular_velocities: Matrix | None = None,
    ) -> None:
        """Build the description.

        Args:
            spheres: Its spheres, which may overlap.
            density: Density [kg/m³].
            name: Name, unique among the clumps of the set.
            material: Material. Default: that of the set.
            positions: Where the axes of clumps lie [m], one clump each.
            rotations: Orientation of each. Default: the world's axes.
            velocities: Velocity of the centre of mass of each [m/s]. Default: zero.
            angular_velocities: Angular velocity of each [rad/s], world axes. Default: zero.
        """
        super().__init__(
            spheres=spheres,
            density=density,
            name=name,
            material=material,
            positions=positions,
            rotations=rotations,
            velocities=velocities,
            angular_velocities=angular_velocities,
        )


class GrainFill(Spec):
    """A region full of grains."""

    __slots__ = ()

    def __init__(
        self,
        pattern: GrainPattern | Mapping[str, Any],
        *,
        region: Region | Mapping[str, Any] | None = None,
        mesh: FillMesh | Mapping[str, Any] | None = None,
        radius: float | None = None,
        sizes: GrainSizes | Mapping[str, Any] | None = None,
        clump: Ref | None = None,
        density: float | None = None,
        velocity: Vector | None = None,
        material: Ref | None = None,
        seed: int | None = None,
    ) -> None:
        """Build the description.

        Args:
            pattern: How they are arranged.
            region: Where; grains lie entirely inside. A fill with a ``mesh`` needs none.
            mesh: A closed mesh that no grain reaches out of.
            radius: Radius of all [m].
            sizes: Distribution of radii; instead of ``radius``.
            clump: Clumps of this kind, turned at random, instead of grains with ``radius`` or ``sizes``
                and a ``density``.
            density: Density [kg/m³].
            velocity: Velocity [m/s]. Default: ``(0, 0, 0)``.
            material: Material. Default: that of the set.
            seed: Seed of the random numbers. Default: ``0``.
        """
        super().__init__(
            pattern=pattern,
            region=region,
            mesh=mesh,
            radius=radius,
            sizes=sizes,
            clump=clump,
            density=density,
            velocity=velocity,
            material=material,
            seed=seed,
        )


class GrainInlet(Spec):
    """Grains that are inserted into a region during the simulation."""

    __slots__ = ()

    def __init__(
        self,
        region: Region | Mapping[str, Any],
        density: float,
        *,
        name: str | None = None,
        rate: float | None = None,
        mass_rate: float | None = None,
        radius: float | None = None,
        sizes: GrainSizes | Mapping[str, Any] | None = None,
        velocity: Vector | None = None,
        material: Ref | None = None,
        count: int | None = None,
        mass: float | None = None,
        start: float | None = None,
        seed: int | None = None,
    ) -> None:
        """Build the description.

        Args:
            region: Where; grains lie entirely inside when it appears.
            density: Density [kg/m³].
            name: Name, unique among the walls, inlets and outlets of the set.
            rate: Grains a second [1/s].
            mass_rate: Mass a second [kg/s]; instead of ``rate``.
            radius: Radius of all [m].
            sizes: Distribution of radii; instead of ``radius``.
            velocity: Velocity [m/s]. Default: ``(0, 0, 0)``.
            material: Material. Default: that of the set.
            count: Number of grains after which it stops.
            mass: Mass after which it stops [kg]; instead of ``count``.
            start: Time at which it starts [s]. Default: ``0``.
            seed: Seed of the random numbers. Default: ``0``.
        """
        super().__init__(
            region=region,
            density=density,
            name=name,
            rate=rate,
            mass_rate=mass_rate,
            radius=radius,
            sizes=sizes,
            velocity=velocity,
            material=material,
            count=count,
            mass=mass,
            start=start,
            seed=seed,
        )


class GrainOutlet(Spec):
    """Where grains disappear and are counted."""

    __slots__ = ()

    def __init__(
        self,
        *,
        name: str | None = None,
        region: Region | Mapping[str, Any] | None = None,
        plane: Plane | Mapping[str, Any] | None = None,
    ) -> None:
        """Build the description.

        Args:
            name: Name, unique among the walls, inlets and outlets of the set.
            region: Region that takes centres inside.
            plane: Plane that takes centres beyond; instead of ``region``.
        """
        super().__init__(name=name, region=region, plane=plane)


class GrainDrag(Spec):
    """Drag of a fluid that the grains do not change."""

    __slots__ = ()

    def __init__(
        self,
        viscosity: float,
        *,
        law: Literal["stokes", "schiller_naumann"] | None = None,
        density: float | None = None,
        flow: DragFlow | Mapping[str, Any] | None = None,
    ) -> None:
        """Build the description.

        Args:
            viscosity: Viscosity of the fluid [Pa·s].
            law: Law. Default: ``"stokes"``.
            density: Density of the fluid [kg/m³].
            flow: How it flows. Default: at rest.
        """
        super().__init__(viscosity=viscosity, law=law, density=density, flow=flow)


class NearField(Spec):
    """Forces between grains whose surfaces are near: attraction of van der Waals and a repulsion that fades."""

    __slots__ = ()

    def __init__(
        self,
        range: float,
        *,
        hamaker: float | None = None,
        least_gap: float | None = None,
        repulsion: float | None = None,
        length: float | None = None,
    ) -> None:
        """Build the description.

        Args:
            range: Gap beyond which there is no force [m].
            hamaker: Hamaker's constant [J]; 0 for no attraction. Default: ``0``.
            least_gap: Least gap of the attraction [m]. Default: 4e-10.
            repulsion: Repulsion at touch [N]; 0 for none. Default: ``0``.
            length: Length over which the repulsion fades [m]. Default: a fifth of ``range``.
        """
        super().__init__(range=range, hamaker=hamaker, least_gap=least_gap, repulsion=repulsion, length=length)


class GrainBoundary(Spec):
    """The domain boundary of the grains."""

    __slots__ = ()

    def __init__(self, type: Literal["open", "closed"], low: Vector, high: Vector) -> None:
        """Build the description.

        Args:
            type: What happens to grains that leave.
            low: Lowest corner [m].
            high: Highest corner [m].
        """
        super().__init__(type=type, low=low, high=high)


class ClumpSphere(Spec):
    """A sphere of a clump."""

    __slots__ = ()

    def __init__(self, position: Vector, radius: float) -> None:
        """Build the description.

        Args:
            position: Centre in the axes of the clump [m].
            radius: Radius [m].
        """
        super().__init__(position=position, radius=radius)


class FillMesh(Spec):
    """A closed mesh to fill, from an OBJ or STL file or of points and triangles."""

    __slots__ = ()

    def __init__(
        self,
        *,
        points: Matrix | None = None,
        triangles: IntegerRows | None = None,
        file: str | os.PathLike[str] | None = None,
        scale: float | None = None,
        frame: Frame | Mapping[str, Any] | None = None,
    ) -> None:
        """Build the description.

        Args:
            points: Points [m].
            triangles: Triangles: the places of their corners among ``points``, counted from 0.
            file: File of a mesh or hull (OBJ or STL), or of heights (rows of numbers); below the scene's
                folder.
            scale: Metres of one unit of the ``file``, or of the numbers that stand in its place. Default:
                1.
            frame: Where its axes lie. Default: those of the world.
        """
        super().__init__(points=points, triangles=triangles, file=file, scale=scale, frame=frame)


class GrainPattern(Spec):
    """How the grains of a fill are arranged."""

    __slots__ = ()

    @classmethod
    def cubic(cls, spacing: float, *, jitter: float | None = None) -> Self:
        """Cubic lattice in the middle of the region.

        Args:
            spacing: Distance of neighbours [m].
            jitter: Maximum random offset from the lattice along each axis [m]. Default: ``0``.
        """
        return cls(type="cubic", spacing=spacing, jitter=jitter)

    @classmethod
    def hexagonal(cls, spacing: float) -> Self:
        """Hexagonal close packing in the middle of the region.

        Args:
            spacing: Distance of neighbours [m].
        """
        return cls(type="hexagonal", spacing=spacing)

    @classmethod
    def poisson(cls, *, gap: float | None = None) -> Self:
        """Random places that keep a distance, till no more find room.

        Args:
            gap: Minimum gap between surfaces [m]. Default: ``0``.
        """
        return cls(type="poisson", gap=gap)

    @classmethod
    def random(cls, solid_fraction: float) -> Self:
        """Random places, pushed apart; solid fractions up to about 0.60.

        Args:
            solid_fraction: Volume of the grains over that of the region.
        """
        return cls(type="random", solid_fraction=solid_fraction)

    @classmethod
    def rainfall(
        cls,
        *,
        count: int | None = None,
        mass: float | None = None,
        energy: float | None = None,
        longest: float | None = None,
    ) -> Self:
        """Layers that rain on what lies below, until all are at rest; then time begins.

        Args:
            count: How many grains.
            mass: Their mass [kg]; instead of ``count``.
            energy: Kinetic energy per grain [J] below which the bed is at rest. Default: derived from the
                weight and radius of the smallest grain.
            longest: Longest time to wait for rest [s]. Default: ``10``.
        """
        return cls(type="rainfall", count=count, mass=mass, energy=energy, longest=longest)


class GrainSizes(Spec):
    """How the radii of grains are distributed."""

    __slots__ = ()

    @classmethod
    def uniform(cls, least: float, most: float, *, by: Literal["number", "mass"] | None = None) -> Self:
        """Equally likely between two radii.

        Args:
            least: Least radius [m].
            most: Maximum radius [m].
            by: What the shares are of. Default: ``"number"``.
        """
        return cls(type="uniform", least=least, most=most, by=by)

    @classmethod
    def normal(
        cls,
        mean: float,
        deviation: float,
        least: float,
        most: float,
        *,
        by: Literal["number", "mass"] | None = None,
    ) -> Self:
        """Gaussian, cut off at two radii.

        Args:
            mean: Mean radius [m].
            deviation: Standard deviation [m].
            least: Least radius [m].
            most: Maximum radius [m].
            by: What the shares are of. Default: ``"number"``.
        """
        return cls(type="normal", mean=mean, deviation=deviation, least=least, most=most, by=by)

    @classmethod
    def log_normal(
        cls,
        median: float,
        deviation: float,
        least: float,
        most: float,
        *,
        by: Literal["number", "mass"] | None = None,
    ) -> Self:
        """The logarithm of the radius is Gaussian, cut off at two radii.

        Args:
            median: Median radius [m].
            deviation: Standard deviation of the natural logarithm.
            least: Least radius [m].
            most: Maximum radius [m].
            by: What the shares are of. Default: ``"number"``.
        """
        return cls(type="log_normal", median=median, deviation=deviation, least=least, most=most, by=by)

    @classmethod
    def sieves(cls, sieves: Matrix) -> Self:
        """Grading curve by mass: openings, the diameters that just pass [m], and the shares that pass, 0 to 1.

        Args:
            sieves: Rows ``[opening, share that passes]``, rising.
        """
        return cls(type="sieves", sieves=sieves)

    @classmethod
    def astm_graded_sand(cls, *, scale: float | None = None) -> Self:
        """Graded sand of ASTM C778.

        Args:
            scale: All sizes times this. Default: ``1``.
        """
        return cls(type="astm_graded_sand", scale=scale)


class Plane(Spec):
    """A plane that grains go through."""

    __slots__ = ()

    def __init__(self, position: Vector, normal: Vector) -> None:
        """Build the description.

        Args:
            position: A point of it [m].
            normal: Its normal, to the far side.
        """
        super().__init__(position=position, normal=normal)


class DragFlow(Spec):
    """How a fluid flows."""

    __slots__ = ()

    @classmethod
    def uniform(cls, velocity: Vector) -> Self:
        """The same everywhere.

        Args:
            velocity: Velocity [m/s].
        """
        return cls(type="uniform", velocity=velocity)

    @classmethod
    def shear(cls, rest: Vector, gradient: Vector, direction: Vector) -> Self:
        """Shear: zero at a point, growing along ``gradient``.

        Args:
            rest: A point where the fluid rests [m].
            gradient: Gradient of the speed [1/s].
            direction: Direction of the flow, a unit vector.
        """
        return cls(type="shear", rest=rest, gradient=gradient, direction=direction)

    @classmethod
    def rotation(cls, center: Vector, rate: Vector) -> Self:
        """Rotation as of a solid.

        Args:
            center: A point of the axis [m].
            rate: Angular velocity [rad/s].
        """
        return cls(type="rotation", center=center, rate=rate)
