"""Beads fall onto a comb of flexible rods, which bends down under them until they run off and springs back.

Run:  python examples/27_beads_on_comb.py
See:  how deep the tip goes, and how many of the beads have run off.
"""

import huygens as hy

world = hy.World(dt=5e-4)
world.add_material(name="default", young=2e6, poisson=0.3, friction=0.3, restitution=0.4)
comb = world.add_structure(
    hy.Structure.beam(
        "rod", (0, -0.0225, 0), (0.15, -0.0225, 0), 8,
        name="comb",
        copies={"count": (1, 6, 1), "spacing": (0, 0.009, 0)},
        section=hy.Section.circle(0.004),
        material={"young": 1e7, "poisson": 0.3, "density": 1100},
        damping={"stiffness": 2e-3},
        node_sets={"tip": 9},
        fixed=[{"nodes": "start"}],
        contact={},
        color="#4c9a2a",
    )
)
fill = {
    "region": {"type": "box", "low": (0.07, -0.02, 0.02), "high": (0.14, 0.02, 0.06)},
    "pattern": {"type": "random", "solid_fraction": 0.4},
    "radius": 3e-3,
    "density": 2500,
}
beads = world.add_grains(
    hy.Grains(
        "beads",
        laws={"rolling": "none", "spinning": "none", "adhesion": "none"},
        walls=[hy.Wall.of_structure(comb, name="comb")],
        fills=[fill],
        outlets=[{"name": "out", "plane": {"position": (0, 0, -0.25), "normal": (0, 0, -1)}}],
    )
)
world.add_probe(comb["tip"], "displacement.z")
dropped = len(beads)
world.run(until=0.6)

lowest = world.probes()["comb/tip.displacement.z"].min()
print(f"the tip went down by {-1000 * lowest:.1f} mm; {len(beads)} of {dropped} beads are left")
assert -0.1 < lowest < -0.02
assert len(beads) < 0.2 * dropped
