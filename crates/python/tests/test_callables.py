"""Laws, callbacks and exceptions that come out of them."""

from __future__ import annotations

import gc
import math
import os
import signal
import threading
import time
import traceback
import weakref

import models
import numpy as np
import pytest

import huygens as hy


def test_a_force_law_acts_as_the_built_in_spring():
    worlds = []
    for law in (None, lambda t, x, v: -50.0 * (x - 0.2) - 0.5 * v):
        world, _, rail = models.slider()
        world.add_force(hy.Force.coordinate_spring(rail, stiffness=50, damping=0.5, rest=0.2, law=law))
        world.run(until=0.5, dt=1e-3)
        worlds.append(rail.displacement)
    assert worlds[0] == pytest.approx(worlds[1], rel=1e-6)
    assert worlds[0] > 0.01


def test_user_signals_and_odes_close_a_loop():
    world, _, rail = models.slider()
    x = world.add_signal(hy.Signal.sensor("x", rail, "displacement"))
    error = world.add_user_signal("error", [x], lambda t, u: 1.0 - u[0])
    lag = world.add_ode("lag", [error], [0.0, 0.0], lambda t, u, z: [(u[0] - z[0]) / 0.05, z[0]])
    out = world.add_ode("out", ["lag"], [1.0], lambda t, u, z: -z, output=lambda t, u, z: 2 * z[0])
    world.add_motor(hy.Motor.force(rail, lag.drive))
    world.run(until=0.5, dt=1e-3)
    assert error.value == pytest.approx(1.0 - x.value, abs=1e-12)
    assert out.value == pytest.approx(2 * math.exp(-0.5), rel=1e-5)
    assert 0.01 < rail.displacement < 0.25


def broken_law(t, x, v):
    if t > 0.05:
        raise ZeroDivisionError("the law is broken")
    return 0.0


@pytest.mark.parametrize("kind", ["law", "drive", "signal", "ode", "callback"])
def test_an_exception_stops_the_run_and_keeps_its_traceback(kind):
    world, _, rail = models.slider()
    callback = None
    if kind == "law":
        world.add_force(hy.Force.coordinate_spring(rail, law=broken_law))
    elif kind == "drive":
        world.add_motor(hy.Motor.force(rail, lambda t: broken_law(t, 0, 0)))
    elif kind == "signal":
        drive = world.add_user_signal("s", [], lambda t, u: broken_law(t, 0, 0))
        world.add_motor(hy.Motor.force(rail, drive.drive))
    elif kind == "ode":
        world.add_ode("s", [], [0.0], lambda t, u, z: broken_law(t, 0, 0))
    else:
        callback = lambda w: broken_law(w.time, 0, 0)  # noqa: E731
    with pytest.raises(ZeroDivisionError, match="the law is broken") as caught:
        world.run(until=1.0, dt=1e-2, callback=callback)
    assert "in broken_law" in "".join(traceback.format_exception(caught.value))
    assert 0.04 < world.time < 0.07
    assert np.all(np.isfinite(world.positions))


@pytest.mark.parametrize(
    ("law", "error", "message"),
    [
        (lambda t, x, v: None, TypeError, "the law of force 's' must return a number, not NoneType"),
        (lambda t, x, v: float("nan"), hy.ModelError, "the law of force 's' returned NaN at t = 0 s"),
        (lambda t: 0.0, TypeError, "positional argument"),
    ],
)
def test_a_wrong_law_is_named(law, error, message):
    world, _, rail = models.slider()
    world.add_force(hy.Force.coordinate_spring(rail, law=law, name="s"))
    with pytest.raises(error, match=message):
        world.run(until=0.1)


def test_callbacks_read_change_and_stop():
    world, block, _ = models.slider()
    block.velocity = (1, 0, 0)
    times = []

    def look(w):
        times.append(w.time)
        if len(times) == 3:
            block.velocity = (-1, 0, 0)
        return w.time < 0.75 or None

    assert world.run(until=1.0, dt=1e-2, callback=look, every=0.1)
    np.testing.assert_allclose(times, np.arange(1, 11) / 10, atol=1e-9)
    assert block.position[0] == pytest.approx(0.3 - 0.7, abs=1e-9)
    assert not world.run(until=2.0, callback=lambda w: w.time < 1.5)
    assert world.time == pytest.approx(1.5)


def test_a_world_in_use_refuses_instead_of_hanging():
    world, _, rail = models.slider()
    world.add_force(hy.Force.coordinate_spring(rail, law=lambda t, x, v: -world.time))
    with pytest.raises(RuntimeError, match="the world is in use"):
        world.run(until=0.1)
    other, _, _ = models.slider()
    with pytest.raises(RuntimeError, match="a callback may read and change it, not move it"):
        other.run(until=0.1, callback=lambda w: w.step())
    other.run(until=0.1)


def test_callables_cannot_be_written_to_a_scene():
    world, _, rail = models.slider()
    world.add_motor(hy.Motor.force(rail, lambda t: t))
    with pytest.raises(hy.ModelError, match="callables"):
        world.to_dict()


def test_laws_run_on_several_threads():
    world = hy.World(gravity=(0, 0, 0), threads=2)
    for i in range(300):
        body = world.add_body(hy.Body.dynamic(position=(i, 0, 0), mass=1, inertia=(1, 1, 1)))
        world.add_force(hy.Force.spring("ground", body, point_a=(i, 0, 1), law=lambda t, x, v: 1.0 - x))
    world.run(until=0.01, dt=5e-3)
    assert np.all(np.isfinite(world.positions))


def test_other_python_threads_go_on_while_a_world_runs():
    world = models.pendulum()
    count, done = 0, threading.Event()

    def work():
        nonlocal count
        while not done.is_set():
            count += 1

    worker = threading.Thread(target=work)
    worker.start()
    start, before = time.perf_counter(), count
    world.run(until=2.0, dt=1e-4)
    elapsed, counted = time.perf_counter() - start, count - before
    done.set()
    worker.join()
    # The run alone never lets another thread in unless it releases the lock: then hardly anything is counted.
    assert counted > 1000, f"{counted} in {elapsed:.2f} s"


def test_ctrl_c_stops_a_run_promptly():
    world = models.pendulum()
    # Programs that a shell starts in the background ignore the signal.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            world.run(until=1e6, dt=1e-4)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert 0 < world.time < 1e5
    world.run(until=world.time + 1e-3)


def test_a_world_and_its_laws_are_collected():
    world, _, rail = models.slider()
    world.add_force(hy.Force.coordinate_spring(rail, law=lambda t, x, v: world.missing))
    gone = weakref.ref(world)
    del world, rail
    gc.collect()
    assert gone() is None
