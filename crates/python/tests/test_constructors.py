"""Every kind of object that a scene file can hold is accepted from Python."""

from __future__ import annotations

import models
import numpy as np
import pytest

import huygens as hy

JOINTS = [
    hy.Joint.fixed("ground", "b"),
    hy.Joint.revolute("ground", "b", axis=(0, 1, 0), limits=[hy.Limit(-1, 1, stiffness=1e4, damping=10)]),
    hy.Joint.prismatic("ground", "b", rotation=hy.Rotate.about((1, 0, 0), degrees=30)),
    hy.Joint.cylindrical("ground", "b"),
    hy.Joint.spherical("ground", "b", position=np.zeros(3)),
    hy.Joint.planar("ground", "b"),
    hy.Joint.universal("ground", "b"),
    hy.Joint.constant_velocity("ground", "b"),
    hy.Joint.point_on_line("ground", "b", frame_a=hy.Frame((0, 0, 0), axis=(1, 0, 0)), frame_b=hy.Frame()),
    hy.Joint.point_on_plane("ground", "b"),
    hy.Joint.point_on_curve("ground", "b", points=np.array([[-1, 0, 0], [0, 0, 0], [1, 1, 0]])),
    hy.Joint.parallel_axes("ground", "b"),
    hy.Joint.perpendicular_axes("ground", "b", frame_a=hy.Frame(axis=(0, 0, 1)), frame_b=hy.Frame(axis=(1, 0, 0))),
    hy.Joint.distance("ground", "b", frame_a=hy.Frame((0, 0, 1)), frame_b=hy.Frame(), length=1.0),
    hy.Joint.revolute_spherical("ground", "b", frame_a=hy.Frame((1, 0, 0)), frame_b=hy.Frame()),
    hy.Joint.revolute_translational("ground", "b", frame_a=hy.Frame((0, 0.5, 0)), frame_b=hy.Frame(), offset=0.5),
    hy.Joint.screw("ground", "b", pitch=0.01),
    hy.Joint.generic("ground", "b", lock=["x", "y", "rz"]),
    hy.Joint.trajectory("ground", "b", translation=[0, hy.Function.sine(0.1, 1), 0], angle=lambda t: 0.1 * t * t),
]


def one_body() -> hy.World:
    world = hy.World()
    world.add_body(hy.Body.dynamic(name="b", mass=1, inertia=(1, 1, 1)))
    return world


@pytest.mark.parametrize("joint", JOINTS, ids=lambda joint: joint.spec["type"])
def test_joints(joint):
    world = one_body()
    handle = world.add(joint)
    world.run(until=0.01, dt=1e-3)
    assert world.constraint_residual < 1e-8
    assert np.all(np.isfinite(handle.reaction().force))
    assert len([handle.coordinate(k) for k in range(len(handle.coordinate_names))]) == len(handle.coordinate_names)


def test_every_joint_type_of_the_schema_has_a_constructor():
    kinds = hy.scene_schema()["$defs"]["JointSpec"]["oneOf"]
    assert sorted(joint.spec["type"] for joint in JOINTS) == sorted(kind["properties"]["type"]["const"] for kind in kinds)


MOTORS = [
    ("revolute", lambda j: hy.Motor.angle(j, hy.Function.step_poly345(start=0, duration=0.1, to=0.2))),
    ("revolute", lambda j: hy.Motor.angle(j, lambda t: 0.1 * t * t)),
    ("revolute", lambda j: hy.Motor.speed(j, hy.Function.step_cycloidal(0, 0.1, 1.0))),
    ("revolute", lambda j: hy.Motor.torque(j, 0.2, coordinate="angle")),
    ("prismatic", lambda j: hy.Motor.position(j, hy.Function.ramp(0.1, start_time=0.001, end_time=0.5))),
    ("prismatic", lambda j: hy.Motor.speed(j, 0.1)),
    ("prismatic", lambda j: hy.Motor.force(j, hy.Function.table([0, 1, 2], [0, 2, 0], interpolation="akima"))),
]


@pytest.mark.parametrize(("joint", "motor"), MOTORS)
def test_motors(joint, motor):
    world = one_body()
    handle = world.add(getattr(hy.Joint, joint)("ground", "b", position=(0, 0, 0)))
    drive = world.add(motor(handle))
    world.run(until=0.01, dt=1e-3)
    assert np.isfinite(drive.effort)


