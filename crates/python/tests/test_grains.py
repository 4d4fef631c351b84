"""Granular matter from Python: arrays, walls, bodies, wrong input."""

from __future__ import annotations

import math

import numpy as np
import pytest

import huygens as hy

RADIUS, DENSITY = 1e-3, 2500.0
MASS = DENSITY * 4 / 3 * math.pi * RADIUS**3


def sandbox(**grains):
    """A world with sand that has no grains yet, above a floor."""
    world = hy.World(gravity=(0, 0, -10), dt=1e-3)
    glass = world.add_material(hy.Material.elastic(5e6, 0.2, name="glass", restitution=0.5, friction=0.5))
    grains = {"material": glass, "walls": [hy.Wall.plane(name="floor")], **grains}
    return world, world.add_grains(hy.Grains("sand", **grains))


def lattice(side, layers):
    """Places above the floor, a little shaken."""
    index = np.indices((layers, side, side)).reshape(3, -1).T[:, ::-1]
    shake = 0.05 * RADIUS * np.sin(37.0 * np.arange(index.size)).reshape(-1, 3)
    return 2.3 * RADIUS * index + (0, 0, 1.2 * RADIUS) + shake


def test_arrays_are_in_the_order_of_ids():
    world, sand = sandbox()
    places = lattice(5, 3)
    ids = sand.add(places, radius=RADIUS, density=DENSITY)
    np.testing.assert_array_equal(ids, np.arange(len(places)))
    assert len(sand) == len(places)
    np.testing.assert_array_equal(sand.positions, places)
    np.testing.assert_allclose(sand.masses, MASS)
    np.testing.assert_array_equal(sand.radii, RADIUS)
    assert world.energy.potential == pytest.approx(10 * MASS * places[:, 2].sum())
    world.run(until=0.3)
    np.testing.assert_array_equal(sand.ids, ids)
    assert np.hypot(*(sand.positions - places).T[:2]).max() < 0.1
    weight = 10 * MASS * len(sand)
    assert sand.wall_force("floor")[2] == pytest.approx(-weight, rel=0.05)
    # Contacts carry every grain against its weight.
    np.testing.assert_allclose(sand.forces[:, 2].sum(), weight, rtol=0.05)
    assert sand.contact_count == sand.measure("contact_count")[0]
    assert {sand.velocities.shape, sand.angular_velocities.shape, sand.torques.shape} == {(len(sand), 3)}
    positions = sand.positions
    positions[:] = 0  # a copy
    assert sand.positions[:, 2].min() > 0


def test_grains_come_and_go():
    world, sand = sandbox()
    sand.add(lattice(3, 1), radius=RADIUS, density=DENSITY)
    world.run(until=0.02)
    new = sand.add([(0.05, 0, 0.1), (0.05, 0, 0.11)], radius=[RADIUS, 2 * RADIUS], density=DENSITY, velocity=(0, 0, 1))
    np.testing.assert_array_equal(new, (9, 10))
    np.testing.assert_array_equal(sand.velocities[-2:], [(0, 0, 1)] * 2)
    sand.remove([0, 4])
    world.run(until=0.03)
    np.testing.assert_array_equal(sand.ids, (1, 2, 3, 5, 6, 7, 8, 9, 10))
    assert sand.radii[-1] == 2 * RADIUS
    with pytest.raises(hy.ModelError, match="no grain 4"):
        sand.remove([4])


def test_a_body_carries_walls_and_feels_grains():
    world, sand = sandbox()
    sand.add([(x, y, RADIUS) for x in (-6e-3, 6e-3) for y in (-6e-3, 6e-3)], radius=RADIUS, density=DENSITY)
    plate = hy.Body.dynamic(position=(0, 0, 2.05 * RADIUS + 1e-3), mass=1e-3)
    plate = world.add_body(plate, shape=hy.Shape.box((0.02, 0.02, 0.002)))
    more = world.add_grains(
        name="shot",
        material="glass",
        walls=[hy.Wall.plane(name="floor"), hy.Wall.of_body(plate, name="plate")],
        particles=[hy.Particles(sand.positions, radius=RADIUS, density=DENSITY)],
    )
    world.dt = 1e-4
    world.run(until=0.3)
    assert more.wall_force("plate")[2] == pytest.approx(1e-2, rel=0.02)
    assert plate.position[2] == pytest.approx(2 * RADIUS + 1e-3, abs=2e-5)
    assert more.positions[:, 2].max() < RADIUS
    assert world["shot"] == more
    assert [grains.name for grains in world.grains] == ["sand", "shot"]


