"""Water stands behind an elastic gate at the end of its tank and bends it outwards.

Run:  python examples/34_flexible_gate.py
See:  how far the gate gives way, beside what a clamped plate does under the pressure of water at rest.
"""

import numpy as np

import huygens as hy

LENGTH, THICK, YOUNG, DENSITY = 0.16, 0.02, 2e6, 400.0  # m, m, Pa, kg/m³
SEEN = 0.04  # m of the gate that are drawn; the flow in the plane meets one metre of it

world = hy.World(dt=2e-4)
gate = world.add_structure(
    hy.Structure.beam(
        "beam", (0.31, 0, 0), (0.31, 0, LENGTH), 6,
        name="gate",
        section=hy.Section.rectangle(SEEN, THICK),
        up=(1, 0, 0),
        material={"young": YOUNG / SEEN, "density": DENSITY / SEEN},
        damping={"stiffness": 0.03},
        fixed=[{"nodes": "start"}],
        contact={"radius": THICK / 2},
    )
)
walls = [
    hy.FluidWall.tank((0, -SEEN / 2, 0), (0.5, SEEN / 2, 0.2), open=("+x", "+z", "-y", "+y"), name="tank", visible=True)
]
water = world.add_fluid(
    hy.Fluid(
        "water",
        spacing=0.01,
        plane="xz",
        artificial=0.2,
        structures=[gate],
        bounds={"low": (-0.1, -1, -0.1), "high": (0.6, 1, 0.4)},
        fills=[hy.Fluid.box((0, 0, 0), (0.3, 0, 0.14))],
        walls=walls,
    )
)
world.run(until=0.9)
bends, levels = [], []
# The mean over a swing of the water.
while world.time < 1.5 - 1e-9:
    world.step()
    bends.append(gate["end"].position[0] - 0.31)
    levels.append(water.surface_height((0.15, 0, 0)))
bend, level = np.mean(bends), np.mean(levels)

# A clamped plate under a pressure that falls to zero at the surface; above it the plate is straight.
stiffness = YOUNG * THICK**3 / 12
expected = 1000 * 9.81 / stiffness * (level**5 / 30 + level**4 / 24 * (LENGTH - level))
print(f"the edge gives way by {1000 * bend:.2f} mm, a plate under water at rest by {1000 * expected:.2f} mm")
# Its own weight and its shear, which the formula leaves out, add about 5 %.
assert abs(bend / expected - 1.05) < 0.05
assert water.measure("lost")[0] == 0
