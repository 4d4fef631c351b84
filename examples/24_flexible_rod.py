"""A slider-crank with a flexible rod: at four turns a second the rod bends by its own inertia.

Run:  python examples/24_flexible_rod.py
See:  the bending moment in the middle of the rod.
"""

import math

import numpy as np

import huygens as hy

CRANK, ROD, START = 0.15, 0.4, math.radians(50)
LEAN = math.asin(CRANK * math.sin(START) / ROD)
PIN = np.array((CRANK * math.cos(START), 0, CRANK * math.sin(START)))
WRIST = np.array((PIN[0] + ROD * math.cos(LEAN), 0, 0))

world = hy.World(dt=5e-4)
crank = world.add_body(
    hy.Body.dynamic(
        name="crank",
        position=PIN / 2,
        rotation=hy.Rotate.about((0, 1, 0), -START),
        shape=hy.Solid.box((CRANK, 0.03, 0.04)),
        density=7800,
    )
)
piston = world.add_body(
    hy.Body.dynamic(
        name="piston", position=WRIST, shape=hy.Solid.cylinder(0.04, 0.06, axis=(1, 0, 0)), density=2700
    )
)
rod = world.add_structure(
    hy.Structure.beam(
        "beam", PIN, WRIST, 8,
        name="rod",
        section=hy.Section.rectangle(0.02, 0.006),
        material={"young": 2e9, "poisson": 0.35, "density": 1200},
        damping={"stiffness": 2e-4},
        color="#e69f00",
    )
)
bearing = world.add_joint(
    hy.Joint.revolute("ground", crank, name="main_bearing", position=(0, 0, 0), axis=(0, -1, 0))
)
world.add_joint(hy.Joint.revolute(crank, rod["start"], name="crank_pin", axis=(0, -1, 0)))
world.add_joint(hy.Joint.spherical(piston, rod["end"], name="wrist_pin"))
cylinder = world.add_joint(hy.Joint.prismatic("ground", piston, name="cylinder", position=(0, 0, 0), axis=(1, 0, 0)))
drive = hy.Function.step_poly345(start=0, duration=0.4, to=8 * math.pi)
motor = world.add_motor(hy.Motor.speed(bearing, drive, name="motor"))
world.add_probe(cylinder, "displacement")
world.add_probe(motor, "torque")
world.add_probe(rod, "moment", element=4, at=1.0)
world.add_probe(rod, "axial_force", element=4, at=1.0)
world.run(until=1.0)

moment = world.probes()["rod:4.moment.y"]
print(f"the largest bending moment is {np.abs(moment).max():.3f} N·m")
assert np.abs(moment).max() > 0.01