FUNCTIONS = [
    (hy.Function.constant(2.0), 2.0),
    (hy.Function.ramp(2.0, start_value=1.0, start_time=0.1), 1.8),
    (hy.Function.polynomial((1, 2, 3)), 2.75),
    (hy.Function.sine(2.0, 0.5, offset=1.0), 3.0),
    (hy.Function.step_cycloidal(start=0, duration=1, to=4), 2.0),
    (hy.Function.step_poly345(start=0, duration=1, to=4, from_=2), 3.0),
    (hy.Function.table([0, 1], [0, 3]), 1.5),
    (hy.Function.sum(1, hy.Function.constant(2), lambda t: t), 3.5),
    (hy.Function.product(2, lambda t: t), 1.0),
    (hy.Function.composition(hy.Function.polynomial([0, 0, 1]), lambda t: 2 * t), 1.0),
    (hy.Function.custom(lambda t: 3 * t), 1.5),
    (hy.Function.custom_with_derivatives(lambda t: (t, 1, 0)), 0.5),
]


@pytest.mark.parametrize(("function", "expected"), FUNCTIONS, ids=lambda f: getattr(f, "spec", {}).get("type"))
def test_functions(function, expected):
    world = one_body()
    signal = world.add(hy.Signal.function("f", function))
    world.run(until=0.5, dt=0.1)
    assert signal.value == pytest.approx(expected, abs=1e-12)


def test_signals():
    world, block, rail = models.slider()
    add = world.add_signal
    add(hy.Signal.function("target", 1.0))
    x = add(hy.Signal.sensor("x", rail, "displacement"))
    add(hy.Signal.gain("twice", x, 2.0, offset=1.0))
    add(hy.Signal.sum("sum", ["x", "twice"], weights=[1, -1], offset=0.5))
    add(hy.Signal.product("product", ["sum", "twice"]))
    add(hy.Signal.lookup("lookup", "x", [0, 1], [0, 10]))
    add(hy.Signal.saturation("limited", "lookup", lower=-1, upper=5))
    add(hy.Signal.transfer_function("lag", "x", [1], [0.1, 1]))
    add(hy.Signal.filter("smooth", "x", 0.05))
    add(hy.Signal.input("throttle", 0.25, lower=0.0, keys=["ArrowDown", "ArrowUp"]))
    pid = add(hy.Signal.pid("pid", "target", x, kp=40, ki=5, kd=15, filter_time=0.01, lower=-50, upper=50))
    add(hy.Signal.state("integral", pid, 0))
    world.add_motor(hy.Motor.force(rail, pid.drive))
    world.add_probe(hy.Probe(signal=x, name="x"))
    world.run(until=4.0, dt=5e-3)
    assert x.value == rail.displacement == pytest.approx(1.0, abs=0.05)
    value = {signal.name: signal.value for signal in world.signals}
    assert value["twice"] == pytest.approx(2 * x.value + 1)
    assert value["product"] == pytest.approx((0.5 - x.value - 1) * value["twice"])
    assert value["limited"] == 5.0
    assert world.probes()["x"][-1] == x.value


