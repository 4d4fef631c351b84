"""Kinematics of a four-bar linkage: the crank turns at a constant speed, and a point of the coupler draws its curve.

Run:  python examples/03_four_bar.py
See:  the curve closes after one turn, and the bars keep their lengths to rounding.
"""

import math

import numpy as np

import huygens as hy

GROUND, CRANK, COUPLER, ROCKER = 0.4, 0.1, 0.35, 0.25  # m
DIAGONAL = math.hypot(GROUND, CRANK)
TILT = math.acos((COUPLER**2 + DIAGONAL**2 - ROCKER**2) / (2 * COUPLER * DIAGONAL)) - math.atan2(CRANK, GROUND)
TOP = np.array([COUPLER * math.cos(TILT), 0, CRANK + COUPLER * math.sin(TILT)])
ACROSS, ALUMINIUM = (0, -1, 0), 2700.0

world = hy.World(dt=5e-3, analysis="kinematics")


def bar(name: str, start: np.ndarray, end: np.ndarray, **more: object) -> hy.BodyHandle:
    """Add a bar from one point to another."""
    along = end - start
    turn = hy.Rotate.about((0, 1, 0), -math.atan2(along[2], along[0]))
    shape = hy.Solid.box((float(np.linalg.norm(along)), 0.01, 0.02))
    body = hy.Body.dynamic(name=name, position=(start + end) / 2, rotation=turn, shape=shape, density=ALUMINIUM)
    return world.add_body(body, **more)


a, b, d = np.zeros(3), np.array([0, 0, CRANK]), np.array([GROUND, 0, 0])
crank = bar("crank", a, b)
coupler = bar("coupler", b, TOP, markers={"pen": hy.Frame((0, 0, 0.15))})
rocker = bar("rocker", d, TOP)
first = world.add_joint(hy.Joint.revolute("ground", crank, name="a", position=a, axis=ACROSS))
world.add_joint(hy.Joint.revolute(crank, coupler, name="b", position=b, axis=ACROSS))
# A pin that slides along its axis keeps the loop free of redundant constraints.
world.add_joint(hy.Joint.point_on_line(coupler, rocker, name="c", position=TOP, axis=ACROSS))
last = world.add_joint(hy.Joint.revolute("ground", rocker, name="d", position=d, axis=ACROSS))
motor = world.add_motor(hy.Motor.angle(first, hy.Function.ramp(math.pi), name="motor"))
world.add_probe(coupler.marker("pen"), "position")
world.add_probe(last, "angle")
world.add_probe(motor, "torque")
world.kinematics(until=2.0)

probes = world.probes()
pen = np.stack([probes["coupler/pen.position.x"], probes["coupler/pen.position.z"]])
swing = math.degrees(np.ptp(probes["d.angle"]))
print(f"{pen.shape[1]} points of the coupler curve; the rocker swings through {swing:.1f}°")
assert np.allclose(pen[:, 0], pen[:, -1], atol=1e-9)
assert world.constraint_residual < 1e-10
