"""Twelve ellipsoids as dense as the liquid are carried along by the flow through a square channel.

Run:  python examples/35_ellipsoids_in_channel.py
See:  how far they came, how fast they turn, and that liquid, ellipsoids and channel share what drives the flow.
"""

import math

import numpy as np

import huygens as hy

RADII = (0.01, 0.006, 0.006)  # m
HALF, LENGTH = 0.024, 0.14  # m
PUSH, DENSITY = 0.8, 1000.0  # m/s², the drop of pressure over density; kg/m³

world = hy.World(gravity=(0, 0, 0), dt=7.5e-4)
world.add_material(hy.Material.rigid(name="default", friction=0.2))
sides = [((0, 1, 0), (0, -HALF, 0)), ((0, -1, 0), (0, HALF, 0)), ((0, 0, 1), (0, 0, -HALF)), ((0, 0, -1), (0, 0, HALF))]
sides = [hy.Shape.half_space(position=position, axis=axis, visible=False) for axis, position in sides]
channel = world.add_body(hy.Body.fixed(name="channel", shapes=sides))
grains = world.add_fill(
    hy.Fill(
        hy.Shape.ellipsoid(RADII), DENSITY,
        name="grain", count=(3, 2, 2), position=(0.015, -0.0115, -0.0115), spacing=(0.024, 0.023, 0.023),
        jitter=0.001, random_rotation=True,
    )
)
low, high = (0, -HALF, -HALF), (LENGTH, HALF, HALF)
liquid = world.add_fluid(
    hy.Fluid(
        "liquid",
        spacing=0.004, viscosity=0.1, viscous="central", max_speed=0.3,
        shifting={"strength": 2, "free_surface": False},
        periodic={"x": (0, LENGTH)},
        acceleration=(PUSH, 0, 0),
        bodies=grains,
        fills=[hy.Fluid.box(low, high)],
        walls=[hy.FluidWall.tank(low, high, open=("-x", "+x"), name="tube")],
    )
)
drive = PUSH * liquid.measure("mass")[0]
start = world.positions[1:]
held = 0.0
while world.time < 0.45 - 1e-9:
    world.step()
    held += world.dt * (liquid.force("tube")[0] + channel.contact_force[0])
moved, motions = world.positions[1:] - start, world.motions()
mass = DENSITY * 4 / 3 * math.pi * np.prod(RADII)
momentum = liquid.measure("momentum")[0] + mass * motions.velocities[1:, 0].sum()
spin = np.linalg.norm(motions.angular_velocities[1:], axis=1)
least, most = 1000 * moved[:, 0].min(), 1000 * moved[:, 0].max()
print(f"they came {least:.0f} to {most:.0f} mm far and turn at up to {spin.max():.1f} rad/s")
# Carried, none ahead of the fastest liquid, inside.
fastest = liquid.velocities[:, 0].max()
assert least > 20
assert motions.velocities[1:, 0].max() < fastest
assert np.abs(world.positions[1:, 1:]).max() < HALF - RADII[1] + 1e-4
# What drives the flow is what liquid and ellipsoids have and what the channel holds back.
assert abs(momentum + held - drive * 0.45) < 1e-9 * drive
