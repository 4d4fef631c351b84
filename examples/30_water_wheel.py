"""A jet of water turns a wheel with eight paddles on a revolute joint.

Run:  python examples/30_water_wheel.py
See:  the wheel runs up against its brake.
"""

import huygens as hy

SEEN = 0.05  # m of the wheel that are drawn; the flow in the plane meets one metre of it

world = hy.World(dt=5e-4)
paddles = [
    hy.Shape.box((0.26, SEEN, 0.02), **({} if angle == 0 else {"rotation": hy.Rotate.about((0, 1, 0), degrees=angle)}))
    for angle in (0, 45, 90, 135)
]
wheel = world.add_body(
    hy.Body.dynamic(name="wheel", density=400 / SEEN, shapes=[hy.Shape.cylinder(0.04, SEEN, axis=(0, 1, 0)), *paddles])
)
axle = world.add_joint(hy.Joint.revolute("ground", wheel, name="axle", position=(0, 0, 0), axis=(0, 1, 0)))
world.add_force(hy.Force.coordinate_spring(axle, name="brake", stiffness=0, damping=0.5))
water = world.add_fluid(
    hy.Fluid(
        "water",
        spacing=0.01,
        plane="xz",
        artificial=0.05,
        max_speed=3,
        bodies=[wheel],
        bounds={"low": (-0.5, -1, -0.4), "high": (0.5, 1, 0.5)},
        inlets=[
            {"name": "jet", "center": (-0.02, 0, 0.18), "velocity": (0.6, 0, 0), "along": (0, 0, 1), "size": (0.06, 0)}
        ],
    )
)
world.run(until=0.8)

rate = axle.rate()
print(f"the wheel turns at {rate:.2f} rad/s; {int(water.measure('lost')[0])} particles have left")
# Water goes over the top and pulls the paddles of the far side down; they cannot run much faster than it falls.
assert 1 < rate < 20
