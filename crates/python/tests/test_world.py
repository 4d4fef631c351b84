"""Smallest programs, and one answer from every way in."""

from __future__ import annotations

import copy
import doctest
import math

import models
import numpy as np
import pytest

import huygens as hy


def test_the_doctest_of_the_package_holds():
    assert doctest.testmod(hy, raise_on_error=True).attempted > 0


def test_a_thrown_ball_follows_the_parabola():
    world = hy.World(gravity=(0, 0, -9.81))
    thrown = hy.Body.dynamic(position=(0, 0, 5), velocity=(1, 2, 3), density=7800)
    ball = world.add_body(thrown, shape=hy.Shape.sphere(0.5))
    assert world.run(until=0.5, dt=1e-3)
    assert world.time == pytest.approx(0.5, abs=1e-12)
    np.testing.assert_allclose(ball.position, (0.5, 1.0, 5 + 1.5 - 9.81 / 8), atol=1e-9)
    np.testing.assert_allclose(ball.velocity, (1, 2, 3 - 9.81 / 2), atol=1e-9)
    assert world.energy.total == pytest.approx(world.energy.kinetic + world.energy.potential)


def test_file_dictionary_and_python_give_the_same_bits(tmp_path):
    path = models.write_pendulum(tmp_path)
    built = models.pendulum()
    built.run()
    loaded = hy.World.from_scene(path)
    loaded.run(until=0.5)
    again = hy.World.from_dict(models.pendulum().to_dict())
    again.run()
    report = hy.run_scene(path, tmp_path / "out")
    assert report.outcome == "completed"
    assert built.state_hash == loaded.state_hash == again.state_hash == report.state_hash
    longer = hy.World.from_scene(path, parameters={"length": 1.1})
    longer.run()
    twin = models.pendulum(1.1)
    twin.run()
    assert longer.state_hash == twin.state_hash != built.state_hash


def test_threads_do_not_change_bits():
    hashes = set()
    for threads in (1, 2):
        world = models.pendulum()
        world.threads = threads
        world.run(until=0.05)
        hashes.add(world.state_hash)
    assert len(hashes) == 1


def test_joint_motor_and_reaction_are_read_live():
    world, block, rail = models.slider()
    motor = world.add_motor(hy.Motor.force(rail, 6.0))
    world.run(until=1.0, dt=1e-2)
    assert rail.coordinate_names == ["displacement"]
    assert rail.displacement == rail.coordinate(0) == rail.coordinate("displacement")
    assert rail.displacement == pytest.approx(0.5 * 3.0, rel=1e-9)
    assert rail.rate() == pytest.approx(3.0, rel=1e-9)
    assert motor.effort == pytest.approx(6.0)
    np.testing.assert_allclose(block.acceleration, (3.0, 0, 0), atol=1e-9)
    world.gravity = (0, 0, -10)
    world.step()
    np.testing.assert_allclose(rail.reaction(axes="world").force, (0, 0, 20.0), atol=1e-6)
    with pytest.raises(IndexError, match="has 1 coordinates"):
        rail.coordinate(1)


def test_bodies_and_shafts_can_be_set():
    world = hy.World(gravity=(0, 0, 0))
    body = world.add_body(hy.Body.dynamic(mass=1, inertia=(1, 2, 3)))
    shaft = world.add_shaft(hy.Shaft(0.5, name="shaft"))
    half = math.sqrt(0.5)
    body.position, body.rotation = (1, 2, 3), (half, 0, 0, half)
    body.velocity, body.angular_velocity = np.array([0.1, 0, 0]), (0, 0, 0.2)
    shaft.speed = 4.0
    shaft.angle = 1.0
    np.testing.assert_allclose(world.positions, [[1, 2, 3]])
    np.testing.assert_allclose(body.rotation, (half, 0, 0, half), atol=1e-15)
    world.run(until=0.5, dt=0.01)
    np.testing.assert_allclose(body.position, (1.05, 2, 3), atol=1e-9)
    np.testing.assert_allclose(body.angular_velocity, (0, 0, 0.2), atol=1e-9)
    assert (shaft.angle, shaft.speed) == (pytest.approx(3.0), pytest.approx(4.0))


def test_probes_are_recorded_as_in_a_run(tmp_path):
    world = models.pendulum()
    world.run()
    probes = world.probes()
    assert list(probes) == ["time", "hinge.angle", "world.energy"]
    np.testing.assert_allclose(probes["time"], np.arange(51) * 0.01, atol=1e-9)
    assert world.probe_units() == {"hinge.angle": "rad", "world.energy": "J"}
    hy.run_scene(models.write_pendulum(tmp_path), tmp_path / "out")
    table = np.loadtxt(tmp_path / "out" / "probes.csv", delimiter=",", skiprows=1)
    np.testing.assert_array_equal(table[:, 1], probes["hinge.angle"])
    world.clear_probes()
    assert len(world.probes()["time"]) == 0


