"""What is measured of granular matter.

Generated from the schema of scene files by `cargo xtask generate`; changes are lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._plain import Spec

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from typing_extensions import Self

    from .._values import Integers, Vector
    from .values import Region

__all__ = [
    "Cells",
    "GrainMeasure",
    "GrainTable",
]


class GrainMeasure(Spec):
    """Something measured again and again: a table, written to a CSV file of its own."""

    __slots__ = ()

    def __init__(
        self,
        quantity: GrainTable | Mapping[str, Any],
        *,
        name: str | None = None,
        every: float | None = None,
        vtk: bool | None = None,
    ) -> None:
        """Build the description.

        Args:
            quantity: What is measured.
            name: Name, unique among walls, inlets, outlets and measures of the set; the file is
                ``GRAINS.NAME.csv``.
            every: Interval between tables [s]. Default: that of probes.
            vtk: Whether fields over cells are written for VTK as well.
        """
        super().__init__(quantity=quantity, name=name, every=every, vtk=vtk)


class GrainTable(Spec):
    """What a table of grains holds."""

    __slots__ = ()

    @classmethod
    def coordination(cls, *, least: int | None = None) -> Self:
        """``mean`` number of contacts of a grain, ``bearing``: that of grains that bear load, ``rattlers``:
        number of the others.

        Args:
            least: Contacts a grain needs to bear load. Default: ``3``.
        """
        return cls(type="coordination", least=least)

    @classmethod
    def solid_fraction(
        cls,
        *,
        region: Region | Mapping[str, Any] | None = None,
        cells: Cells | Mapping[str, Any] | None = None,
    ) -> Self:
        """``solid_fraction`` of a ``region``, or of each of the ``cells``.

        Args:
            region: Where.
            cells: A field instead of one number.
        """
        return cls(type="solid_fraction", region=region, cells=cells)

    @classmethod
    def stress(
        cls,
        *,
        region: Region | Mapping[str, Any] | None = None,
        cells: Cells | Mapping[str, Any] | None = None,
    ) -> Self:
        """Mean stress, positive in compression: ``pressure`` and ``xx`` to ``zz`` of the contacts,
        ``kinetic_xx`` to ``kinetic_zz`` of the motion, in a ``region`` or in each of the ``cells``.

        Args:
            region: Where.
            cells: A field instead of one tensor.
        """
        return cls(type="stress", region=region, cells=cells)

    @classmethod
    def temperature(cls, *, region: Region | Mapping[str, Any] | None = None) -> Self:
        """Granular ``temperature``, a third of the mean square of the velocity about its mean.

        Args:
            region: Region. Default: everywhere.
        """
        return cls(type="temperature", region=region)

    @classmethod
    def velocity_profile(
        cls,
        axis: Vector,
        span: Vector,
        bins: int,
        *,
        region: Region | Mapping[str, Any] | None = None,
    ) -> Self:
        """Means of equal bins along an axis: ``at``, ``count``, ``mass``, velocity ``vx``, ``vy``, ``vz``,
        angular velocity ``wx``, ``wy``, ``wz``, and ``temperature``.

        Args:
            axis: Direction.
            span: From and to, along the axis from the origin [m].
            bins: Number of bins.
            region: Region. Default: everywhere.
        """
        return cls(type="velocity_profile", axis=axis, span=span, bins=bins, region=region)

    @classmethod
    def mass_flow(cls, position: Vector, normal: Vector, thickness: float, *, radius: float | None = None) -> Self:
        """``mass_flow`` along the normal through a plane, as the mean over a layer about it.

        Args:
            position: A point of the plane [m].
            normal: Direction that counts as positive.
            thickness: Thickness of the layer [m]: some diameters.
            radius: Maximum distance from the point within the plane [m]. Default: no limit.
        """
        return cls(type="mass_flow", position=position, normal=normal, thickness=thickness, radius=radius)

    @classmethod
    def segregation(
        cls,
        cells: Cells | Mapping[str, Any],
        first: Mapping[str, Any],
        *,
        least: int | None = None,
    ) -> Self:
        """How two kinds are mixed, over cells: ``segregation`` of Danckwerts (1 apart, 0 alike everywhere),
        ``mixing`` of Lacey (0 apart, 1 as random as chance), ``share`` of the first kind, ``cells`` that
        counted.

        Args:
            cells: Cells.
            first: Which grains are of the first kind.
            least: Fewest grains of a cell that counts. Default: ``5``.
        """
        return cls(type="segregation", cells=cells, first=first, least=least)

    @classmethod
    def force_chains(cls, *, share: float | None = None) -> Self:
        """Contacts that carry more than ``share`` times the mean force: ends ``ax`` to ``bz``, ``force``, and
        the number of their ``chain``.

        Args:
            share: Share of the mean force. Default: ``1``.
        """
        return cls(type="force_chains", share=share)


class Cells(Spec):
    """Cells of equal size that fill a box along the axes."""

    __slots__ = ()

    def __init__(self, low: Vector, high: Vector, count: Integers) -> None:
        """Build the description.

        Args:
            low: Lowest corner [m].
            high: Highest corner [m].
            count: Cells along each axis.
        """
        super().__init__(low=low, high=high, count=count)
