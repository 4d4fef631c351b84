"""Wrong input is named; runs that fail say how."""

from __future__ import annotations

import json

import models
import pytest

import huygens as hy


def body(**more):
    return {"name": "ball", "mass": 1.0, "inertia": [1, 1, 1], **more}


@pytest.mark.parametrize(
    ("spec", "field", "message"),
    [
        (body(possition=[0, 0, 0]), None, "possition.*did you mean 'position'"),
        (body(position=[0, 0]), "position", "3"),
        (body(mass="heavy"), "mass", "number"),
        (body(mass=-1.0), "mass", "positive"),
        (body(mass=float("nan")), "mass", "NaN"),
        (body(inertia=[1, 1, 3]), "inertia", "inertia"),
        (body(mass=lambda t: 1.0), "mass", "callable"),
        (body(mass=object()), "mass", "object"),
        (body(shape={"type": "sphere", "radius": 0.0}), "shape", "positive"),
        (body(shapes=[{"type": "sphere", "radius": 0.0}]), "shapes.0.radius", "positive"),
        (body(rotation=[1, 1, 0, 0]), "rotation", "length"),
        (body(motion={"angle": 1.0}, kind="dynamic"), "motion", "kinematic"),
    ],
)
def test_a_wrong_body(spec, field, message):
    with pytest.raises(hy.ModelError, match=f"body 'ball'.*{message}") as caught:
        hy.World().add_body(spec)
    assert (caught.value.section, caught.value.name) == ("body", "ball")
    assert caught.value.field == field
    assert isinstance(caught.value, ValueError)


def test_wrong_references_suggest_the_right_one():
    world = hy.World()
    world.add_body(body())
    with pytest.raises(hy.ModelError, match="did you mean 'ball'"):
        world.add_joint(hy.Joint.spherical("ground", "bal", position=(0, 0, 0)))
    with pytest.raises(hy.ModelError, match="already used"):
        world.add_body(body())
    with pytest.raises(hy.ModelError, match="unit vector"):
        world.add_joint(hy.Joint.revolute("ground", "ball", position=(0, 0, 0), axis=(1, 1, 0)))
    with pytest.raises(hy.ModelError, match="quantity"):
        world.add_probe("ball", "positon.x")
        world.initialize()
    with pytest.raises(TypeError, match="cannot be added"):
        world.add(hy.Shape.sphere(1))


def test_old_names_are_told_the_new_ones():
    world = hy.World()
    with pytest.raises(hy.ModelError, match='"torsion_spring" is now called "coordinate_spring"'):
        world.add_force({"type": "torsion_spring", "shaft_a": "axle"})
    with pytest.raises(hy.ModelError, match="force 's'.*`angle` is now called `rest`"):
        world.add_force(hy.Force(type="coordinate_spring", joint="hinge", angle=1.0, name="s"))
    with pytest.raises(hy.ModelError, match="`twisting` is now called `spinning`"):
        world.add_grains(hy.Grains("sand", laws={"twisting": "none"}))


def test_a_wrong_scene_file_is_pointed_at(tmp_path):
    path = models.write_pendulum(tmp_path)
    path.write_text(path.read_text().replace('b = "arm"', 'b = "arn"'))
    with pytest.raises(hy.SceneError, match="did you mean 'arm'") as caught:
        hy.World.from_scene(path)
    line = next(i for i, text in enumerate(path.read_text().splitlines(), 1) if '"arn"' in text)
    assert (caught.value.line, caught.value.file) == (line, str(path))
    assert caught.value.column > 1
    with pytest.raises(hy.SceneError, match="cannot be read"):
        hy.World.from_scene(tmp_path / "missing.toml")
    with pytest.raises(hy.SceneError, match="arn"):
        hy.run_scene(path, tmp_path / "out")


def test_a_start_that_cannot_be_assembled_is_an_assembly_error():
    world = hy.World()
    world.add_body(body())
    for x in (0.0, 1.0):
        frame = hy.Frame((x, 0, 0))
        world.add_joint(hy.Joint.spherical("ground", "ball", frame_a=frame, frame_b=hy.Frame()))
    with pytest.raises(hy.AssemblyError, match="cannot be assembled"):
        world.run(until=0.1)


def test_failures_on_the_way_have_their_own_classes():
    world, block, rail = models.slider()
    world.configure(newton={"max_iterations": 2}, dt=0.1)
    world.add_force(hy.Force.coordinate_spring(rail, law=lambda t, x, v: 1e6 * (-1 if x > 0 else 1)))
    block.velocity = (1, 0, 0)
    with pytest.raises((hy.ConvergenceError, hy.DivergedError)) as caught:
        world.run(until=10.0)
    assert isinstance(caught.value, hy.HuygensError)
    assert caught.value.step >= 0


def test_redundant_constraints_are_a_warning():
    world = hy.World()
    world.add_body(body())
    for z in (0.0, 1.0):
        world.add_joint(hy.Joint.revolute("ground", "ball", position=(0, 0, z), axis=(0, 0, 1)))
    report = world.initialize()
    assert report.degrees_of_freedom == 1
    assert len(report.redundant) == 5
    assert any("redundant" in warning for warning in world.warnings)


def test_runs_into_folders(tmp_path):
    path = models.write_pendulum(tmp_path)
    events = []
    report = hy.run_scene(path, tmp_path / "out", until=0.2, dt=2e-3, progress=events.append)
    assert events[0]["event"] == "started"
    assert events[-1]["time"] == pytest.approx(0.2)
    assert json.loads((report.out / "manifest.json").read_text())["state_hash"] == report.state_hash
    with pytest.raises(hy.ModelError, match="dt = -1"):
        hy.run_scene(path, tmp_path / "other", dt=-1.0)


def test_a_stopped_run_is_kept_and_resumed(tmp_path):
    path = models.write_pendulum(tmp_path)

    def stop(progress):
        if progress["event"] == "started":
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        hy.run_scene(path, tmp_path / "stopped", progress=stop)
    with pytest.raises(hy.FileError, match="unfinished run"):
        hy.run_scene(path, tmp_path / "stopped")
    resumed = hy.run_scene(path, tmp_path / "stopped", resume=True)
    assert resumed.state_hash == hy.run_scene(path, tmp_path / "straight").state_hash


def test_arguments_out_of_range():
    world, _, _ = models.slider()
    with pytest.raises(hy.ModelError, match="until"):
        world.run(until=float("nan"))
    with pytest.raises(hy.ModelError, match="every"):
        world.run(until=1.0, every=0.0, callback=lambda w: None)
    with pytest.raises(hy.ModelError, match="rho|alpha"):
        hy.World(integrator={"type": "generalized_alpha", "rho": 3.0}).run(until=0.1)
    with pytest.raises(hy.ModelError, match="integrator"):
        hy.World(integrator="simpson")