def test_a_callable_moves_a_wall():
    world, sand = sandbox(walls=[hy.Wall.plane(name="belt", motion={"translation": [lambda t: 0.02 * t, 0, 0]})])
    sand.add([(0, 0, RADIUS)], radius=RADIUS, density=DENSITY)
    world.run(until=0.2)
    assert sand.velocities[0, 0] == pytest.approx(0.02 * 2 / 7, rel=0.02)


def test_state_and_threads(tmp_path):
    def run(threads, cut=None):
        world, sand = sandbox()
        sand.add(lattice(6, 4), radius=RADIUS, density=DENSITY)
        world.threads = threads
        if cut is not None:
            world.restore(cut)
        world.run(until=0.05)
        return world

    whole = run(1).state_hash
    assert run(2).state_hash == whole
    half, _ = sandbox()
    half.grains[0].add(lattice(6, 4), radius=RADIUS, density=DENSITY)
    half.run(until=0.02)
    half.save(tmp_path / "half.hckpt")
    assert run(1, tmp_path / "half.hckpt").state_hash == whole


def test_a_recording_holds_grains(tmp_path):
    world, sand = sandbox()
    sand.add(lattice(3, 2), radius=RADIUS, density=DENSITY)
    world.run(until=0.02, record=tmp_path / "run.hrec")
    recording = hy.Recording(tmp_path / "run.hrec")
    np.testing.assert_allclose(recording.positions(group="sand"), sand.positions, atol=1e-7)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"material": "gras"}, "there is no material 'gras'"),
        ({"walls": [{"type": "cylinder", "radius": 1}]}, "needs `length`"),
        ({"step": -1.0}, "step"),
        ({"particles": [hy.Particles([(0, 0, 0)], radius=-1, density=1)]}, "radius = -1"),
        ({"fills": [{"region": {"type": "box", "low": (0, 0, 0), "high": (1, 1, 1)}}]}, "pattern"),
    ],
)
def test_wrong_grains_are_refused(change, message):
    with pytest.raises(hy.ModelError, match=message):
        sandbox(**change)


def test_wrong_arrays_are_refused():
    _, sand = sandbox()
    with pytest.raises(hy.ModelError, match="radius"):
        sand.add([(0, 0, 1)], radius=0.0, density=DENSITY)
    with pytest.raises(hy.ModelError, match="finite"):
        sand.add([(0, 0, math.nan)], radius=RADIUS, density=DENSITY)
    with pytest.raises(ValueError, match="radius must be a number"):
        sand.add([(0, 0, 1)], radius=[1, 2], density=DENSITY)


PEANUT = {
    "name": "peanut",
    "density": DENSITY,
    "spheres": [
        {"position": (-0.5 * RADIUS, 0, 0), "radius": RADIUS},
        {"position": (0.5 * RADIUS, 0, 0), "radius": RADIUS},
    ],
}


def test_clumps():
    world, sand = sandbox(clumps=[PEANUT | {"positions": [(0, 0, 0.01), (0.01, 0, 0.01)]}])
    clumps = sand.clumps()
    lens = math.pi * 5 * RADIUS * RADIUS**2 / 12
    mass = DENSITY * (8 / 3 * math.pi * RADIUS**3 - lens)
    assert clumps["kind"] == ["peanut", "peanut"]
    np.testing.assert_allclose(clumps["mass"], mass, rtol=1e-9)
    np.testing.assert_allclose(clumps["position"], [(0, 0, 0.01), (0.01, 0, 0.01)], atol=1e-15)
    assert len(sand) == 4
    assert sand.masses.sum() == pytest.approx(2 * mass, rel=1e-9)
    world.run(until=0.01)
    assert np.linalg.norm(sand.positions[0] - sand.positions[1]) == pytest.approx(RADIUS, rel=1e-9)


