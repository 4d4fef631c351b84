"""A strip is rolled up by a moment at its end: at 2π E I / L it is a full circle.

Run:  python examples/25_roll_up.py
See:  the end comes back to the start, and every place has the same moment.
"""

import math

import numpy as np

import huygens as hy

LENGTH, WIDTH, HEIGHT, YOUNG = 1.0, 0.1, 0.002, 1e9
BENDING = YOUNG * WIDTH * HEIGHT**3 / 12

world = hy.World(gravity=(0, 0, 0), analysis="statics", load_path={"steps": 20})
strip = world.add_structure(
    hy.Structure.beam(
        "rod", (0, 0, 0), (LENGTH, 0, 0), 24,
        name="strip",
        section=hy.Section.rectangle(WIDTH, HEIGHT),
        material={"young": YOUNG, "poisson": 0.3, "density": 1000},
        fixed=[{"nodes": "start"}],
        loads=[{"nodes": "end", "moment": (0, -2 * math.pi * BENDING / LENGTH, 0)}],
        color="#cc79a7",
    )
)
world.add_probe(strip["end"], "position")
world.add_probe(strip, "moment", element=12)
path = world.load_path()

print(f"{path.steps} equilibria, end at {strip['end'].position}")
np.testing.assert_allclose(strip["end"].position, 0, atol=1e-6)
moments = strip.section_forces().moments[:, 0]
np.testing.assert_allclose(np.abs(moments), 2 * math.pi * BENDING / LENGTH, rtol=1e-6)
