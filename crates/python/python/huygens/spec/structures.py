"""Flexible structures: cables, beams, rods, bars and solids.

Generated from the schema of scene files by `cargo xtask generate`; changes are lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._plain import Spec, gathered

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal

    from typing_extensions import Self

    from .._shortcuts import Rotate
    from .._values import FunctionLike, Integers, Matrix, Ref, Vector
    from .values import InertiaEntries

__all__ = [
    "ElasticMaterial",
    "FixedNodes",
    "NodeJoint",
    "NodeMass",
    "Section",
    "Structure",
    "StructureContact",
    "StructureCopies",
    "StructureDamping",
    "StructureLoad",
    "StructureMesh",
]


class Section(Spec):
    """A cross-section; y and z are its own axes, x goes along the line."""

    __slots__ = ()

    @classmethod
    def circle(cls, radius: float, *, offset: Vector | None = None, angle: float | None = None) -> Self:
        """A full circle.

        Args:
            radius: Radius [m].
            offset: Place of the section's centre along y and z of the line of nodes [m]. Default:
                ``(0, 0)``.
            angle: Turn about the line [rad]. Default: ``0``.
        """
        return cls(type="circle", radius=radius, offset=offset, angle=angle)

    @classmethod
    def rectangle(
        cls,
        width: float,
        height: float,
        *,
        offset: Vector | None = None,
        angle: float | None = None,
    ) -> Self:
        """A rectangle.

        Args:
            width: Size along y [m].
            height: Size along z [m].
            offset: Place of the section's centre along y and z of the line of nodes [m]. Default:
                ``(0, 0)``.
            angle: Turn about the line [rad]. Default: ``0``.
        """
        return cls(type="rectangle", width=width, height=height, offset=offset, angle=angle)

    @classmethod
    def tube(
        cls,
        radius: float,
        inner_radius: float,
        *,
        offset: Vector | None = None,
        angle: float | None = None,
    ) -> Self:
        """A ring.

        Args:
            radius: Outer radius [m].
            inner_radius: Inner radius [m].
            offset: Place of the section's centre along y and z of the line of nodes [m]. Default:
                ``(0, 0)``.
            angle: Turn about the line [rad]. Default: ``0``.
        """
        return cls(type="tube", radius=radius, inner_radius=inner_radius, offset=offset, angle=angle)

    @classmethod
    def user(
        cls,
        stiffness: Vector | Matrix,
        inertia: Vector | Matrix,
        *,
        offset: Vector | None = None,
        angle: float | None = None,
    ) -> Self:
        """Stiffness and inertia as they are.

        Args:
            stiffness: Stiffness over stretch, shear along y and z, twist, bending about y and z [N, N·m,
                N·m²].
            inertia: Inertia per length over the same motions [kg/m, kg, kg·m].
            offset: Place of the section's centre along y and z of the line of nodes [m]. Default:
                ``(0, 0)``.
            angle: Turn about the line [rad]. Default: ``0``.
        """
        return cls(type="user", stiffness=stiffness, inertia=inertia, offset=offset, angle=angle)


class Structure(Spec):
    """A flexible structure: nodes and elements that belong together.

    Joints, springs, ropes, bushings and probes name its nodes as ``structure/node``, where the node is its
    number in the mesh or a set of one node such as ``start`` or ``end``.
    """

    __slots__ = ()
    _section = "structures"

    @classmethod
    def beam(
        cls,
        element: Literal["cable", "beam_ancf", "beam", "rod", "rod3", "bar", "rope", "tetrahedron"],
        start: Vector,
        end: Vector,
        pieces: int,
        *,
        name: str | None = None,
        scale: float | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        copies: StructureCopies | Mapping[str, Any] | None = None,
        up: Vector | None = None,
        section: Section | Mapping[str, Any] | None = None,
        material: ElasticMaterial | Mapping[str, Any] | None = None,
        strain: Literal["material", "green"] | None = None,
        damping: StructureDamping | Mapping[str, Any] | None = None,
        velocity: Vector | None = None,
        angular_velocity: Vector | None = None,
        node_sets: Mapping[str, str | int | Sequence[str | int]] | None = None,
        fixed: Sequence[FixedNodes | Mapping[str, Any]] | None = None,
        masses: Sequence[NodeMass | Mapping[str, Any]] | None = None,
        loads: Sequence[StructureLoad | Mapping[str, Any]] | None = None,
        joints: Sequence[NodeJoint | Mapping[str, Any]] | None = None,
        contact: StructureContact | Mapping[str, Any] | None = None,
        color: str | None = None,
    ) -> Self:
        """Straight line between two places in so many elements; its ends are ``start`` and ``end``.

        Args:
            element: What lines become, or solids of its shape; other solids become the first element of
                their shape.
            start: First end [m].
            end: Last end [m].
            pieces: Number of elements.
            name: Unique name.
            scale: Scale factor of the mesh, such as 0.001 for a file in millimetres. Default: 1.
            position: Where the origin of the mesh goes [m]. Default: ``(0, 0, 0)``.
            rotation: How the mesh is turned.
            copies: Equal copies of the mesh on a lattice, which become one structure.
            up: Direction that the z axis of sections follows as closely as possible at the start of a
                line. Default: up.
            section: Cross-section of lines.
            material: What it is made of; sections given by their numbers need none.
            strain: How cables measure strain. Default: ``material``.
            damping: Damping of all elements.
            velocity: Velocity of all nodes at the start [m/s]. Default: ``(0, 0, 0)``.
            angular_velocity: Angular velocity of the whole structure about ``position`` at the start
                [rad/s]. Default: ``(0, 0, 0)``.
            node_sets: Named node sets, in addition to those of the mesh.
            fixed: Nodes that do not move.
            masses: Masses at nodes.
            loads: Loads in addition to gravity.
            joints: Joints of nodes, slopes and gradients with bodies, the ground and other nodes. Nodes
                with a rotation also take all joints of bodies.
            contact: Contact surface. Default: no contact.
            color: Colour ``#rrggbb``. Default: chosen by the name.
        """
        return cls(
            name=name,
            element=element,
            generate=gathered(None, {"type": "beam", "from": start, "to": end, "pieces": pieces}),
            scale=scale,
            position=position,
            rotation=rotation,
            copies=copies,
            up=up,
            section=section,
            material=material,
            strain=strain,
            damping=damping,
            velocity=velocity,
            angular_velocity=angular_velocity,
            node_sets=node_sets,
            fixed=fixed,
            masses=masses,
            loads=loads,
            joints=joints,
            contact=contact,
            color=color,
        )

    @classmethod
    def polyline(
        cls,
        element: Literal["cable", "beam_ancf", "beam", "rod", "rod3", "bar", "rope", "tetrahedron"],
        points: Matrix,
        pieces: int = 1,
        *,
        name: str | None = None,
        closed: bool | None = None,
        scale: float | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        copies: StructureCopies | Mapping[str, Any] | None = None,
        up: Vector | None = None,
        section: Section | Mapping[str, Any] | None = None,
        material: ElasticMaterial | Mapping[str, Any] | None = None,
        strain: Literal["material", "green"] | None = None,
        damping: StructureDamping | Mapping[str, Any] | None = None,
        velocity: Vector | None = None,
        angular_velocity: Vector | None = None,
        node_sets: Mapping[str, str | int | Sequence[str | int]] | None = None,
        fixed: Sequence[FixedNodes | Mapping[str, Any]] | None = None,
        masses: Sequence[NodeMass | Mapping[str, Any]] | None = None,
        loads: Sequence[StructureLoad | Mapping[str, Any]] | None = None,
        joints: Sequence[NodeJoint | Mapping[str, Any]] | None = None,
        contact: StructureContact | Mapping[str, Any] | None = None,
        color: str | None = None,
    ) -> Self:
        """Smooth line through points, with so many elements between two; its ends are ``start`` and ``end``.

        Args:
            element: What lines become, or solids of its shape; other solids become the first element of
                their shape.
            points: The points [m].
            pieces: Elements between two points. Default: ``1``.
            name: Unique name.
            closed: Whether the last point is joined to the first. Default: ``False``.
            scale: Scale factor of the mesh, such as 0.001 for a file in millimetres. Default: 1.
            position: Where the origin of the mesh goes [m]. Default: ``(0, 0, 0)``.
            rotation: How the mesh is turned.
            copies: Equal copies of the mesh on a lattice, which become one structure.
            up: Direction that the z axis of sections follows as closely as possible at the start of a
                line. Default: up.
            section: Cross-section of lines.
            material: What it is made of; sections given by their numbers need none.
            strain: How cables measure strain. Default: ``material``.
            damping: Damping of all elements.
            velocity: Velocity of all nodes at the start [m/s]. Default: ``(0, 0, 0)``.
            angular_velocity: Angular velocity of the whole structure about ``position`` at the start
                [rad/s]. Default: ``(0, 0, 0)``.
            node_sets: Named node sets, in addition to those of the mesh.
            fixed: Nodes that do not move.
            masses: Masses at nodes.
            loads: Loads in addition to gravity.
            joints: Joints of nodes, slopes and gradients with bodies, the ground and other nodes. Nodes
                with a rotation also take all joints of bodies.
            contact: Contact surface. Default: no contact.
            color: Colour ``#rrggbb``. Default: chosen by the name.
        """
        return cls(
            name=name,
            element=element,
            generate=gathered(None, {"type": "polyline", "points": points, "pieces": pieces, "closed": closed}),
            scale=scale,
            position=position,
            rotation=rotation,
            copies=copies,
            up=up,
            section=section,
            material=material,
            strain=strain,
            damping=damping,
            velocity=velocity,
            angular_velocity=angular_velocity,
            node_sets=node_sets,
            fixed=fixed,
            masses=masses,
            loads=loads,
            joints=joints,
            contact=contact,
            color=color,
        )

    @classmethod
    def net(
        cls,
        element: Literal["cable", "beam_ancf", "beam", "rod", "rod3", "bar", "rope", "tetrahedron"],
        sides: Matrix,
        meshes: Integers,
        *,
        name: str | None = None,
        origin: Vector | None = None,
        scale: float | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        copies: StructureCopies | Mapping[str, Any] | None = None,
        up: Vector | None = None,
        section: Section | Mapping[str, Any] | None = None,
        material: ElasticMaterial | Mapping[str, Any] | None = None,
        strain: Literal["material", "green"] | None = None,
        damping: StructureDamping | Mapping[str, Any] | None = None,
        velocity: Vector | None = None,
        angular_velocity: Vector | None = None,
        node_sets: Mapping[str, str | int | Sequence[str | int]] | None = None,
        fixed: Sequence[FixedNodes | Mapping[str, Any]] | None = None,
        masses: Sequence[NodeMass | Mapping[str, Any]] | None = None,
        loads: Sequence[StructureLoad | Mapping[str, Any]] | None = None,
        joints: Sequence[NodeJoint | Mapping[str, Any]] | None = None,
        contact: StructureContact | Mapping[str, Any] | None = None,
        color: str | None = None,
    ) -> Self:
        """Lines along two directions that cross; sets ``corners`` and ``border``.

        Args:
            element: What lines become, or solids of its shape; other solids become the first element of
                their shape.
            sides: Vectors along the two edges [m].
            meshes: Number of meshes along each.
            name: Unique name.
            origin: The first corner [m]. Default: ``(0, 0, 0)``.
            scale: Scale factor of the mesh, such as 0.001 for a file in millimetres. Default: 1.
            position: Where the origin of the mesh goes [m]. Default: ``(0, 0, 0)``.
            rotation: How the mesh is turned.
            copies: Equal copies of the mesh on a lattice, which become one structure.
            up: Direction that the z axis of sections follows as closely as possible at the start of a
                line. Default: up.
            section: Cross-section of lines.
            material: What it is made of; sections given by their numbers need none.
            strain: How cables measure strain. Default: ``material``.
            damping: Damping of all elements.
            velocity: Velocity of all nodes at the start [m/s]. Default: ``(0, 0, 0)``.
            angular_velocity: Angular velocity of the whole structure about ``position`` at the start
                [rad/s]. Default: ``(0, 0, 0)``.
            node_sets: Named node sets, in addition to those of the mesh.
            fixed: Nodes that do not move.
            masses: Masses at nodes.
            loads: Loads in addition to gravity.
            joints: Joints of nodes, slopes and gradients with bodies, the ground and other nodes. Nodes
                with a rotation also take all joints of bodies.
            contact: Contact surface. Default: no contact.
            color: Colour ``#rrggbb``. Default: chosen by the name.
        """
        return cls(
            name=name,
            element=element,
            generate=gathered(None, {"type": "net", "sides": sides, "meshes": meshes, "origin": origin}),
            scale=scale,
            position=position,
            rotation=rotation,
            copies=copies,
            up=up,
            section=section,
            material=material,
            strain=strain,
            damping=damping,
            velocity=velocity,
            angular_velocity=angular_velocity,
            node_sets=node_sets,
            fixed=fixed,
            masses=masses,
            loads=loads,
            joints=joints,
            contact=contact,
            color=color,
        )

    @classmethod
    def block(
        cls,
        size: Vector,
        cells: Integers,
        *,
        name: str | None = None,
        element: Literal["cable", "beam_ancf", "beam", "rod", "rod3", "bar", "rope", "tetrahedron"] = "tetrahedron",
        origin: Vector | None = None,
        split: Literal["five", "six"] | None = None,
        scale: float | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        copies: StructureCopies | Mapping[str, Any] | None = None,
        up: Vector | None = None,
        section: Section | Mapping[str, Any] | None = None,
        material: ElasticMaterial | Mapping[str, Any] | None = None,
        strain: Literal["material", "green"] | None = None,
        damping: StructureDamping | Mapping[str, Any] | None = None,
        velocity: Vector | None = None,
        angular_velocity: Vector | None = None,
        node_sets: Mapping[str, str | int | Sequence[str | int]] | None = None,
        fixed: Sequence[FixedNodes | Mapping[str, Any]] | None = None,
        masses: Sequence[NodeMass | Mapping[str, Any]] | None = None,
        loads: Sequence[StructureLoad | Mapping[str, Any]] | None = None,
        joints: Sequence[NodeJoint | Mapping[str, Any]] | None = None,
        contact: StructureContact | Mapping[str, Any] | None = None,
        color: str | None = None,
    ) -> Self:
        """Solid elements that fill a box; sets and surfaces ``x_min``, ``x_max`` and so on.

        Args:
            size: Edges along the axes [m].
            cells: Number of cells along each.
            name: Unique name.
            element: What lines become, or solids of its shape; other solids become the first element of
                their shape. Default: ``"tetrahedron"``.
            origin: The lowest corner [m]. Default: ``(0, 0, 0)``.
            split: How each cell is cut. Default: ``"six"``.
            scale: Scale factor of the mesh, such as 0.001 for a file in millimetres. Default: 1.
            position: Where the origin of the mesh goes [m]. Default: ``(0, 0, 0)``.
            rotation: How the mesh is turned.
            copies: Equal copies of the mesh on a lattice, which become one structure.
            up: Direction that the z axis of sections follows as closely as possible at the start of a
                line. Default: up.
            section: Cross-section of lines.
            material: What it is made of; sections given by their numbers need none.
            strain: How cables measure strain. Default: ``material``.
            damping: Damping of all elements.
            velocity: Velocity of all nodes at the start [m/s]. Default: ``(0, 0, 0)``.
            angular_velocity: Angular velocity of the whole structure about ``position`` at the start
                [rad/s]. Default: ``(0, 0, 0)``.
            node_sets: Named node sets, in addition to those of the mesh.
            fixed: Nodes that do not move.
            masses: Masses at nodes.
            loads: Loads in addition to gravity.
            joints: Joints of nodes, slopes and gradients with bodies, the ground and other nodes. Nodes
                with a rotation also take all joints of bodies.
            contact: Contact surface. Default: no contact.
            color: Colour ``#rrggbb``. Default: chosen by the name.
        """
        return cls(
            name=name,
            element=element,
            generate=gathered(None, {"type": "block", "size": size, "cells": cells, "origin": origin, "split": split}),
            scale=scale,
            position=position,
            rotation=rotation,
            copies=copies,
            up=up,
            section=section,
            material=material,
            strain=strain,
            damping=damping,
            velocity=velocity,
            angular_velocity=angular_velocity,
            node_sets=node_sets,
            fixed=fixed,
            masses=masses,
            loads=loads,
            joints=joints,
            contact=contact,
            color=color,
        )

    @classmethod
    def from_file(
        cls,
        file: str | os.PathLike[str],
        element: Literal["cable", "beam_ancf", "beam", "rod", "rod3", "bar", "rope", "tetrahedron"] = "tetrahedron",
        *,
        name: str | None = None,
        scale: float | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        copies: StructureCopies | Mapping[str, Any] | None = None,
        up: Vector | None = None,
        section: Section | Mapping[str, Any] | None = None,
        material: ElasticMaterial | Mapping[str, Any] | None = None,
        strain: Literal["material", "green"] | None = None,
        damping: StructureDamping | Mapping[str, Any] | None = None,
        velocity: Vector | None = None,
        angular_velocity: Vector | None = None,
        node_sets: Mapping[str, str | int | Sequence[str | int]] | None = None,
        fixed: Sequence[FixedNodes | Mapping[str, Any]] | None = None,
        masses: Sequence[NodeMass | Mapping[str, Any]] | None = None,
        loads: Sequence[StructureLoad | Mapping[str, Any]] | None = None,
        joints: Sequence[NodeJoint | Mapping[str, Any]] | None = None,
        contact: StructureContact | Mapping[str, Any] | None = None,
        color: str | None = None,
    ) -> Self:
        """Mesh file, ``.msh`` of Gmsh or ``.inp`` of Abaqus.

        Args:
            file: A mesh file, ``.msh`` of Gmsh or ``.inp`` of Abaqus; instead of ``generate``.
            element: What lines become, or solids of its shape; other solids become the first element of
                their shape. Default: ``"tetrahedron"``.
            name: Unique name.
            scale: Scale factor of the mesh, such as 0.001 for a file in millimetres. Default: 1.
            position: Where the origin of the mesh goes [m]. Default: ``(0, 0, 0)``.
            rotation: How the mesh is turned.
            copies: Equal copies of the mesh on a lattice, which become one structure.
            up: Direction that the z axis of sections follows as closely as possible at the start of a
                line. Default: up.
            section: Cross-section of lines.
            material: What it is made of; sections given by their numbers need none.
            strain: How cables measure strain. Default: ``material``.
            damping: Damping of all elements.
            velocity: Velocity of all nodes at the start [m/s]. Default: ``(0, 0, 0)``.
            angular_velocity: Angular velocity of the whole structure about ``position`` at the start
                [rad/s]. Default: ``(0, 0, 0)``.
            node_sets: Named node sets, in addition to those of the mesh.
            fixed: Nodes that do not move.
            masses: Masses at nodes.
            loads: Loads in addition to gravity.
            joints: Joints of nodes, slopes and gradients with bodies, the ground and other nodes. Nodes
                with a rotation also take all joints of bodies.
            contact: Contact surface. Default: no contact.
            color: Colour ``#rrggbb``. Default: chosen by the name.
        """
        return cls(
            name=name,
            element=element,
            file=file,
            scale=scale,
            position=position,
            rotation=rotation,
            copies=copies,
            up=up,
            section=section,
            material=material,
            strain=strain,
            damping=damping,
            velocity=velocity,
            angular_velocity=angular_velocity,
            node_sets=node_sets,
            fixed=fixed,
            masses=masses,
            loads=loads,
            joints=joints,
            contact=contact,
            color=color,
        )


class StructureMesh(Spec):
    """A simple mesh."""

    __slots__ = ()

    @classmethod
    def beam(cls, from_: Vector, to: Vector, pieces: int) -> Self:
        """A straight line; the sets ``start`` and ``end`` hold its ends.

        Args:
            from_: First end [m].
            to: Last end [m].
            pieces: Number of elements.
        """
        return cls(type="beam", to=to, pieces=pieces, **{"from": from_})

    @classmethod
    def polyline(cls, points: Matrix, *, pieces: int | None = None, closed: bool | None = None) -> Self:
        """A smooth line through points; the sets ``start`` and ``end`` hold its ends.

        Args:
            points: The points [m].
            pieces: Elements between two points. Default: ``1``.
            closed: Whether the last point is joined to the first. Default: ``False``.
        """
        return cls(type="polyline", points=points, pieces=pieces, closed=closed)

    @classmethod
    def net(cls, sides: Matrix, meshes: Integers, *, origin: Vector | None = None) -> Self:
        """Lines along two directions that cross; sets ``corners``, ``border``, ``corner_00``, ``corner_10``,
        ``corner_01``, ``corner_11``.

        Args:
            sides: Vectors along the two edges [m].
            meshes: Number of meshes along each.
            origin: The first corner [m]. Default: ``(0, 0, 0)``.
        """
        return cls(type="net", sides=sides, meshes=meshes, origin=origin)

    @classmethod
    def block(
        cls,
        size: Vector,
        cells: Integers,
        *,
        origin: Vector | None = None,
        split: Literal["five", "six"] | None = None,
    ) -> Self:
        """Tetrahedra that fill a box; sets and surfaces ``x_min``, ``x_max``, ``y_min``, ``y_max``, ``z_min``,
        ``z_max``.

        Args:
            size: Edges along the axes [m].
            cells: Number of cells along each.
            origin: The lowest corner [m]. Default: ``(0, 0, 0)``.
            split: How each cell is cut. Default: ``"six"``.
        """
        return cls(type="block", size=size, cells=cells, origin=origin, split=split)


class StructureCopies(Spec):
    """Equal copies on a lattice."""

    __slots__ = ()

    def __init__(self, count: Integers, spacing: Vector) -> None:
        """Build the description.

        Args:
            count: Number along each axis.
            spacing: Distance along each axis [m].
        """
        super().__init__(count=count, spacing=spacing)


class ElasticMaterial(Spec):
    """A linear elastic material."""

    __slots__ = ()

    def __init__(self, young: float, density: float, *, poisson: float | None = None) -> None:
        """Build the description.

        Args:
            young: Young's modulus [Pa].
            density: Density [kg/m³].
            poisson: Poisson's ratio. Default: ``0``.
        """
        super().__init__(young=young, density=density, poisson=poisson)


class StructureDamping(Spec):
    """Damping of elements: $f = -a M v - b K v$, and stress that follows the rate of strain."""

    __slots__ = ()

    def __init__(
        self,
        *,
        mass: float | None = None,
        stiffness: float | None = None,
        structural: float | None = None,
    ) -> None:
        """Build the description.

        Args:
            mass: Weight a of the mass [1/s]. Default: ``0``.
            stiffness: Weight b of the stiffness [s]. Default: ``0``.
            structural: Time by which stress follows the rate of strain [s]. Default: ``0``.
        """
        super().__init__(mass=mass, stiffness=stiffness, structural=structural)


class FixedNodes(Spec):
    """Nodes of which some coordinates do not move."""

    __slots__ = ()

    def __init__(
        self,
        nodes: str | int | Sequence[str | int],
        *,
        hold: Sequence[Literal["x", "y", "z", "position", "rotation", "rotation_x", "rotation_y", "rotation_z", "slope", "gradients"]] | None = None,
    ) -> None:
        """Build the description.

        Args:
            nodes: The nodes.
            hold: The coordinates that are held. Default: all.
        """
        super().__init__(nodes=nodes, hold=hold)


class NodeMass(Spec):
    """A mass at nodes."""

    __slots__ = ()

    def __init__(
        self,
        nodes: str | int | Sequence[str | int],
        mass: float,
        *,
        inertia: Vector | Matrix | InertiaEntries | Mapping[str, Any] | None = None,
    ) -> None:
        """Build the description.

        Args:
            nodes: The nodes; each has all of the mass.
            mass: Mass [kg].
            inertia: Inertia in the axes of the node [kg·m²]; only nodes with a rotation take it.
        """
        super().__init__(nodes=nodes, mass=mass, inertia=inertia)


class StructureLoad(Spec):
    """What acts on nodes, on lines or on a surface."""

    __slots__ = ()

    def __init__(
        self,
        *,
        nodes: str | int | Sequence[str | int] | None = None,
        force: Vector | None = None,
        moment: Vector | None = None,
        elements: str | int | Sequence[str | int] | None = None,
        force_per_length: Vector | None = None,
        surface: str | None = None,
        pressure: float | None = None,
        follower: bool | None = None,
        function: FunctionLike | None = None,
    ) -> None:
        """Build the description.

        Args:
            nodes: Nodes that ``force`` and ``moment`` act on; each has all of the load.
            force: Force [N].
            moment: Moment [N·m].
            elements: Elements that ``force_per_length`` acts on: a set, a number, or ``all``.
            force_per_length: Force per length of lines [N/m].
            surface: Surface of tetrahedra that ``pressure`` acts on: a surface of the mesh, or ``skin``.
            pressure: Pressure against the surface [Pa].
            follower: Whether forces and moments turn with the nodes or elements; pressures always do.
                Default: ``False``.
            function: Factor over time. Default: 1.
        """
        super().__init__(
            nodes=nodes,
            force=force,
            moment=moment,
            elements=elements,
            force_per_length=force_per_length,
            surface=surface,
            pressure=pressure,
            follower=follower,
            function=function,
        )


class NodeJoint(Spec):
    """A joint of a node with a body, the ground or another node."""

    __slots__ = ()

    @classmethod
    def point(cls, node: str | int | Sequence[str | int], *, name: str | None = None, to: Ref | None = None) -> Self:
        """The place.

        Args:
            node: The node: a number or a set of one node.
            name: Name, used in messages. Default: made of the structure and the node.
            to: What it is joined to: ``ground``, a body, ``body/marker``, or a node ``structure/node``.
                The place is that of the node at the start. Default: ``"ground"``.
        """
        return cls(type="point", node=node, name=name, to=to)

    @classmethod
    def clamp(cls, node: str | int | Sequence[str | int], *, name: str | None = None, to: Ref | None = None) -> Self:
        """Place and direction: of a slope its direction, of gradients all directions; of two nodes everything.

        Args:
            node: The node: a number or a set of one node.
            name: Name, used in messages. Default: made of the structure and the node.
            to: What it is joined to: ``ground``, a body, ``body/marker``, or a node ``structure/node``.
                The place is that of the node at the start. Default: ``"ground"``.
        """
        return cls(type="clamp", node=node, name=name, to=to)

    @classmethod
    def hinge(
        cls,
        node: str | int | Sequence[str | int],
        *,
        name: str | None = None,
        to: Ref | None = None,
        axis: Vector | None = None,
        gradient: int | None = None,
    ) -> Self:
        """The place, and that the slope turns about ``axis`` only.

        Args:
            node: The node: a number or a set of one node.
            name: Name, used in messages. Default: made of the structure and the node.
            to: What it is joined to: ``ground``, a body, ``body/marker``, or a node ``structure/node``.
                The place is that of the node at the start. Default: ``"ground"``.
            axis: Axis of the hinge in the world at the start, a unit vector; of a hinge with a body or
                the ground.
            gradient: Which gradient of the first node is the axis of a hinge of two nodes: 0 is the slope
                along the line, 1 and 2 are those across.
        """
        return cls(type="hinge", node=node, name=name, to=to, axis=axis, gradient=gradient)

    @classmethod
    def direction(
        cls,
        node: str | int | Sequence[str | int],
        *,
        name: str | None = None,
        to: Ref | None = None,
        axis: Vector | None = None,
        gradient: int | None = None,
    ) -> Self:
        """The direction of a slope or gradient.

        Args:
            node: The node: a number or a set of one node.
            name: Name, used in messages. Default: made of the structure and the node.
            to: What it is joined to: ``ground``, a body, ``body/marker``, or a node ``structure/node``.
                The place is that of the node at the start. Default: ``"ground"``.
            axis: World direction at the start that is kept, a unit vector. Default: that of the gradient.
            gradient: Which gradient it holds: 0 is the slope along the line, 1 and 2 are those across.
        """
        return cls(type="direction", node=node, name=name, to=to, axis=axis, gradient=gradient)

    @classmethod
    def coordinate(
        cls,
        node: str | int | Sequence[str | int],
        coordinate: int,
        displacement: FunctionLike,
        *,
        name: str | None = None,
    ) -> Self:
        """One coordinate moves as prescribed.

        Args:
            node: The node: a number or a set of one node.
            coordinate: Which coordinate: 0, 1, 2 are x, y, z; then the slope or the gradients.
            displacement: Its displacement over time [m].
            name: Name, used in messages. Default: made of the structure and the node.
        """
        return cls(type="coordinate", node=node, coordinate=coordinate, displacement=displacement, name=name)


class StructureContact(Spec):
    """How a structure touches."""

    __slots__ = ()

    def __init__(
        self,
        *,
        material: Ref | None = None,
        radius: float | None = None,
        shape: Literal["capsules", "spheres", "skin"] | None = None,
        pieces: int | None = None,
        self_contact: bool | None = None,
    ) -> None:
        """Build the description.

        Args:
            material: Contact material. Default: the default one.
            radius: Contact radius of lines and of their spheres [m]. Default: that of the section. Of
                skins the border around the triangles.
            shape: Contact geometry. Default: capsules of lines and the skin of tetrahedra.
            pieces: Capsules or spheres along each element of a line. Default: 1.
            self_contact: Whether the structure touches itself. Default: ``False``.
        """
        super().__init__(material=material, radius=radius, shape=shape, pieces=pieces, self_contact=self_contact)
