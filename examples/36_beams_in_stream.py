"""Flexible beams stand on the bed of a stream and bend with it.

Run:  python examples/36_beams_in_stream.py
See:  how far the tips go downstream, beside what beams do under the pull that they feel.
"""

import math

import numpy as np

import huygens as hy

LENGTH, RADIUS, YOUNG = 0.1, 0.006, 1.5e6  # m, m, Pa
PUSH = 0.5  # m/s², of a slope of 1 to 20
LONG, WIDE, DEEP = 0.36, 0.12, 0.12  # m
UNTIL = 0.4  # s

world = hy.World(dt=5e-4)
reed = world.add_structure(
    hy.Structure.beam(
        "beam", (0.06, 0.03, 0), (0.06, 0.03, LENGTH), 5,
        name="reed",
        copies={"count": (3, 2, 1), "spacing": (0.12, 0.06, 0)}, section=hy.Section.circle(RADIUS),
        material={"young": YOUNG, "poisson": 0.3, "density": 1200},
        damping={"stiffness": 0.01}, node_sets={"tip": 12}, fixed=[{"nodes": "start"}], contact={},
    )
)
water = world.add_fluid(
    hy.Fluid(
        "water",
        spacing=0.01, artificial=0.05, sound_speed=10,
        acceleration=(PUSH, 0, 0),
        periodic={"x": (0, LONG), "y": (0, WIDE)},
        structures=[reed],
        fills=[hy.Fluid.box((0, 0, 0), (LONG, WIDE, DEEP), velocity=(0.5, 0, 0))],
        walls=[hy.FluidWall.plane((LONG, WIDE), name="bed", position=(LONG / 2, WIDE / 2, 0), axis=(0, 0, 1))],
    )
)
drive = PUSH * water.measure("mass")[0]
start = water.measure("momentum")[0]
held, pulls, bends = 0.0, [], []
while world.time < UNTIL - 1e-9:
    world.step()
    pull = water.force(reed)[0]
    held += world.dt * (pull + water.force("bed")[0])
    if world.time > 0.3:
        pulls.append(pull / 6)
        bends.append(reed.positions[5::6, 0] - reed.positions[0::6, 0])
gained = water.measure("momentum")[0] - start
pull, bend = np.mean(pulls), np.mean(bends)

stiffness = YOUNG * math.pi * RADIUS**4 / 4
even, at_tip = (pull * LENGTH**3 / (factor * stiffness) for factor in (8, 3))
print(f"the tips go {1000 * bend:.1f} mm downstream; {1000 * even:.1f} to {1000 * at_tip:.1f} mm are right")
# What drives the stream is what it gains and what beams and bed hold back.
assert abs(gained + held - drive * UNTIL) < 1e-9 * drive
assert np.min(bends) > 0
# The stream is slow at the bed: its pull is not even, nor all at the tip.
assert even < bend < at_tip
