"""Three boxes are put into water: one floats high, one floats deep, one sinks.

Run:  python examples/29_floating_boxes.py
See:  they come to rest as deep as their densities say (Archimedes).
"""

import huygens as hy

SIDE = 0.08

world = hy.World(dt=5e-4)
wood = world.add_material(hy.Material.rigid(name="wood", friction=0.3))
world.add_body(hy.Body.fixed(name="floor", shapes=[hy.Shape.half_space(material=wood)]))
boxes = [
    world.add_body(
        hy.Body.dynamic(
            name=name, position=(x, 0, z), density=density, shapes=[hy.Shape.box((SIDE, 1, SIDE), material=wood)]
        )
    )
    for name, x, z, density in [("light", 0.12, 0.16, 300), ("heavy", 0.3, 0.16, 700), ("stone", 0.48, 0.14, 2000)]
]
water = world.add_fluid(
    hy.Fluid(
        "water",
        spacing=0.01,
        plane="xz",
        artificial=0.1,
        bodies=boxes,
        fills=[hy.Fluid.box((0, 0, 0), (0.6, 0, 0.16))],
        walls=[hy.FluidWall.tank((0, 0, 0), (0.6, 0, 0.3), name="tank")],
    )
)
volume = 1e-4 * len(water)
for name, quantity in [("light", "position.z"), ("heavy", "position.z"), ("stone", "position.z")]:
    world.add_probe(name, quantity)
world.run(until=1.0)

# Water and what is below its surface fill the tank up to there.
surface = (volume + (0.3 + 0.7 + 1) * SIDE**2) / 0.6
heights = [box.position[2] - surface for box in boxes]
print("above the surface:", ", ".join(f"{name} {1000 * h:.0f} mm" for name, h in zip(("light", "heavy", "stone"), heights)))
assert abs(heights[0] - 0.2 * SIDE) < 0.02
assert abs(heights[1] + 0.2 * SIDE) < 0.02
assert abs(boxes[2].position[2] - 0.5 * SIDE) < 0.01
