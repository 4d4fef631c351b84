"""Contact from Python: the smallest program, reports, questions, callables, wrong input."""

from __future__ import annotations

import gc
import math
import textwrap
import traceback
import weakref

import numpy as np
import pytest

import huygens as hy

SMALLEST = """
    import huygens as hy
    world = hy.World(gravity=(0, 0, -9.81))
    steel = world.add_material(hy.Material.rigid(friction=0.4))
    world.add_body(hy.Body.fixed(), shape=hy.Shape.half_space(), material=steel)
    ball = world.add_body(hy.Body.dynamic(position=(0, 0, 5), density=7800), shape=hy.Shape.sphere(0.5), material=steel)
    world.run(until=2.0, dt=1e-3)
    assert abs(ball.position[2] - 0.5) < 1e-3
"""

CORNERS = np.array([(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)])
FACES = np.array(
    [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4)]
    + [(1, 5, 7), (1, 7, 3)]
)


def table(**settings):
    """A world with a floor."""
    world = hy.World(gravity=(0, 0, -10), dt=1e-3, **settings)
    world.add_body(hy.Body.fixed(name="floor"), shape=hy.Shape.half_space())
    return world


def add_ball(world, name="ball", position=(0, 0, 0.1), **more):
    return world.add_body(hy.Body.dynamic(name=name, position=position, mass=2), shape=hy.Shape.sphere(0.1), **more)


def test_the_smallest_program():
    exec(compile(textwrap.dedent(SMALLEST), "smallest", "exec"), {})


def test_the_report_balances_the_weights():
    world = table()
    lower = add_ball(world, "lower")
    upper = add_ball(world, "upper", (0, 0, 0.3))
    world.run(until=0.5)
    contacts = world.contacts()
    assert len(contacts) == 2
    assert contacts.body_a.dtype == contacts.body_b.dtype == np.int64
    assert [getattr(contacts, key).shape for key in ("point", "normal", "gap", "force", "couple")] == [
        (2, 3),
        (2, 3),
        (2,),
        (2, 3),
        (2, 3),
    ]
    # Contact by contact, forces add up to what every body carries, and against its weight.
    on = np.zeros((len(world.bodies), 3))
    np.add.at(on, contacts.body_b, contacts.force)
    np.subtract.at(on, contacts.body_a, contacts.force)
    np.testing.assert_allclose(on, [(0, 0, -40), (0, 0, 20), (0, 0, 20)], atol=0.2)
    for row, body in enumerate(world.bodies):
        np.testing.assert_allclose(body.contact_force, on[row], atol=1e-12)
    np.testing.assert_allclose(lower.contact_torque, 0, atol=1e-6)
    np.testing.assert_allclose(world.contact_force(upper, lower), (0, 0, 20), atol=0.2)
    np.testing.assert_array_equal(world.contact_force(lower, "upper"), -world.contact_force("upper", lower))
    np.testing.assert_array_equal(world.contact_force("floor", upper), 0)
    np.testing.assert_allclose(np.linalg.norm(contacts.normal, axis=1), 1, atol=1e-12)
    np.testing.assert_allclose(np.sort(contacts.point[:, 2]), (0, 0.2), atol=1e-3)
    assert np.abs(contacts.gap).max() < 1e-4
    assert world.contact_statistics.steps > 400
    assert world.contact_statistics.most_contacts == 2
    report = world.step()
    assert (report.contacts, report.contact_converged) == (2, True)


def test_a_missed_tolerance_is_one_warning():
    world = table(contact=hy.Contact(solver="psor", max_iterations=1, tolerance=1e-12))
    for k in range(5):
        add_ball(world, f"ball{k}", (0.01 * (k % 2), 0, 0.1 + 0.2 * k))
    world.run(until=0.1)
    assert world.contact_statistics.missed > 10
    assert [w for w in world.warnings if "did not reach its tolerance" in w] == world.warnings[-1:]


def test_a_world_without_contact_has_an_empty_report():
    contacts = hy.World().contacts()
    assert len(contacts) == 0
    assert contacts.force.shape == (0, 3)


