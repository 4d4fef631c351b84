"""Arrays that look into the state, and states on disk."""

from __future__ import annotations

import gc
import weakref

import models
import numpy as np
import pytest

import huygens as hy


def cloud(count: int = 4) -> hy.World:
    world = hy.World(gravity=(0, 0, -10), dt=1e-2)
    world.add_body(hy.Body.fixed(name="floor"))
    for i in range(count):
        world.add_body(
            hy.Body.dynamic(position=(i, 0, 0), velocity=(0, i, 0), angular_velocity=(0, 0, i)),
            mass=1,
            inertia=(1, 1, 1),
        )
    return world


def test_views_follow_the_world_without_copying():
    world = cloud()
    views = world.state_views()
    assert views.positions.shape == (4, 3)
    assert views.rotations.shape == (4, 4)
    assert np.shares_memory(views.positions, views.q)
    assert np.shares_memory(views.velocities, views.v)
    assert np.shares_memory(views.q, world.state_views().q)
    assert not views.positions.flags.writeable
    assert not views.positions.flags.owndata
    world.run(until=0.5)
    np.testing.assert_allclose(views.positions[:, 2], -1.25, atol=1e-9)
    np.testing.assert_allclose(views.positions, world.positions[1:], atol=1e-15)
    np.testing.assert_allclose(views.velocities, world.velocities[1:], atol=1e-15)
    np.testing.assert_allclose(np.roll(views.rotations, 1, axis=1), world.rotations[1:], atol=1e-15)
    np.testing.assert_allclose(views.angular_velocities[:, 2], range(4), atol=1e-12)
    with pytest.raises(ValueError, match="read-only"):
        views.positions[0, 0] = 1.0


def test_views_keep_the_last_values_when_the_model_changes():
    world = cloud()
    views = world.state_views()
    slice_of_view = views.positions[1:, 2]
    world.run(until=0.5)
    before = views.q.copy()
    world.add_body(hy.Body.dynamic(mass=1, inertia=(1, 1, 1)))
    world.run(until=1.0)
    np.testing.assert_array_equal(views.q, before)
    np.testing.assert_allclose(slice_of_view, -1.25, atol=1e-9)
    fresh = world.state_views()
    assert fresh.positions.shape == (5, 3)
    assert not np.shares_memory(fresh.q, views.q)
    np.testing.assert_allclose(fresh.positions[:4, 2], -5.0, atol=1e-9)


def test_views_survive_a_step_that_fails():
    world, block, rail = models.slider()
    world.configure(integrator={"type": "generalized_alpha", "rho": 0.8}, newton={"max_iterations": 2}, dt=0.1)
    world.add_force(hy.Force.coordinate_spring(rail, law=lambda t, x, v: 1e6 * (-1 if x > 0 else 1)))
    block.velocity = (1, 0, 0)
    world.initialize()
    views = world.state_views()
    assert failing_step(world) is not None, "no step failed: the test shows nothing"
    fresh = world.state_views()
    assert np.shares_memory(views.q, fresh.q) and np.shares_memory(views.v, fresh.v)
    np.testing.assert_array_equal(views.positions[0], block.position)
    np.testing.assert_array_equal(views.velocities[0], block.velocity)


def failing_step(world: hy.World) -> hy.HuygensError | None:
    """Step until one fails; check that it left time and state as they were."""
    for _ in range(100):
        time, state = world.time, world.state_hash
        try:
            world.step()
        except (hy.ConvergenceError, hy.DivergedError) as error:
            assert (world.time, world.state_hash) == (time, state)
            return error
    return None


def test_views_follow_a_load_path():
    world = hy.World(gravity=(0, 0, 0))
    beam = world.add_structure(
        hy.Structure.beam(
            "beam", (0, 0, 0), (1, 0, 0), 4, name="beam", section=hy.Section.rectangle(0.02, 0.02),
            material={"young": 2.1e11, "poisson": 0.3, "density": 7850}, fixed=[{"nodes": "start"}],
            loads=[{"nodes": "end", "force": (0, 0, -30)}],
        )
    )
    world.initialize()
    views = world.state_views()
    world.load_path()
    assert np.shares_memory(views.q, world.state_views().q)
    assert beam["end"].position[2] < -1e-3
    assert beam["end"].position[2] in views.q


def test_views_keep_the_world_alive():
    world = cloud()
    world.run(until=0.5)
    heights = world.state_views().positions[:, 2]
    gone = weakref.ref(world)
    del world
    gc.collect()
    assert gone() is None
    np.testing.assert_allclose(heights, -1.25, atol=1e-9)


def test_motions_of_all_bodies_in_one_go():
    world = cloud()
    motions = world.motions()
    np.testing.assert_allclose(motions.positions[1:, 0], range(4))
    np.testing.assert_allclose(motions.angular_velocities[1:, 2], range(4))
    np.testing.assert_allclose(motions.rotations[:, 0], 1.0)
    assert motions.velocities.shape == (5, 3)


def test_a_restored_run_has_the_bits_of_one_without_interruption(tmp_path):
    straight = models.pendulum()
    straight.run(until=0.4)
    first = models.pendulum()
    first.run(until=0.15)
    first.save(tmp_path / "state.hckpt")
    second = models.pendulum()
    views = second.state_views()
    second.restore(tmp_path / "state.hckpt")
    assert second.time == first.time
    assert second.state_hash == first.state_hash
    assert not np.shares_memory(views.q, second.state_views().q)
    second.run(until=0.4)
    assert second.state_hash == straight.state_hash


def test_wrong_states_are_refused(tmp_path):
    world = models.pendulum()
    world.save(tmp_path / "state.hckpt")
    with pytest.raises(hy.FileError, match="does not fit"):
        cloud().restore(tmp_path / "state.hckpt")
    damaged = bytearray((tmp_path / "state.hckpt").read_bytes())
    damaged[len(damaged) // 2] ^= 1
    (tmp_path / "damaged.hckpt").write_bytes(damaged)
    with pytest.raises(hy.FileError, match="damaged"):
        world.restore(tmp_path / "damaged.hckpt")
    with pytest.raises(hy.FileError):
        world.restore(tmp_path / "missing.hckpt")
    with pytest.raises(hy.FileError):
        world.save(tmp_path / "missing" / "state.hckpt")


def test_an_input_is_set_between_steps() -> None:
    world = hy.World(gravity=(0, 0, 0))
    block = world.add_body(hy.Body.dynamic(name="block", mass=2.0, inertia=(1, 1, 1)))
    push = world.add_signal(hy.Signal.input("push", lower=-10, upper=10))
    world.add_force(hy.Force.load(block, force=[push.drive, 0, 0]))
    world.run(until=0.5)
    assert block.velocity[0] == 0.0
    push.value = 4.0
    world.run(until=1.5)
    assert push.value == 4.0
    assert block.velocity[0] == pytest.approx(2.0, abs=1e-9)
    with pytest.raises(ValueError, match="from -10 to 10"):
        push.value = 11.0
    world.add_signal(hy.Signal.gain("half", push, 0.5))
    with pytest.raises(ValueError, match="input signal"):
        world.signal("half").value = 1.0
