"""A column of water breaks down and throws over a stack of boxes. Water, boxes and floor are one problem a step.

Run:  python examples/31_water_on_boxes.py
See:  when the front is at the boxes, and how far they are pushed.
"""

import huygens as hy

world = hy.World(dt=2e-3, contact={"rigid": {"max_iterations": 50, "on_failure": "accept"}})
world.add_material(hy.Material("wood", friction=0.4))
wall = hy.Shape.half_space
basin = world.add_body(
    hy.Body.fixed(
        name="basin",
        shapes=[
            wall(material="wood"),
            wall(material="wood", position=(1, 0, 0), axis=(-1, 0, 0)),
            wall(material="wood", position=(0, 0, 0), axis=(0, 1, 0)),
            wall(material="wood", position=(0, 0.3, 0), axis=(0, -1, 0)),
        ],
    )
)


def box(name, position, width=0.08):
    """Add a box of wood."""
    shape = hy.Shape.box((0.08, width, 0.08), material="wood")
    return world.add_body(hy.Body.dynamic(name=name, position=position, density=400, shapes=[shape]))


boxes = [
    box("left", (0.55, 0.09, 0.04)),
    box("right", (0.55, 0.21, 0.04)),
    box("middle", (0.55, 0.15, 0.12), width=0.16),
    box("top", (0.55, 0.15, 0.2)),
]
water = world.add_fluid(
    hy.Fluid(
        "water",
        method="constraint",
        spacing=0.02,
        bodies=boxes,
        fills=[hy.Fluid.box((0, 0, 0), (0.3, 0.3, 0.3))],
        walls=[hy.FluidWall.tank((0, 0, 0), (1, 0.3, 0.5), name="tank")],
    )
)
arrival = None
while world.time < 0.8 - 1e-9:
    world.step()
    if arrival is None and water.force("left")[0] > 1:
        arrival = world.time
print(f"the front is there after {arrival:.3f} s")
for body in boxes:
    print(f"{body.name} is pushed by {body.position[0] - 0.55:.3f} m")
print(f"density at most {100 * water.status['compressibility']:.2f} % above that at rest")