def test_couplings_and_shafts():
    world = hy.World(gravity=(0, 0, 0))

    def wheel(name, x, axis=(0, 0, 1)):
        disc = hy.Solid.cylinder(0.1, 0.02)
        body = world.add_body(hy.Body.dynamic(name=name, position=(x, 0, 0), mass=1, shape=disc))
        return world.add_joint(hy.Joint.revolute("ground", body, position=(x, 0, 0), axis=axis, name=f"{name}_pin"))

    a, b, c, d, e = (wheel(name, x) for name, x in (("a", 0.0), ("b", 0.3), ("c", 1.0), ("d", 2.0), ("e", 3.0)))
    rack = world.add_body(hy.Body.dynamic(position=(3, 0.1, 0), mass=1, shape=hy.Solid.box((1, 0.02, 0.02))))
    slide = world.add_joint(hy.Joint.prismatic("ground", rack, position=(3, 0.1, 0), axis=(1, 0, 0)))
    bevel = wheel("f", 4.0, axis=(1, 0, 0))
    gear = world.add_coupling(hy.Coupling.gear(a, b, radius_a=0.1, radius_b=0.2))
    world.add_coupling(hy.Coupling.belt(b, c, radius_a=0.2, radius_b=0.1))
    world.add_coupling(hy.Coupling.gear(c, d, teeth_a=10, teeth_b=20, internal=True))
    world.add_coupling(hy.Coupling.linear([{"joint": d, "weight": 1.0}, {"joint": e, "weight": -1.0}]))
    world.add_coupling(hy.Coupling.rack_pinion(e, slide, radius=0.1))
    world.add_coupling(hy.Coupling.bevel_gear(e, bevel, ratio=2.0))
    one, two = world.add_shaft(hy.Shaft(0.1, name="one")), world.add_shaft(hy.Shaft(0.1, name="two"))
    three = world.add_shaft(hy.Shaft(0.2, name="three", speed=5.0))
    world.add_coupling(hy.Coupling.shaft_joint(one, a))
    world.add_coupling(hy.Coupling.shaft_gear(one, two, ratio=-3.0))
    world.add_force(hy.Force.coordinate_spring(shaft=two, stiffness=1e-3))
    world.add_force(hy.Force.clutch(two, three, torque=0.01))
    world.add_force(hy.Force.brake(shaft=three, torque=hy.Function.constant(0.01)))
    world.add_force(hy.Force.brake(e, torque=1e-4))
    world.add_motor(hy.Motor.torque(shaft=one, drive=0.5))
    world.run(until=0.2, dt=1e-3)
    turn = a.angle
    assert turn > 0.01
    angles = [b.angle, c.angle, d.angle, e.angle, slide.displacement, bevel.angle, one.angle, two.angle]
    np.testing.assert_allclose(np.array(angles) / turn, [-0.5, -1, -0.5, -0.5, -0.05, 0.25, 1, -1 / 3], atol=1e-6)
    assert np.isfinite(gear.effort)
    assert three.speed < 5.0


def test_forces():
    world = hy.World(gravity=(0, 0, 0))
    body = world.add_body(
        hy.Body.dynamic(mass=1, shape=hy.Solid.capsule(0.1, 0.2), markers={"tip": hy.Frame((0, 0, 0.2))}), name="body"
    )
    tip = body.marker("tip")
    spring = world.add_force(hy.Force.spring("ground", tip, point_a=(0, 0, 1), stiffness=10, length=0.5))
    bushing = world.add_force(
        hy.Force.bushing("ground", body, stiffness=[10] * 6, damping=np.eye(6), position=(0, 0, 0))
    )
    push = (1, lambda t: 0.0, 0)
    world.add_force(hy.Force.load(body, force=push, torque=(0, 0, 0.1), frame="body", point=(0, 0, 0.1)))
    world.add_force(hy.Force.drag(body, linear=0.1, quadratic=0.01, angular_linear=0.01))
    world.add_force(hy.Force.rope("ground", body, length=0.5, stiffness=1e3, damping=1.0))
    assert spring.length == pytest.approx(0.8)
    assert spring.force == pytest.approx(-3.0)
    world.run(until=0.1, dt=1e-3)
    assert body.position[0] > 0
    assert tip.position[2] > 0.2
    assert bushing.force.shape == (3,)


def test_a_kinematic_body_and_rigid_one_sided_parts():
    world = hy.World(integrator="euler_projected", dt=1e-3)
    cart = world.add_body(hy.Body.kinematic(translation=[lambda t: 0.5 * t * t, 0, 0]), name="cart")
    bob = world.add_body(hy.Body.dynamic(position=(0, 0, -0.5), mass=1, inertia=(1, 1, 1)))
    world.add_force(hy.Force.rope(cart, bob, length=1.0))
    ring = world.add_body(hy.Body.dynamic(position=(0, 1, 0), density=1000, shape=hy.Solid.sphere(0.05)))
    stop = hy.Limit(lower=-0.1, restitution=0.5)
    world.add_joint(hy.Joint.prismatic("ground", ring, position=(0, 1, 0), limits=[stop]))
    world.run(until=1.0)
    np.testing.assert_allclose(cart.position, (0.5, 0, 0), atol=1e-9)
    np.testing.assert_allclose(cart.velocity, (1.0, 0, 0), atol=1e-9)
    assert np.linalg.norm(bob.position - cart.position) < 1.0 + 1e-3
    assert ring.position[2] == pytest.approx(-0.1, abs=1e-3)