@pytest.mark.parametrize("law", ["rigid", "compliant"])
def test_the_law_is_one_line(law):
    world = table()
    ball = add_ball(world)
    world.contact = law
    world.run(until=1.0, dt=2e-4)
    assert world.contact["law"] == law
    assert ball.position[2] == pytest.approx(0.1, abs=1e-3)
    assert ball.contact_force[2] == pytest.approx(20, rel=0.01)


def test_contact_settings():
    world = hy.World(contact=hy.Contact("rigid", solver="psor", max_iterations=30, envelope=1e-3))
    assert (world.contact["rigid"]["solver"], world.contact["envelope"]) == ("psor", 1e-3)
    # The name of a law alone leaves the rest.
    world.contact = "compliant"
    assert (world.contact["law"], world.contact["rigid"]["max_iterations"]) == ("compliant", 30)
    world.contact = hy.Contact(compliant={"normal": "hertz", "damping": "flores"})
    assert (world.contact["law"], world.contact["rigid"]["solver"]) == ("rigid", "apgd")
    with pytest.raises(hy.ModelError, match="jacobi"):
        world.contact = hy.Contact(solver="jacobi")


@pytest.mark.parametrize(
    "shape",
    [
        hy.Shape.sphere(0.1),
        hy.Shape.ellipsoid((0.2, 0.2, 0.1)),
        hy.Shape.box((0.2, 0.2, 0.2)),
        hy.Shape.capsule(0.1, 0.2, axis=(1, 0, 0)),
        hy.Shape.cylinder(0.1, 0.2),
        hy.Shape.cone(0.1, 0.2),
        hy.Shape.rounded_box((0.2, 0.2, 0.2), 0.02),
        hy.Shape.rounded_cylinder(0.1, 0.2, 0.02),
        hy.Shape.hull(CORNERS),
        hy.Shape.mesh(CORNERS, FACES),
    ],
    ids=lambda shape: shape.spec["type"],
)
def test_every_shape_rests_on_a_height_field(shape):
    world = hy.World(gravity=(0, 0, -10), dt=1e-3)
    ground = hy.Shape.height_field((4, 4), np.zeros((5, 5)))
    world.add_body(hy.Body.fixed(), shape=ground)
    body = world.add_body(hy.Body.dynamic(position=(0.3, 0.2, 0.1), density=1000), shape=shape)
    world.run(until=0.3)
    # The centre of a cone's mass is below its middle, its origin is not.
    assert body.position[2] == pytest.approx(0.1, abs=2e-3)
    assert np.linalg.norm(body.velocity) < 0.02
    assert world.to_dict()["bodies"][1]["shapes"][0]["type"] == shape.spec["type"]


def test_a_mesh_of_arrays_has_the_mass_of_its_solid(tmp_path):
    lines = [f"v {x} {y} {z}" for x, y, z in 1000 * CORNERS]
    lines += [f"f {a} {b} {c}" for a, b, c in FACES + 1]
    file = tmp_path / "cube.obj"
    file.write_text("\n".join(lines) + "\n")
    weights = []
    for shape in (hy.Shape.mesh(CORNERS, FACES), hy.Shape.mesh(file, scale=1e-3), hy.Shape.box((0.2, 0.2, 0.2))):
        world = table()
        world.add_body(hy.Body.dynamic(position=(0, 0, 0.1), density=500), shape=shape)
        world.run(until=0.2)
        weights.append(world.bodies[1].contact_force[2])
    np.testing.assert_allclose(weights, 500 * 0.008 * 10, rtol=0.01)
    # Such a world can be written: the arrays are part of its scene.
    world = table()
    world.add_body(hy.Body.dynamic(position=(0, 0, 0.1), density=500), shape=hy.Shape.mesh(CORNERS, FACES))
    written = world.to_dict()["bodies"][1]["shapes"][0]
    np.testing.assert_array_equal(written["points"], CORNERS)
    np.testing.assert_array_equal(written["triangles"], FACES)


