"""Flexible structures from Python: arrays, joints, analyses, wrong input."""

from __future__ import annotations

import math

import numpy as np
import pytest

import huygens as hy

STEEL = {"young": 2.1e11, "poisson": 0.3, "density": 7850}


def cantilever(element="beam", **more):
    """A world with a square steel beam along x, clamped at its start."""
    world = hy.World(gravity=(0, 0, 0))
    beam = hy.Structure.beam(
        element, (0, 0, 0), (1, 0, 0), 8, name="beam", section=hy.Section.rectangle(0.02, 0.02), material=STEEL,
        fixed=[{"nodes": "start"}], **more,
    )
    return world, world.add_structure(beam)


def test_arrays_are_in_the_order_of_the_mesh():
    world, beam = cantilever()
    assert len(beam) == 9
    np.testing.assert_allclose(beam.positions, np.linspace((0, 0, 0), (1, 0, 0), 9), atol=1e-15)
    assert beam.elements == [[k, k + 1] for k in range(8)]
    np.testing.assert_array_equal(beam.node_labels, np.arange(1, 10))
    np.testing.assert_array_equal(beam.rows("end"), [8])
    assert beam["end"].name == "beam/end"
    np.testing.assert_array_equal(beam["end"].position, (1, 0, 0))
    assert {beam.velocities.shape, beam.angular_velocities.shape} == {(9, 3)}
    assert beam.rotations.shape == (9, 4)
    assert [s.name for s in world.structures] == ["beam"]
    assert isinstance(world["beam"], hy.StructureHandle)


def test_statics_modes_and_buckling():
    world, beam = cantilever(loads=[{"nodes": "end", "force": (0, 0, -30)}])
    world.add_probe(beam["end"], "displacement.z")
    bending = 2.1e11 * 0.02**4 / 12
    path = world.load_path()
    assert path.factor == 1
    tip = beam["end"].position[2]
    assert path.probes["beam/end.displacement.z"][-1] == pytest.approx(tip)
    assert tip == pytest.approx(-30 / (3 * bending), rel=2e-3)
    forces = beam.section_forces(0.0)
    np.testing.assert_allclose(np.abs(forces.moments).max(axis=1), 30 * (1 - np.arange(8) / 8), rtol=0.02)
    assert beam.energy == pytest.approx(0.5 * 30 * abs(tip), rel=2e-3)

    world, _ = cantilever(loads=[{"nodes": "end", "force": (-1, 0, 0)}])
    modes = world.natural_modes(2)
    first = 1.8751040687**2 * math.sqrt(bending / (7850 * 4e-4)) / (2 * math.pi)
    np.testing.assert_allclose(modes.frequencies, first, rtol=5e-3)
    assert modes.shapes.shape[0] == 2
    assert world.buckling(1).factors[0] == pytest.approx(math.pi**2 * bending / 4, rel=0.01)


def test_nodes_are_joined_like_bodies():
    world = hy.World(dt=1e-3)
    ball = world.add_body(hy.Body.dynamic(name="ball", position=(1, 0, 0), density=1000, shape=hy.Solid.sphere(0.05)))
    rope = world.add_structure(
        hy.Structure.beam(
            "cable", (0, 0, 0), (1, 0, 0), 4, name="rope", section=hy.Section.circle(0.005),
            material={"young": 1e8, "density": 1000}, fixed=[{"nodes": "start", "hold": ["position"]}],
        )
    )
    world.add_joint(hy.Joint.spherical(rope["end"], ball, name="knot"))
    world.run(until=0.3)
    np.testing.assert_allclose(rope["end"].position, ball.position, atol=1e-8)
    assert ball.position[2] < -0.2
    assert np.linalg.norm(rope["end"].velocity) > 1


def test_solids_have_stresses():
    world = hy.World(gravity=(0, 0, 0))
    block = world.add_structure(
        hy.Structure.block(
            (1, 1, 1), (2, 2, 2), name="block", material={"young": 1e6, "density": 1000},
            fixed=[{"nodes": "x_min", "hold": ["x"]}, {"nodes": "y_min", "hold": ["y"]}, {"nodes": "z_min", "hold": ["z"]}],
            loads=[{"surface": "x_max", "pressure": 1e3}],
        )
    )
    world.load_path()
    stresses = block.solid_stresses()
    np.testing.assert_allclose(stresses.stresses[:, 0, 0], -1e3, rtol=2e-3)
    np.testing.assert_allclose(stresses.von_mises, 1e3, rtol=2e-3)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"section": {"radius": -1}}, "radius"),
        ({"fixed": [{"nodes": "strat"}]}, "strat"),
        ({"element": "cabel"}, "cabel"),
        ({"material": {"young": 1e9, "poisson": 0.7, "density": 1}}, "poisson"),
    ],
)
def test_wrong_structures_are_refused(change, words):
    world = hy.World()
    good = hy.Structure.beam("cable", (0, 0, 0), (1, 0, 0), 2, section={"radius": 0.01}, material=STEEL)
    with pytest.raises(hy.HuygensError, match=words):
        world.add_structure(good, **change)


def test_a_rotation_that_is_not_there_cannot_be_held():
    world = hy.World()
    cable = world.add_structure(
        hy.Structure.beam("cable", (0, 0, 0), (1, 0, 0), 2, name="c", section={"radius": 0.01}, material=STEEL)
    )
    with pytest.raises(hy.ModelError, match="no rotation"):
        world.add_joint(hy.Joint.revolute("ground", cable["end"], axis=(0, 0, 1)))
    with pytest.raises(hy.HuygensError, match="ned"):
        _ = cable["ned"].position