def test_measures():
    world = hy.World(gravity=(0, 0, 0))
    d = 1.99 * RADIUS
    places = [(0, 0, 0), (d, 0, 0), (d, d, 0), (0, d, 0)]
    square = hy.Particles(places, radius=RADIUS, density=DENSITY, velocities=[(1, 0, 0)] * 2 + [(3, 0, 0)] * 2)
    laws = {"tangential": "none", "rolling": "none", "spinning": "none"}
    sand = world.add_grains(hy.Grains("sand", particles=[square], laws=laws))
    box = {"type": "box", "low": (-0.01, -0.01, -0.01), "high": (0.01, 0.01, 0.01)}
    cells = {"low": (-0.01, -0.01, -0.01), "high": (0.01, 0.01, 0.01), "count": (2, 3, 1)}
    grain = DENSITY * 4 / 3 * math.pi * RADIUS**3
    assert sand.measure_coordination() == {"mean": 2.0, "bearing": 0.0, "rattlers": 4.0}
    assert sand.measure_coordination(least=2)["bearing"] == 2.0
    fraction = sand.measure_solid_fraction(box)
    assert fraction == pytest.approx(4 * grain / DENSITY / 8e-6, rel=1e-6)
    field = sand.measure_solid_fraction(cells=cells)
    assert field.shape == (2, 3, 1)
    assert field.mean() == pytest.approx(fraction, rel=1e-6)
    chains = sand.measure_force_chains(0.9)
    assert chains["a"].shape == (4, 3)
    np.testing.assert_allclose(np.linalg.norm(chains["b"] - chains["a"], axis=1), d)
    stress = sand.measure_stress(box)
    np.testing.assert_allclose(stress, stress.T)
    assert stress[0, 0] == pytest.approx(2 * chains["force"][0] * d / 8e-6, rel=1e-9)
    fields = sand.measure_stress(cells=cells)
    assert fields.shape == (2, 3, 1, 3, 3)
    np.testing.assert_allclose(fields.mean(axis=(0, 1, 2)), stress, atol=1e-9 * stress[0, 0])
    assert sand.measure_stress(box, kinetic=True)[0, 0] == pytest.approx(4 * grain / 8e-6, rel=1e-9)
    assert sand.measure_temperature() == pytest.approx(1 / 3)
    profile = sand.measure_velocity_profile((0, 1, 0), (-RADIUS, 3 * RADIUS), 2)
    np.testing.assert_allclose(profile["velocity"], [(1, 0, 0), (3, 0, 0)])
    flow = sand.measure_mass_flow((d / 2, 0, 0), (1, 0, 0), 0.02)
    assert flow == pytest.approx(8 * grain / 0.02)
    halves = {"low": (-1, -RADIUS, -1), "high": (1, 3 * RADIUS, 1), "count": (1, 2, 1)}
    assert sand.measure_segregation(halves, {"id_below": 2}, least=1)["segregation"] == 1.0
    with pytest.raises(hy.ModelError, match="`region` or `cells`"):
        sand.measure_stress()


def test_sources(tmp_path):
    (tmp_path / "bed.csv").write_text("x,y,z,radius\n0,0,0.01,0.001\n0.01,0,0.01,0.002\n")
    _, listed = sandbox(particles=[hy.Particles(tmp_path / "bed.csv", density=DENSITY)])
    np.testing.assert_array_equal(listed.radii, [0.001, 0.002])
    rain = {
        "region": {"type": "box", "low": (0, 0, 0), "high": (0.01, 0.01, 0.1)},
        "pattern": {"type": "rainfall", "count": 20},
        "radius": RADIUS,
        "density": DENSITY,
    }
    tray = hy.Wall.box((0.01, 0.01, 0.2), open=["-z", "+z"], position=(0.005, 0.005, 0.1))
    world, sand = sandbox(fills=[rain], walls=[hy.Wall.plane(name="floor"), tray])
    assert len(sand) == 0
    world.initialize()
    assert len(sand) == 20
    assert sand.positions[:, 2].min() == pytest.approx(RADIUS, rel=0.02)
    assert world.time == 0


def test_added_grains_are_part_of_the_scene():
    world, sand = sandbox()
    sand.add(lattice(2, 2), radius=RADIUS, density=DENSITY)
    again = hy.World.from_dict(world.to_dict())
    assert len(again.grains[0]) == 8
