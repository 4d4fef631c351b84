"""Three boxes are put into water: one floats high, one floats deep, one sinks.

Run:  python examples/29_floating_boxes.py
See:  they come to rest as deep as their densities say (Archimedes).
"""

import huygens as hy

HEIGHT, WIDTH = 0.08, 0.6  # m, of the boxes and of the tank
SEEN = 0.04  # m of the boxes that are drawn; the flow in the plane meets one metre of them
# Boxes that float are wider than high: else they would lie over.
BOXES = [
    ("light", 300, 0.12, (0.11, 0, 0.19)),
    ("heavy", 700, 0.12, (0.49, 0, 0.16)),
    ("stone", 2000, 0.08, (0.3, 0, 0.12)),
]

world = hy.World(dt=5e-4)
wood = world.add_material(hy.Material.rigid(name="wood", friction=0.3))
world.add_body(hy.Body.fixed(name="floor", shapes=[hy.Shape.half_space(material=wood)]))
boxes = [
    world.add_body(
        hy.Body.dynamic(
            name=name,
            position=position,
            density=density / SEEN,
            shapes=[hy.Shape.box((wide, SEEN, HEIGHT), material=wood)],
        )
    )
    for name, density, wide, position in BOXES
]
tank = hy.FluidWall.tank((0, -SEEN / 2, 0), (WIDTH, SEEN / 2, 0.24), open=("+z", "-y", "+y"), name="tank", visible=True)
water = world.add_fluid(
    hy.Fluid(
        "water",
        spacing=0.01,
        plane="xz",
        artificial=0.2,
        bodies=boxes,
        fills=[hy.Fluid.box((0, 0, 0), (WIDTH, 0, 0.16))],
        walls=[tank],
    )
)
volume = 1e-4 * len(water)
for name, *_ in BOXES:
    world.add_probe(name, "position.z")
world.run(until=2.5)

# Water and what is below its surface fill the tank up to there.
draughts = [min(density / 1000, 1) * HEIGHT for _, density, _, _ in BOXES]
surface = (volume + sum(wide * draught for (_, _, wide, _), draught in zip(BOXES, draughts))) / WIDTH
probes = world.probes()
swing = probes["time"] > 1.5  # s, one of the water in the tank
for box, draught in zip(boxes[:2], draughts):
    deep = surface - probes[f"{box.name}.position.z"][swing].mean() + HEIGHT / 2
    print(f"{box.name} is {1000 * deep:.1f} mm deep in the water; {1000 * draught:.1f} mm are right")
    assert abs(deep / draught - 1) < 0.03
assert abs(boxes[2].position[2] - HEIGHT / 2) < 1e-3
