"""A robot arm with two joints: PID controllers drive torque motors along smooth steps, against gravity.

Run:  python examples/04_robot_arm.py
See:  both joint angles follow their references within two hundredths of a radian.
"""

import math
from typing import Any

import numpy as np

import huygens as hy

world = hy.World(dt=1e-3)
upper = world.add_body(
    hy.Body.dynamic(name="upper", position=(0.25, 0, 0), mass=3, shape=hy.Solid.rod(0.5, radius=0.03))
)
lower = world.add_body(
    hy.Body.dynamic(name="lower", position=(0.7, 0, 0), mass=2, shape=hy.Solid.rod(0.4, radius=0.025))
)
shoulder = world.add_joint(hy.Joint.revolute("ground", upper, name="shoulder", position=(0, 0, 0), axis=(0, -1, 0)))
elbow = world.add_joint(hy.Joint.revolute(upper, lower, name="elbow", position=(0.5, 0, 0), axis=(0, -1, 0)))


def control(joint: hy.JointHandle, to: float, start: float, **gains: Any) -> None:
    """Let a torque motor bring a joint to an angle [rad]."""
    name = joint.name
    step = hy.Function.step_poly345(start=start, duration=1.0, to=to)
    reference = world.add_signal(hy.Signal.function(f"{name}_reference", step))
    angle = world.add_signal(hy.Signal.sensor(f"{name}_angle", joint, "angle"))
    torque = world.add_signal(hy.Signal.pid(f"{name}_torque", reference, angle, filter_time=0.005, **gains))
    world.add_motor(hy.Motor.torque(joint, torque.drive, name=f"{name}_motor"))
    world.add_probe(hy.Probe(signal=reference))
    world.add_probe(joint, "angle")


# The integral terms start at the torques that hold the arm's weight.
weight = 9.81 * (3 * 0.25 + 2 * 0.7)
control(shoulder, math.radians(60), 0.2, kp=800, ki=2000, kd=80, lower=-80, upper=80, initial_integral=weight)
control(elbow, math.radians(-90), 0.6, kp=200, ki=600, kd=15, lower=-20, upper=20, initial_integral=9.81 * 2 * 0.2)
world.run(until=3.0)

probes = world.probes()
error = {name: np.max(np.abs(probes[f"{name}_reference"] - probes[f"{name}.angle"])) for name in ("shoulder", "elbow")}
print({name: f"{value:.4f} rad" for name, value in error.items()})
assert max(error.values()) < 0.02
assert math.isclose(shoulder.angle, math.radians(60), abs_tol=2e-3)
assert math.isclose(elbow.angle, math.radians(-90), abs_tol=2e-3)
