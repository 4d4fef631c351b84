"""Fluids from Python: arrays, walls, bodies, probes, wrong input."""

from __future__ import annotations

import numpy as np
import pytest

import huygens as hy

WIDTH, DEPTH = 0.1, 0.05
WEIGHT = 1000 * 10 * WIDTH * DEPTH


def puddle(**fluid):
    """Water at rest in a tank, in the plane."""
    world = hy.World(gravity=(0, 0, -10), dt=1e-3)
    keys = {
        "spacing": 0.005,
        "plane": "xz",
        "artificial": 0.3,
        "fills": [hy.Fluid.box((0, 0, 0), (WIDTH, 0, DEPTH))],
        "walls": [hy.FluidWall.tank((0, 0, 0), (WIDTH, 0, 0.1), name="tank")],
        **fluid,
    }
    return world, world.add_fluid(hy.Fluid("water", **keys))


def test_arrays_and_measures_of_water_at_rest():
    world, water = puddle()
    assert len(water) == 200
    np.testing.assert_array_equal(water.numbers, np.arange(200))
    assert water.positions.shape == water.velocities.shape == (200, 3)
    depth = DEPTH - water.positions[:, 2]
    np.testing.assert_allclose(water.pressures, 1e4 * depth, rtol=1e-6)
    np.testing.assert_allclose(water.measure("mass"), 1000 * WIDTH * DEPTH)
    world.run(until=0.2)
    assert water.force("tank")[2] == pytest.approx(-WEIGHT, rel=0.05)
    assert water.pressure_at((0.05, 0, 0.025)) == pytest.approx(1e4 * 0.025, rel=0.1)
    assert np.linalg.norm(water.velocity_at((0.05, 0, 0.025))) < 0.05
    dry = (0.5, 0, 0.5)
    assert water.velocity_at(dry) is water.pressure_at(dry) is water.surface_height(dry) is None
    assert np.isnan(water.measure("velocity", point=dry)).all()
    assert water.surface_height((0.05, 0, 0)) == pytest.approx(DEPTH, abs=0.003)
    assert water.pressure_on("tank", (0, 0, 0.02), radius=0.01) == pytest.approx(1e4 * 0.03, rel=0.1)
    np.testing.assert_allclose(water.measure("front")[[0, 2]], (WIDTH, DEPTH), atol=0.003)
    status = water.status
    assert status["particles"] == 200
    assert status["lost"] == 0
    assert status["compressibility"] < 0.03
    assert 0 < water.step <= 1e-3
    assert status["sound_speed"] == pytest.approx(10 * np.sqrt(2 * 10 * DEPTH))
    positions = water.positions
    positions[:] = 0  # a copy
    assert water.positions[:, 2].max() > 0
    assert world.fluids[0].name == world["water"].name == "water"


def test_probes_without_a_value_and_probes_that_overflow():
    world, water = puddle()
    world.add_probe(water, "pressure", point=(0.5, 0, 0.5), name="away")
    world.run(until=0.01)
    away = world.probes()["away"]
    assert len(away) > 1 and np.isnan(away).all()
    assert not world.warnings
    world = hy.World(gravity=(0, 0, -1e200))
    world.add_body(hy.Body.dynamic(name="ball", mass=1.0, inertia=(1, 1, 1)))
    world.add_probe("world", "energy")
    with pytest.raises(hy.DivergedError, match="probe 'world.energy' is not finite"):
        world.run(until=0.01)


def test_the_surface_of_a_wall_moves_in_its_plane():
    low, high = (0, 0, 0), (WIDTH, 0, DEPTH)
    tank = hy.FluidWall.tank(low, high, name="tank")
    corners = (-0.02, 0, DEPTH), (WIDTH + 0.02, 0, DEPTH + 0.02)
    lid = hy.FluidWall.block(*corners, name="lid", surface_velocity=(0.1, 0, 0))
    world, water = puddle(walls=[tank, lid], viscosity=1.0)
    world.configure(gravity=(0, 0, 0))
    world.run(until=0.05)
    near = water.velocity_at((0.05, 0, DEPTH - 0.0025))
    assert 0.02 < near[0] < 0.1
    assert water.force("lid")[0] < 0


def test_a_light_body_rises():
    world = hy.World(gravity=(0, 0, -10), dt=5e-4)
    cork = world.add_body(
        hy.Body.dynamic(name="cork", position=(0.05, 0, 0.03), density=300, shape=hy.Solid.box((0.02, 1, 0.02)))
    )
    world.add_joint(hy.Joint.planar("ground", cork, axis=(0, 1, 0)))
    water = world.add_fluid(
        spacing=0.005,
        plane="xz",
        artificial=0.2,
        fills=[hy.Fluid.box((0, 0, 0), (WIDTH, 0, 0.06))],
        walls=[hy.FluidWall.tank((0, 0, 0), (WIDTH, 0, 0.12), name="tank")],
        bodies=[cork],
    )
    world.add_probe(water, "kinetic_energy")
    start = cork.position[2]
    world.run(until=0.1)
    assert cork.position[2] > start + 0.005
    assert water.force(cork).shape == water.torque("cork").shape == (3,)


def test_moving_walls_follow_python_functions():
    piston = hy.FluidWall.plane(
        (0.1, 0.1), name="piston", position=(0, 0, 0.05), axis=(1, 0, 0),
        motion={"translation": (lambda t: 0.1 * t, 0, 0)},
    )
    low, high = (0, 0, 0), (WIDTH, 0, 0.1)
    tank = hy.FluidWall.tank(low, high, open=("+z", "-x"), name="tank")
    world, water = puddle(walls=[tank, piston])
    world.run(until=0.1)
    assert water.positions[:, 0].min() > 0.01
    assert water.measure("force.x", of="piston")[0] < 0


def test_a_fluid_of_constraints():
    keys = {"method": "constraint", "artificial": None, "spacing": 0.005}
    world, water = puddle(**keys)
    assert len(water) == 200
    depth = DEPTH - water.positions[:, 2]
    np.testing.assert_allclose(water.pressures, 1e4 * depth, rtol=1e-6)
    world.run(until=0.2)
    assert water.force("tank")[2] == pytest.approx(-WEIGHT, rel=0.02)
    assert water.pressure_at((0.05, 0, 0.025)) == pytest.approx(1e4 * 0.025, rel=0.05)
    assert water.densities.max() < 1010
    assert water.status["compressibility"] < 0.01
    assert water.status["sound_speed"] == 0
    assert water.step == pytest.approx(1e-3)
    with pytest.raises(ValueError, match="`sound_speed` does not belong"):
        puddle(**keys, sound_speed=10)
    with pytest.raises(ValueError, match="`compliance` does not belong"):
        puddle(compliance=0.1)
    with pytest.raises(ValueError, match="euler"):
        other, _ = puddle(**keys)
        other.configure(integrator="hht")
        other.run(until=0.01)


def test_wrong_input():
    world, water = puddle()
    with pytest.raises(ValueError, match="spacing"):
        hy.World().add_fluid(hy.Fluid("mud", spacing=-1.0, fills=[hy.Fluid.box((0, 0, 0), (1, 1, 1))]))
    with pytest.raises(ValueError, match="there is no body 'corc'"):
        puddle(bodies=["corc"])
    with pytest.raises(ValueError, match="pressure"):
        water.measure("preasure")
    with pytest.raises(hy.ModelError, match="sound"):
        thin, _ = puddle(sound_speed=0.3)
        thin.run(until=0.5)
    assert world.time == 0
