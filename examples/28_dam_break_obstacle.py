"""A column of water breaks down and hits a block on the floor of a tank.

Run:  python examples/28_dam_break_obstacle.py
See:  the time at which the front reaches the block, and the force on it.
"""

import huygens as hy

world = hy.World(dt=1e-3)
water = world.add_fluid(
    hy.Fluid(
        "water",
        spacing=0.025,
        artificial=0.05,
        bounds={"low": (-0.1, -0.1, -0.1), "high": (0.9, 0.4, 1.0)},
        fills=[hy.Fluid.box((0, 0, 0), (0.25, 0.3, 0.25))],
        walls=[
            hy.FluidWall.tank((0, 0, 0), (0.8, 0.3, 0.4), name="tank"),
            hy.FluidWall.block((0.5, 0.1, 0), (0.55, 0.2, 0.1), name="block"),
        ],
    )
)
arrival, greatest = None, 0.0
while world.time < 0.6 - 1e-9:
    world.step()
    force = water.force("block")[0]
    greatest = max(greatest, force)
    if arrival is None and force > 1:
        arrival = world.time
print(f"the front is there after {arrival:.3f} s; the block feels up to {greatest:.1f} N")
print(f"density within {100 * water.status['compressibility']:.2f} %")
assert 0.1 < arrival < 0.3
assert 5 < greatest < 200
