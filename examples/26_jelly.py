"""A block of jelly falls onto the edge of a step, bends over it and slides off.

Run:  python examples/26_jelly.py
See:  the block wobbles and keeps its volume.
"""

import numpy as np

import huygens as hy

world = hy.World(dt=1e-3, contact=hy.Contact("rigid", max_iterations=1000))
wet = world.add_material(hy.Material.rigid(name="wet", friction=0.3))
world.add_body(hy.Body.fixed(name="floor", shapes=[hy.Shape.half_space(material=wet)]))
world.add_body(
    hy.Body.fixed(name="step", position=(-0.3, 0, 0.1), shapes=[hy.Shape.box((0.6, 0.8, 0.2), material=wet)])
)
jelly = world.add_structure(
    hy.Structure.block(
        (0.36, 0.2, 0.12), (9, 5, 3),
        origin=(-0.15, -0.1, 0.25),
        name="jelly",
        material={"young": 3e4, "poisson": 0.4, "density": 1000},
        damping={"stiffness": 4e-3},
        contact={"material": wet, "radius": 0.004},
        color="#c0392b",
    )
)
world.add_probe(jelly, "energy")
world.add_probe("world", "energy")
world.run(until=1.0)

corners = jelly.positions[np.array(jelly.elements)]
edges = corners[:, 1:] - corners[:, :1]
volume = np.linalg.det(edges).sum() / 6
print(f"volume {volume:.6f} m³ of 0.008640 m³, largest stress {jelly.solid_stresses().von_mises.max():.0f} Pa")
assert abs(volume / 0.00864 - 1) < 0.1