def test_shapes_materials_and_solids():
    world = table()
    ice = world.add_material(hy.Material(name="ice", friction=0.02))
    rubber = world.add(hy.Material.elastic(1e7, 0.45, name="rubber"))
    assert [material.name for material in world.materials] == ["ice", "rubber"]
    assert world.material("ice") == ice
    two = [hy.Shape.sphere(0.1, position=(-0.2, 0, 0), material=rubber), hy.Shape.sphere(0.1, position=(0.2, 0, 0))]
    world.add_body(hy.Body.dynamic(name="dumbbell", position=(0, 0, 0.1), density=100, shapes=two), material=ice)
    shapes = world.to_dict()["bodies"][1]["shapes"]
    assert [shape["material"] for shape in shapes] == ["rubber", "ice"]
    # A solid has mass and is seen, but falls through the floor.
    ghost = world.add_body(hy.Body.dynamic(position=(2, 0, 0.1), mass=1, shape=hy.Solid.sphere(0.1)))
    world.run(until=0.5)
    assert world.body("dumbbell").position[2] == pytest.approx(0.1, abs=1e-3)
    assert ghost.position[2] < -1


def test_groups_pairs_joints_and_fills():
    world = table()
    shy = hy.Shape.sphere(0.1, group="shy", mask=["shy"])
    through = world.add_body(hy.Body.dynamic(position=(1, 0, 0.1), mass=1), shape=shy)
    excluded = add_ball(world, "excluded", (2, 0, 0.1))
    world.add_contact_pair(hy.ContactPair.bodies("floor", excluded, collide=False))
    guided = add_ball(world, "guided", (3, 0, 0.15))
    world.add_joint(hy.Joint.prismatic("floor", guided, position=(3, 0, 0), axis=(0, 0, 1), collide=True))
    box = hy.Shape.box((0.1, 0.1, 0.1))
    grains = world.add_fill(hy.Fill(box, 500, name="grain", position=(5, 0, 0.05), count=(3, 2, 1), spacing=(0.2,) * 3))
    world.run(until=0.5)
    assert [grain.name for grain in grains] == [f"grain.{k}" for k in range(1, 7)]
    assert through.position[2] < -1
    assert excluded.position[2] < -1
    assert guided.position[2] == pytest.approx(0.1, abs=1e-3)
    np.testing.assert_allclose([grain.position[2] for grain in grains], 0.05, atol=1e-3)


def test_a_pair_of_materials_has_its_own_friction():
    world = table()
    world.gravity = (3, 0, -10)
    for name in ("wood", "stone"):
        world.add_material(hy.Material.rigid(name=name, friction=0.6))
    track = hy.Shape.box((4, 4, 0.2), position=(0, 0, -0.1), material="stone")
    world.add_body(hy.Body.fixed(position=(0, 0, 1)), shape=track)
    block = world.add_body(
        hy.Body.dynamic(position=(0, 0, 1.1), density=500), shape=hy.Shape.box((0.2, 0.2, 0.2)), material="wood"
    )
    world.add(hy.ContactPair.materials("wood", "stone", friction=0.1))
    world.run(until=0.5)
    assert block.velocity[0] == pytest.approx((3 - 0.1 * 10) * 0.5, rel=0.02)


def test_questions_about_shapes():
    world = table()
    ball = add_ball(world, "ball", (0, 0, 1))
    other = add_ball(world, "other", (0.5, 0, 1))
    hit = world.ray_cast((0, 0, 3), (0, 0, -1))
    assert hit is not None
    assert hit.body == ball
    assert hit.distance == pytest.approx(1.9)
    np.testing.assert_allclose(hit.point, (0, 0, 1.1), atol=1e-12)
    np.testing.assert_allclose(hit.normal, (0, 0, 1), atol=1e-12)
    assert world.ray_cast((0, 0, 3), (0, 0, -1), max=1.0) is None
    nearest = world.closest_point((0.5, 0, 1.5))
    assert nearest is not None
    assert (nearest.body, nearest.distance) == (other, pytest.approx(0.4))
    np.testing.assert_allclose(nearest.point, (0.5, 0, 1.1), atol=1e-12)
    assert world.overlap(hy.Shape.box((1, 0.1, 0.1)), (0.2, 0, 1)) == [ball, other]
    turned = hy.Rotate.about((0, 0, 1), degrees=90)
    assert world.overlap(hy.Shape.box((1, 0.1, 0.1)), position=(0.2, 0, 1), rotation=turned) == []
    assert world.distance(ball, "other") == pytest.approx(0.3)
    assert world.distance(ball, "floor") == pytest.approx(0.9)
    assert hy.World().closest_point((0, 0, 0)) is None


