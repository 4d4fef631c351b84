"""A column of water breaks down and throws over a stack of boxes. Water, boxes and floor are one problem a step.

Run:  python examples/31_water_on_boxes.py
See:  when the front is at the boxes, how far the lowest are pushed, and that the highest have come down.
"""

import huygens as hy

SIDE = 0.075
world = hy.World(dt=1.25e-3, contact={"rigid": {"max_iterations": 40, "on_failure": "accept"}})
world.add_material(hy.Material(name="wood", friction=0.4))
wall = hy.Shape.half_space
world.add_body(
    hy.Body.fixed(
        name="basin",
        shapes=[
            wall(material="wood"),
            wall(material="wood", position=(0.9, 0, 0), axis=(-1, 0, 0)),
            wall(material="wood", axis=(0, 1, 0)),
            wall(material="wood", position=(0, 0.2, 0), axis=(0, -1, 0)),
        ],
    )
)
boxes = {}
for height, z in (("low", 0.0375), ("middle", 0.1125), ("high", 0.1875)):
    for side, y in (("left", 0.055), ("right", 0.145)):
        shape = hy.Shape.box((SIDE, SIDE, SIDE), material="wood")
        name, place = f"{height}_{side}", (0.5, y, z)
        boxes[name] = world.add_body(hy.Body.dynamic(name=name, position=place, density=400, shapes=[shape]))
water = world.add_fluid(
    hy.Fluid(
        "water",
        method="constraint",
        spacing=0.025,
        bodies=list(boxes.values()),
        fills=[hy.Fluid.box((0, 0, 0), (0.25, 0.2, 0.3))],
        walls=[hy.FluidWall.tank((0, 0, 0), (0.9, 0.2, 0.35), name="tank")],
    )
)
arrival = None
while world.time < 0.5 - 1e-9:
    world.step()
    if arrival is None and water.force("low_left")[0] > 1:
        arrival = world.time
places = {name: body.position for name, body in boxes.items()}
pushed = min(places[f"low_{side}"][0] for side in ("left", "right")) - 0.5
highest = max(place[2] for place in places.values())
print(f"the front is there after {arrival:.3f} s; the lowest boxes are pushed by {pushed:.3f} m")
print(f"the highest box is now at {highest:.3f} m; it was at {2.5 * SIDE:.3f} m")
# Over 0.21 m at less than twice the speed of a long wave.
assert 0.21 / (2 * (9.81 * 0.3) ** 0.5) < arrival < 0.25
# They stand at the far wall, and no box stands on two others.
assert 0.3 < pushed < 0.4 - 0.4 * SIDE
assert highest < 2 * SIDE
assert water.status["compressibility"] < 0.03
