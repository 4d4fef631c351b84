"""Arguments of the wrong shape, of wrong numbers or of another world are refused."""

from __future__ import annotations

import models
import numpy as np
import pytest

import huygens as hy

STEEL = {"young": 2.1e11, "poisson": 0.3, "density": 7850}


def grains():
    world = hy.World()
    return world, world.add_grains(name="sand")


@pytest.mark.parametrize(
    ("positions", "message"),
    [
        (np.zeros((3, 2)), r"shape \(n, 3\).*\(3, 2\)"),
        (np.zeros((2, 3)).T, r"shape \(n, 3\).*\(3, 2\)"),
        (np.zeros(6), r"shape \(n, 3\).*\(6,\)"),
        (np.zeros((2, 3, 1)), r"\(2, 3, 1\)"),
        ([[0, 0, 0], [1, 1]], "shape"),
        ([["0", "0", "0"]], "shape"),
        (np.zeros((1, 3), dtype=complex), "complex"),
        ([[0, 0, 0], [0, np.nan, 0]], r"positions\[1, 1\] = nan"),
    ],
)
def test_positions_of_grains_are_rows_of_three_finite_numbers(positions, message):
    _, sand = grains()
    with pytest.raises(hy.ModelError, match=message):
        sand.add(positions, radius=0.1, density=2500)
    assert len(sand) == 0


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"radius": [0.1, 0.1, 0.1]}, r"radius.*\(2,\).*\(3,\)"),
        ({"radius": [[0.1], [0.1]]}, r"radius.*\(2, 1\)"),
        ({"radius": np.inf}, "radius = inf"),
        ({"velocity": [[1.0], [2.0]]}, r"velocity.*\(2, 3\).*\(2, 1\)"),
        ({"velocity": [1.0, 2.0]}, r"velocity.*\(2,\)"),
        ({"angular_velocity": np.zeros((3, 3))}, r"angular_velocity.*\(3, 3\)"),
    ],
)
def test_other_arrays_of_grains_have_a_row_for_each(more, message):
    _, sand = grains()
    with pytest.raises(hy.ModelError, match=message):
        sand.add(np.eye(2, 3), **{"radius": 0.1, "density": 2500, **more})
    assert len(sand) == 0


def test_arrays_that_fit_are_taken_as_they_are():
    _, sand = grains()
    assert len(sand.add([], radius=0.1, density=1)) == 0
    places = np.array([[0, 0, 0], [1, 2, 3]])
    ids = sand.add(places, radius=[0.1, 0.2], density=1, velocity=(1, 0, 0), angular_velocity=np.ones((2, 3)))
    np.testing.assert_array_equal(sand.positions, places)
    np.testing.assert_array_equal(sand.velocities, [[1, 0, 0]] * 2)
    with pytest.raises(hy.ModelError, match="integers"):
        sand.remove([0.5])
    with pytest.raises(hy.ModelError, match="integers"):
        sand.remove([-1])
    sand.remove(ids)
    assert len(sand) == 0


def test_vectors_have_their_length():
    world, block, _ = models.slider()
    for wrong in ([1, 2], np.zeros((3, 1)), np.zeros((1, 3)), ["0", "0", "0"], [0, 0, float("nan")]):
        with pytest.raises(hy.ModelError, match="position"):
            block.position = wrong
        with pytest.raises(hy.ModelError, match="point"):
            world.closest_point(wrong)
        with pytest.raises(hy.ModelError, match="point"):
            block.measure("velocity", point=wrong)
    with pytest.raises(hy.ModelError, match="rotation must be 4 numbers"):
        block.rotation = (1, 0, 0)


def test_handles_of_another_world_are_refused():
    world, block, rail = models.slider()
    other, twin, _ = models.slider()
    message = f"'{block.name}' belongs to another world"
    signal = world.add_signal(hy.Signal.input("push"))
    other.add_signal(hy.Signal.input("push"))
    for use in (
        lambda: other.add_joint(hy.Joint.spherical("ground", block, position=(0, 0, 0))),
        lambda: other.add_joint({"type": "spherical", "a": "ground", "b": block, "position": [0, 0, 0]}),
        lambda: other.add_probe(block, "position"),
        lambda: other.remove(block),
        lambda: other.pull(block, (0, 0, 0)),
        lambda: other.distance(block, twin),
        lambda: other.contact_force(twin, block),
    ):
        with pytest.raises(hy.ModelError, match=message):
            use()
    with pytest.raises(hy.ModelError, match=f"'{rail.name}' belongs to another world"):
        other.add_motor(hy.Motor.force(rail, 1.0))
    with pytest.raises(hy.ModelError, match="'push' belongs to another world"):
        other.add_motor(hy.Motor.force(next(iter(other.joints)), signal.drive))
    with pytest.raises(hy.ModelError, match="'push' belongs to another world"):
        other.add_user_signal("twice", [signal], lambda t, u: 2 * u[0])
    sand = other.add_grains(name="sand")
    with pytest.raises(hy.ModelError, match="'glass' belongs to another world"):
        sand.add(np.zeros((1, 3)), radius=0.1, density=1, material=world.add_material(name="glass"))
    rope = hy.World().add_structure(
        hy.Structure.beam(
            "beam", (0, 0, 0), (1, 0, 0), 2, name="rope", section=hy.Section.circle(0.01), material=STEEL
        )
    )
    with pytest.raises(hy.ModelError, match="'rope/end' belongs to another world"):
        other.add_joint(hy.Joint.spherical("ground", rope["end"], position=(1, 0, 0)))
    # Names are those of the world they are used in.
    other.add_probe(block.name, "position")
