"""Models that several tests use."""

from __future__ import annotations

import textwrap
from pathlib import Path

import huygens as hy

PENDULUM_SCENE = """
    [settings]
    dt = 1e-3
    until = 0.5
    integrator = { type = "generalized_alpha", rho = 0.9 }

    [parameters]
    length = 0.8

    [[bodies]]
    name = "arm"
    position = ["=length/2", 0, 0]
    mass = 2.0
    shape = { type = "rod", length = "=length" }
    angular_velocity = [0, 0.5, 0]
    velocity = [0, 0, "=-0.5*length/2"]

    [[joints]]
    name = "hinge"
    type = "revolute"
    a = "ground"
    b = "arm"
    position = [0, 0, 0]
    axis = [0, 1, 0]

    [[forces]]
    name = "friction"
    type = "coordinate_spring"
    joint = "hinge"
    damping = 0.05

    [[motors]]
    name = "drive"
    type = "torque"
    joint = "hinge"
    drive = { type = "sine", amplitude = 1.5, frequency = 2.0 }

    [[probes]]
    of = "hinge"
    quantity = "angle"

    [[probes]]
    of = "world"
    quantity = "energy"
"""


def write_pendulum(folder: Path) -> Path:
    path = folder / "pendulum.toml"
    path.write_text(textwrap.dedent(PENDULUM_SCENE))
    return path


def pendulum(length: float = 0.8) -> hy.World:
    """Build the pendulum of the scene above."""
    world = hy.World(dt=1e-3, until=0.5, integrator=hy.Integrator.generalized_alpha(rho=0.9))
    arm = world.add_body(
        hy.Body.dynamic(
            name="arm",
            position=(length / 2, 0, 0),
            mass=2.0,
            shape=hy.Solid.rod(length),
            angular_velocity=(0, 0.5, 0),
            velocity=(0, 0, -0.5 * length / 2),
        )
    )
    hinge = world.add_joint(hy.Joint.revolute("ground", arm, name="hinge", position=(0, 0, 0), axis=(0, 1, 0)))
    world.add_force(hy.Force.coordinate_spring(hinge, name="friction", damping=0.05))
    world.add_motor(hy.Motor.torque(hinge, hy.Function.sine(1.5, 2.0), name="drive"))
    world.add_probe(hinge, "angle")
    world.add_probe("world", "energy")
    return world


def slider() -> tuple[hy.World, hy.BodyHandle, hy.JointHandle]:
    """Build 2 kg on a rail along x, without gravity."""
    world = hy.World(gravity=(0, 0, 0))
    block = world.add_body(hy.Body.dynamic(mass=2.0, shape=hy.Solid.box((0.1, 0.1, 0.1))), name="block")
    rail = world.add_joint(hy.Joint.prismatic("ground", block, position=(0, 0, 0), axis=(1, 0, 0), name="rail"))
    return world, block, rail
