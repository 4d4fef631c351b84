"""Newton's cradle: the last of five balls flies off as fast as the first one came.

Run:  python examples/12_newton_cradle.py
See:  under both contact laws the first ball swings down and stops, and the last one rises to the same height.
"""

import math

import huygens as hy

RADIUS, LENGTH, START = 0.05, 0.5, math.radians(-40)


def cradle(gap: float, **settings: object) -> hy.World:
    """Build five balls on strings with gaps [m] between them; the first one is pulled aside."""
    world = hy.World(gravity=(0, 0, -9.81), **settings)
    steel = hy.Material.elastic(2e9, 0.3, name="steel", restitution=1.0, friction=0.0)
    steel = world.add_material(steel)
    for i in range(5):
        x, angle = (2 * RADIUS + gap) * (i - 2), START if i == 0 else 0.0
        place = (x + LENGTH * math.sin(angle), 0, -LENGTH * math.cos(angle))
        ball = hy.Body.dynamic(name=f"ball{i + 1}", position=place, density=7800)
        ball = world.add_body(ball, shape=hy.Shape.sphere(RADIUS), material=steel)
        string = hy.Joint.revolute("ground", ball, name=f"string{i + 1}", position=(x, 0, 0), axis=(0, -1, 0))
        world.add_probe(world.add_joint(string), "angle")
    return world


# Elastic balls that touch: the blow passes through them as a wave, which the compliant law resolves in small steps.
elastic = hy.Integrator.generalized_alpha(rho=1.0)
world = cradle(0.0, contact="compliant", dt=2e-5, integrator=elastic)
# Rigid balls hand it on one by one, where there is a gap of a hair between them.
rigid = cradle(1e-4, contact="rigid", dt=1e-4)

for law, cradled in (("compliant", world), ("rigid", rigid)):
    cradled.run(until=0.8)
    probes = cradled.probes()
    last = math.degrees(max(probes["string5.angle"]))
    first = math.degrees(probes["string1.angle"][-1] + START)
    print(f"{law}: the last ball rises to {last:.2f}°, the first one hangs at {first:.2f}°")
    assert 39.0 < last < 40.5
    assert abs(first) < 4.0