def test_callables_filter_and_modify_contacts():
    world = table(threads=2)
    world.gravity = (1, 0, -10)
    seen = set()

    def choose(a, b):
        seen.add(frozenset((a, b)))
        return "ghost" not in (a, b)

    def ice(contact, composite):
        assert {contact.a, contact.b} <= {"floor", "slider", "block"}
        assert contact.point[2] == pytest.approx(0, abs=0.1)
        assert abs(contact.normal[2]) == pytest.approx(1)
        assert contact.gap < 0.1
        if "slider" in (contact.a, contact.b):
            composite.friction = 0.0

    world.set_contact_callback(filter=choose, modify=ice)
    box = hy.Shape.box((0.2, 0.2, 0.2))
    ghost, slider, block = (
        world.add_body(hy.Body.dynamic(name=name, position=(0, y, 0.1), mass=1), shape=box)
        for name, y in (("ghost", -1), ("slider", 0), ("block", 1))
    )
    world.run(until=0.5)
    assert frozenset(("floor", "ghost")) in seen
    assert ghost.position[2] < -0.5
    assert slider.velocity[0] == pytest.approx(0.5, rel=0.01)
    assert block.velocity[0] == pytest.approx(0, abs=1e-3)
    world.set_contact_callback()
    world.run(until=1.5)
    assert slider.velocity[0] == pytest.approx(0, abs=1e-3)


def broken(*_):
    raise ZeroDivisionError("the callable is broken")


@pytest.mark.parametrize("which", ["filter", "modify"])
@pytest.mark.parametrize("threads", [1, 2])
def test_an_exception_of_a_callable_comes_out_of_the_step(which, threads):
    world = table(threads=threads)
    balls = [add_ball(world, f"ball{k}", (k, 0, 0.1)) for k in range(200)]
    world.step()
    world.set_contact_callback(**{which: broken})
    for move in (world.step, lambda: world.run(until=1.0)):
        with pytest.raises(ZeroDivisionError, match="the callable is broken") as caught:
            move()
        assert "in broken" in "".join(traceback.format_exception(caught.value))
    assert world.time < 0.01
    world.set_contact_callback()
    world.run(until=0.05)
    assert balls[0].position[2] == pytest.approx(0.1, abs=1e-3)


@pytest.mark.parametrize(
    ("callback", "error", "message"),
    [
        ({"filter": lambda a, b: None}, TypeError, "the filter of contacts must return True or False, not NoneType"),
        ({"modify": lambda c, m: setattr(m, "friction", -1)}, hy.ModelError, "set friction = -1 for 'floor' and 'ball'"),
        ({"modify": lambda c, m: setattr(m, "restitution", 1.5)}, hy.ModelError, "restitution = 1.5.*from 0 to 1"),
        ({"modify": lambda c, m: setattr(m, "friktion", 1)}, AttributeError, "friktion"),
        ({"filter": 3}, TypeError, "the filter of contacts must be callable, not int"),
    ],
)
def test_a_wrong_callable_is_named(callback, error, message):
    world = table()
    add_ball(world)
    with pytest.raises(error, match=message):
        world.set_contact_callback(**callback)
        world.run(until=0.1)