def test_equilibrium_and_modes_of_a_hanging_pendulum():
    world = hy.World(gravity=(0, 0, -9.81))
    bob = world.add_body(hy.Body.dynamic(position=(0.1, 0, -1), mass=1, inertia=(1e-6, 1e-6, 1e-6)))
    world.add_joint(hy.Joint.revolute("ground", bob, position=(0, 0, 0), axis=(0, 1, 0)))
    report = world.equilibrium()
    assert report.stable
    length = math.hypot(0.1, 1)
    np.testing.assert_allclose(bob.position, (0, 0, -length), atol=1e-8)
    modes = world.modes()
    assert modes.shapes.shape == (6, len(modes.eigenvalues))
    expected = math.sqrt(9.81 * length / (length**2 + 1e-6)) / (2 * math.pi)
    np.testing.assert_allclose(modes.frequencies, expected, rtol=1e-6)
    np.testing.assert_allclose(np.abs(modes.eigenvalues.imag), 2 * math.pi * expected, rtol=1e-6)


def test_kinematics_of_a_driven_joint():
    world, block, rail = models.slider()
    world.add_motor(hy.Motor.position(rail, hy.Function.polynomial([0, 1, 2])))
    world.add_probe(block, "position.x")
    seen = []
    assert world.kinematics(until=1.0, dt=0.25, callback=lambda w: seen.append((w.time, block.position[0])))
    np.testing.assert_allclose(seen, [(t, t + 2 * t * t) for t in (0, 0.25, 0.5, 0.75, 1.0)], atol=1e-9)
    assert not world.kinematics(until=2.0, dt=0.25, callback=lambda w: w.time < 1.5)
    assert world.time == pytest.approx(1.5)
    with pytest.raises(RuntimeError, match="may read it, not change it"):
        world.kinematics(until=3.0, dt=0.25, callback=lambda w: w.add_shaft(hy.Shaft(1.0)))
    world.add_shaft(hy.Shaft(1.0))


def test_objects_are_found_by_name():
    world = models.pendulum()
    assert isinstance(world["arm"], hy.BodyHandle)
    assert world["hinge"] == world.joint("hinge") == world.joints[0]
    assert "drive" in world
    assert "nothing" not in world
    with pytest.raises(KeyError, match="nothing"):
        world.body("nothing")
    with pytest.raises(KeyError, match=r"there is no object 'arn'; did you mean 'arm'\?"):
        world["arn"]
    with pytest.raises(KeyError, match=r"there is no joint 'hinges'; did you mean 'hinge'\?"):
        world.joint("hinges")
    with pytest.raises(KeyError, match="there is no object 'xyz'; there are: "):
        world["xyz"]
    assert "1 body, 1 joint, 1 motor, 1 force" in repr(world)


def test_settings_are_read_and_changed():
    world = hy.World(dt=2e-3, integrator="hht", seed=7)
    assert world.settings["integrator"]["type"] == "hht"
    world.configure(dt=1e-2, integrator=hy.Integrator.newmark(beta=0.25, gamma=0.5))
    assert (world.dt, world.settings["seed"]) == (1e-2, 7)
    assert world.settings["integrator"] == {"type": "newmark", "beta": 0.25, "gamma": 0.5}
    with pytest.raises(hy.ModelError, match="dt = -1"):
        world.dt = -1.0
    assert copy.copy(hy.Shape.sphere(1)) == hy.Shape.sphere(1) != hy.Shape.sphere(2)


def test_objects_are_removed_and_their_names_are_free_again():
    world = models.pendulum()
    world.add_probe("arm", "position")
    world.run(until=0.1)
    arm = world.body("arm")
    with pytest.raises(hy.ModelError, match="body 'arm': it cannot be removed: joint 'hinge' refers to it by `b`"):
        world.remove(arm)
    with pytest.raises(KeyError, match="there is no object 'arn'"):
        world.remove("arn")
    for force in world.forces:
        world.remove(force)
    world.remove("drive")
    for probe in ("arm.position", "hinge.angle"):
        world.remove(probe, kind="probe")
    world.remove(world.joint("hinge"))
    world.remove(arm)
    assert (world.bodies, world.joints) == ([], [])
    assert "arm" not in world
    again = world.add_body(hy.Body.dynamic(name="arm", position=(0, 0, 5), mass=1, inertia=(1, 1, 1)))
    np.testing.assert_array_equal(again.position, (0, 0, 5))
    world.run(until=0.2)
    assert again.position[2] == pytest.approx(5 - 0.5 * 9.81 * 0.1**2, abs=1e-6)
