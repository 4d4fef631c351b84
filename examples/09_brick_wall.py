"""A ball is shot through a wall of bricks.

Run:  python examples/09_brick_wall.py
See:  the ball comes through, many bricks have moved, and none has sunk into the floor.
"""

import numpy as np

import huygens as hy

# Gauss-Seidel is at its best in stacks and walls; an iteration cap is a choice of accuracy here.
contact = hy.Contact("rigid", solver="psor", max_iterations=60, on_failure="accept")
world = hy.World(gravity=(0, 0, -9.81), dt=2e-3, contact=contact)
brick = world.add_material(hy.Material.rigid(name="brick", friction=0.6))
iron = world.add_material(hy.Material.rigid(name="iron", friction=0.4))

world.add_body(hy.Body.fixed(name="floor"), shape=hy.Shape.half_space(), material=brick)
ball = world.add_body(
    hy.Body.dynamic(name="ball", position=(0, -3, 0.9), velocity=(0, 12, 1), density=7800),
    shape=hy.Shape.sphere(0.2),
    material=iron,
)
# Every other course is shifted by half a brick.
shape = hy.Shape.box((0.4, 0.2, 0.2), material=brick)
even = hy.Fill(shape, 1800, name="even", position=(-1.8, 0, 0.1), count=(10, 1, 5), spacing=(0.4, 1, 0.4))
odd = hy.Fill(shape, 1800, name="odd", position=(-1.6, 0, 0.3), count=(9, 1, 5), spacing=(0.4, 1, 0.4))
bricks = world.add_fill(even) + world.add_fill(odd)

start = world.positions[2:]
world.run(until=2.0)

moved = np.linalg.norm(world.positions[2:] - start, axis=1) > 0.1
print(f"ball at {ball.position}, {moved.sum()} of {len(bricks)} bricks moved, {len(world.contacts())} contacts")
assert ball.position[1] > 1.0
assert moved.sum() > 10
assert world.positions[2:, 2].min() > 0.08
