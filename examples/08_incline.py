"""Two blocks on a slope: the friction of one is above the tangent of the slope, that of the other below.

Run:  python examples/08_incline.py
See:  the rough block stays, the smooth one slides with g (sin 20° - 0.25 cos 20°) = 1.05 m/s².
"""

import math

import numpy as np

import huygens as hy

SLOPE = math.radians(20)  # tan 20° = 0.364
UP = np.array([math.sin(SLOPE), 0, math.cos(SLOPE)])
DOWN = np.array([math.cos(SLOPE), 0, -math.sin(SLOPE)])
TURN = hy.Rotate.about((0, 1, 0), SLOPE)

world = hy.World(gravity=(0, 0, -9.81), dt=1e-3)
for name, friction in (("slope", 1.0), ("rough", 0.4), ("smooth", 0.25)):
    world.add_material(hy.Material.rigid(name=name, friction=friction))
slope = world.add_body(hy.Body.fixed(name="slope", rotation=TURN), shape=hy.Shape.half_space(), material="slope")
blocks = [
    world.add_body(
        hy.Body.dynamic(name=name, position=0.1 * UP + np.array([0, y, 0]), rotation=TURN, density=600),
        shape=hy.Shape.box((0.3, 0.3, 0.2)),
        material=name,
    )
    for name, y in (("rough", -0.3), ("smooth", 0.3))
]
starts = [block.position for block in blocks]
world.run(until=1.0)

rough, smooth = (float((block.position - start) @ DOWN) for block, start in zip(blocks, starts, strict=True))
weight = 600 * 0.3 * 0.3 * 0.2 * 9.81
force = world.contact_force(blocks[1], slope)
acceleration = 9.81 * (math.sin(SLOPE) - 0.25 * math.cos(SLOPE))
print(f"rough slid {1e3 * rough:.3f} mm, smooth {smooth:.4f} m, held by {force @ UP:.2f} N and {-force @ DOWN:.2f} N")
assert abs(rough) < 1e-3
assert abs(smooth - acceleration / 2) < 5e-3
assert math.isclose(force @ UP, weight * math.cos(SLOPE), rel_tol=0.01)
assert math.isclose(-force @ DOWN, 0.25 * weight * math.cos(SLOPE), rel_tol=0.01)
