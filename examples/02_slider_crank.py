"""A slider-crank: a motor brings the crank to two turns a second, the piston slides along x.

Run:  python examples/02_slider_crank.py
See:  the piston is where the triangle of crank and rod puts it; the motor torque swings with the piston.
"""

import math

import numpy as np

import huygens as hy

CRANK, ROD, START, STEEL = 0.15, 0.4, math.radians(50), 7800.0
LEAN = math.asin(CRANK * math.sin(START) / ROD)
PIN = np.array([CRANK * math.cos(START), 0, CRANK * math.sin(START)])
WRIST = np.array([PIN[0] + ROD * math.cos(LEAN), 0, 0])
ACROSS = (0, -1, 0)

world = hy.World(dt=1e-3)
crank, rod, piston = (
    world.add_body(hy.Body.dynamic(name=name, position=position, rotation=turn, shape=shape, density=STEEL))
    for name, position, turn, shape in (
        ("crank", PIN / 2, hy.Rotate.about((0, 1, 0), -START), hy.Solid.box((CRANK, 0.03, 0.04))),
        ("rod", (PIN + WRIST) / 2, hy.Rotate.about((0, 1, 0), LEAN), hy.Solid.box((ROD, 0.02, 0.03))),
        ("piston", WRIST, hy.Rotate.about((0, 1, 0), 0), hy.Solid.cylinder(0.05, 0.08, axis=(1, 0, 0))),
    )
)
main = world.add_joint(hy.Joint.revolute("ground", crank, name="main_bearing", position=(0, 0, 0), axis=ACROSS))
world.add_joint(hy.Joint.revolute(crank, rod, name="crank_pin", position=PIN, axis=ACROSS))
# The wrist pin may slide along its axis, so that no joint fixes what another has fixed already.
world.add_joint(hy.Joint.point_on_line(rod, piston, name="wrist_pin", position=WRIST, axis=ACROSS))
world.add_joint(hy.Joint.prismatic("ground", piston, name="cylinder", position=(0, 0, 0), axis=(1, 0, 0)))
speed = hy.Function.step_poly345(start=0, duration=0.5, to=4 * math.pi)
motor = world.add_motor(hy.Motor.speed(main, speed, name="motor"))
world.add_probe(main, "angle")
world.add_probe(piston, "position.x")
world.add_probe(motor, "torque")
world.run(until=2.0)

probes = world.probes()
angle = START + probes["main_bearing.angle"]
expected = CRANK * np.cos(angle) + np.sqrt(ROD**2 - (CRANK * np.sin(angle)) ** 2)
torque = probes["motor.torque"]
print(f"piston within {np.max(np.abs(probes['piston.position.x'] - expected)):.1e} m of the triangle")
print(f"motor torque {torque.min():.1f} to {torque.max():.1f} N·m")
assert np.allclose(probes["piston.position.x"], expected, atol=1e-8)
assert torque.min() < 0 < torque.max()