def test_a_world_and_its_contact_callables_are_collected():
    world = table()
    add_ball(world)
    world.set_contact_callback(modify=lambda c, m: world.missing and None)
    gone = weakref.ref(world)
    del world
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize(
    ("material", "field", "message"),
    [
        ({"friction": -0.1}, "friction", "friction = -0.1 is not allowed"),
        ({"restitution": 1.5}, "restitution", "from 0 to 1"),
        ({"young": 0.0}, "young", "positive"),
        ({"poisson": 0.6}, "poisson", "0.5"),
        ({"frition": 0.5}, None, "did you mean 'friction'"),
        ({"friction": math.nan}, "friction", "NaN"),
    ],
)
def test_a_wrong_material(material, field, message):
    with pytest.raises(hy.ModelError, match=f"material 'ice'.*{message}") as caught:
        hy.World().add_material({"name": "ice", **material})
    assert (caught.value.section, caught.value.name, caught.value.field) == ("material", "ice", field)


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (hy.Shape.sphere(-1.0), "radius = -1 is not allowed"),
        (hy.Shape.sphere(0.1, material="steal"), "material 'steal', which does not exist.*did you mean 'steel'"),
        (hy.Shape.hull(np.zeros((0, 3))), "points"),
        (hy.Shape.mesh(CORNERS, FACES[:-1]), "closed|open"),
        (hy.Shape.mesh("missing.obj"), "missing.obj"),
        (hy.Shape.height_field((1, 1), [[0, 0], [0]]), "row 2 has 1 heights"),
        (hy.Shape.half_space(), "half"),
        ({"type": "sfere", "radius": 1}, "sfere"),
    ],
)
def test_a_wrong_shape(shape, message):
    world = hy.World()
    world.add_material(hy.Material.rigid(name="steel"))
    with pytest.raises(hy.ModelError, match=f"body 'ball'.*({message})"):
        world.add_body(hy.Body.dynamic(name="ball", density=1000, shapes=[shape]))
    assert len(world.bodies) == 0


@pytest.mark.parametrize(
    ("points", "triangles", "message"),
    [
        (CORNERS, FACES + 1, r"triangle 2 refers to point 8, but there are 8 points"),
        (CORNERS, -FACES, "whole number, not negative"),
        (CORNERS, FACES * 1.5, "whole number"),
        (CORNERS[:, :2], FACES, "a list of 3"),
        (np.where(CORNERS > 0, np.nan, CORNERS), FACES, r"points\[1\].*NaN is not a finite number"),
        (CORNERS, None, "needs `triangles`"),
        ("cube.obj", FACES, "not both"),
    ],
)
def test_a_wrong_mesh_of_arrays(points, triangles, message):
    mesh = hy.Shape.mesh(points, triangles)
    with pytest.raises(hy.ModelError, match=f"body 'part'.*{message}"):
        hy.World().add_body(hy.Body.dynamic(name="part", density=1000, shapes=[mesh]))


def test_wrong_references_and_lost_bodies():
    world = table(bounds=((-5, -5, -1), (5, 5, 5)))
    world.add_material(hy.Material.rigid(name="default", friction=0.0))
    with pytest.raises(hy.ModelError, match="did you mean 'floor'"):
        world.add_contact_pair(hy.ContactPair.bodies("flor", "floor", collide=False))
    with pytest.raises(hy.ModelError, match="`material` belongs to shapes"):
        world.add_body(hy.Body.dynamic(mass=1, shape=hy.Solid.sphere(1)), material="default")
    with pytest.raises(hy.ModelError, match="there is no body 'bal'"):
        world.contact_force("bal", "floor")
    with pytest.raises(KeyError, match="no material 'gold'"):
        world.material("gold")
    ball = add_ball(world)
    ball.velocity = (20, 0, 0)
    with pytest.raises(hy.LeftBoundsError, match="body 'ball' left the bounds.*touched 'floor'") as caught:
        world.run(until=1.0)
    # The step that left the bounds was taken back.
    assert (caught.value.body, caught.value.step) == ("ball", world.step_count + 1)
    assert caught.value.time == pytest.approx(0.25, abs=0.02)
    assert isinstance(caught.value, hy.DivergedError)
