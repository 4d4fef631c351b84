"""Recordings: written while a world moves, read as arrays, made into pictures."""

from __future__ import annotations

import base64
import csv
import itertools
import json
import os
import socket
import struct
import urllib.error
import urllib.request

import huygens as hy
import models
import numpy as np
import pytest


def tumbling() -> hy.World:
    """Build two spinning boxes that fall on a floor, with a spring between them and a probe."""
    world = hy.World(dt=2e-3, seed=1)
    stone = world.add_material(hy.Material.rigid(friction=0.5))
    world.add_body(hy.Body.fixed(), name="floor", shape=hy.Shape.half_space(), material=stone)
    for k in range(2):
        body = hy.Body.dynamic(name=f"box{k}", position=(k, 0, 0.35), angular_velocity=(1 + k, 2, 3), density=1000)
        world.add_body(body, shape=hy.Shape.box((0.3, 0.2, 0.1)), material=stone)
    world.add_force(hy.Force.spring("box0", "box1", stiffness=50, length=0.8))
    world.add_probe("box1", "position")
    return world


def frames_of(recording: hy.Recording) -> list[np.ndarray]:
    return [recording.field(name, index=i) for i in range(len(recording)) for name in recording.fields()]


def test_a_recording_holds_what_the_world_showed(tmp_path):
    world, seen = tumbling(), []

    def look(world: hy.World) -> None:
        seen.append((world.time, world.step_count, world.motions(), world.energy, len(world.contacts())))

    world.configure(output={"every": 2e-3, "recording": {"every": 2e-3}})
    start = world.motions()
    assert world.run(until=0.4, callback=look, record=tmp_path / "run.hrec")
    recording = hy.Recording(tmp_path / "run.hrec")
    assert recording.finished
    assert recording.damage is None
    assert len(recording) == recording.frame_count == 201
    assert recording.duration == pytest.approx(0.4)
    assert recording.groups == ["bodies", "contacts", "lines"]
    assert recording.names() == ["floor", "box0", "box1"]
    assert recording.fields()["velocity"] == hy.RecordedField("m/s", 3, constant=False)
    assert "201 frames, 0 s to 0.4 s" in repr(recording)
    np.testing.assert_array_equal(recording.times, [0.0, *(time for time, *_ in seen)])
    np.testing.assert_array_equal(recording.steps, [0, *(step for _, step, *_ in seen)])
    for i, motions in enumerate([start, *(motions for _, _, motions, *_ in seen)]):
        assert recording.positions(index=i).dtype == np.float32
        np.testing.assert_array_equal(recording.positions(index=i), motions.positions.astype(np.float32))
        np.testing.assert_array_equal(recording.rotations(index=i), motions.rotations.astype(np.float32))
        np.testing.assert_array_equal(recording.velocities(index=i), motions.velocities.astype(np.float32))
        spin = recording.field("angular_velocity", index=i)
        np.testing.assert_array_equal(spin, motions.angular_velocities.astype(np.float32))
    scalars = recording.scalars
    np.testing.assert_array_equal(scalars["kinetic energy"][1:], [energy.kinetic for *_, energy, _ in seen])
    np.testing.assert_array_equal(scalars["contacts"][1:], [count for *_, count in seen])
    probe = "box1.position.z"
    np.testing.assert_array_equal(scalars[probe], world.probes()[probe])
    assert recording.scalar_units[probe] == "m"
    contacts = world.contacts()
    assert len(contacts) > 0
    force = recording.field("force", group="contacts")
    np.testing.assert_array_equal(force, contacts.force.astype(np.float32))
    np.testing.assert_array_equal(recording.field("b", group="contacts")[:, 0], contacts.body_b)


def test_a_time_stands_for_the_nearest_frame(tmp_path):
    world, _, rail = models.slider()
    world.add_motor(hy.Motor.force(rail, 6.0))
    world.start_recording(tmp_path / "a.hrec", every=0.1)
    world.run(until=1.0, dt=1e-2)
    assert world.recording == tmp_path / "a.hrec"
    summary = world.stop_recording()
    assert world.recording is None
    assert world.stop_recording() is None
    recording = hy.Recording(tmp_path / "a.hrec")
    assert summary == (11, recording.bytes, 0.1, 0)
    np.testing.assert_allclose(recording.times, np.linspace(0, 1, 11), atol=1e-9)
    for t, index in ((-5, 0), (0.34, 3), (0.36, 4), (99, 10)):
        assert recording.index_at(t) == index
        np.testing.assert_array_equal(recording.positions(t), recording.positions(index=index))
    np.testing.assert_array_equal(recording.positions(), recording.positions(index=-1))
    assert recording.positions(1.0)[0, 0] == pytest.approx(1.5, rel=1e-6)


def test_wrong_questions_name_what_is_there(tmp_path):
    world, *_ = models.slider()
    world.run(until=0.1, dt=1e-2, record=tmp_path / "a.hrec")
    recording = hy.Recording(tmp_path / "a.hrec")
    with pytest.raises(KeyError, match=r"no field 'pressure' \(there are: position, rotation"):
        recording.field("pressure")
    for ask in (recording.positions, recording.fields, recording.names):
        with pytest.raises(KeyError, match=r"no group 'atoms' \(there are: bodies\)"):
            ask(group="atoms")
    with pytest.raises(IndexError, match="frame 900 is not among them"):
        recording.positions(index=900)
    with pytest.raises(ValueError, match="not by both"):
        recording.positions(0.1, index=1)
    with pytest.raises(ValueError, match="nan"):
        recording.positions(float("nan"))
    for missing in (tmp_path / "none.hrec", tmp_path):
        with pytest.raises(FileNotFoundError, match="hrec") as caught:
            hy.Recording(missing)
        assert isinstance(caught.value, hy.FileError)
    (tmp_path / "text.hrec").write_text("not a recording")
    with pytest.raises(hy.FileError, match=r"text\.hrec"):
        hy.Recording(tmp_path / "text.hrec")


def test_a_run_of_a_scene_is_recorded_as_its_settings_say(tmp_path):
    scene = models.write_pendulum(tmp_path)
    report = hy.run_scene(scene, tmp_path / "out")
    recording = hy.Recording(report.out)
    assert recording.path == tmp_path / "out" / "run.hrec"
    assert recording.times[-1] == pytest.approx(0.5)
    again = hy.World.from_scene(scene)
    again.run(until=0.5)
    np.testing.assert_array_equal(recording.positions(0.5), again.positions.astype(np.float32))
    text = scene.read_text()
    scene.write_text(text.replace("until = 0.5", "until = 0.5\noutput.recording.every = 0.1"))
    assert len(hy.Recording(hy.run_scene(scene, tmp_path / "few").out)) == 6
    scene.write_text(text.replace("until = 0.5", "until = 0.5\noutput.recording.enabled = false"))
    with pytest.raises(FileNotFoundError):
        hy.Recording(hy.run_scene(scene, tmp_path / "off").out)


def test_a_resumed_recording_is_one_without_interruption(tmp_path):
    whole = tumbling()
    whole.start_recording(tmp_path / "whole.hrec", every=0.01)
    whole.run(until=0.3)
    whole.stop_recording()

    first = tumbling()
    first.start_recording(tmp_path / "parts.hrec", every=0.01)
    first.run(until=0.15)
    first.save(tmp_path / "half.hckp")
    first.run(until=0.2)  # as if the program died after the checkpoint
    first.stop_recording()
    second = tumbling()
    second.restore(tmp_path / "half.hckp")
    second.start_recording(tmp_path / "parts.hrec", every=0.01, resume=True)
    second.run(until=0.3)
    second.stop_recording()

    a, b = hy.Recording(tmp_path / "whole.hrec"), hy.Recording(tmp_path / "parts.hrec")
    np.testing.assert_array_equal(a.times, b.times)
    for one, other in itertools.zip_longest(frames_of(a), frames_of(b)):
        np.testing.assert_array_equal(one, other)
    other, *_ = models.slider()
    with pytest.raises(hy.FileError):
        other.start_recording(tmp_path / "parts.hrec", resume=True)
    assert other.recording is None


def test_an_exception_leaves_a_complete_file(tmp_path):
    world = tumbling()

    def fail(world: hy.World) -> None:
        if world.time > 0.1:
            message = "enough"
            raise ZeroDivisionError(message)

    with pytest.raises(ZeroDivisionError, match="enough"):
        world.run(until=1.0, callback=fail, record=tmp_path / "a.hrec")
    assert world.recording is None
    recording = hy.Recording(tmp_path / "a.hrec")
    assert recording.finished
    assert recording.times[-1] == world.time
    np.testing.assert_array_equal(recording.positions(), world.positions.astype(np.float32))


def test_a_recording_follows_single_steps_and_can_be_read_meanwhile(tmp_path):
    world = tumbling()
    world.start_recording(tmp_path, every=2e-3, name="Tumbling")
    for _ in range(3):
        world.step()
    growing = hy.Recording(tmp_path)
    assert growing.name == "Tumbling"
    assert not growing.finished
    with pytest.raises(hy.ModelError, match=r"stop_recording\(\) first"):
        world.start_recording(tmp_path / "other.hrec")
    world.stop_recording()
    assert growing.refresh()
    assert growing.finished
    np.testing.assert_array_equal(growing.steps, [0, 1, 2, 3])


def test_what_is_added_during_a_recording_is_in_later_frames(tmp_path):
    world = hy.World(gravity=(0, 0, -9.81))
    ball = hy.Shape.sphere(0.1)
    first = world.add_body(hy.Body.dynamic(name="first", shape=ball, mass=1, inertia=(1, 1, 1), position=(1, 0, 0)))
    world.start_recording(tmp_path, every=0.01)
    world.run(until=0.05, dt=1e-2)
    growing = hy.Recording(tmp_path)
    late = world.add_body(hy.Body.dynamic(name="late", shape=ball, mass=1, inertia=(1, 1, 1), position=(3, 0, 0)))
    world.add_probe("late", "position")
    world.add_force(hy.Force.spring(first, late, stiffness=2.0, length=2.0))
    world.run(until=0.1, dt=1e-2)
    world.stop_recording()
    assert not world.warnings

    recording = hy.Recording(tmp_path)
    assert growing.refresh()
    assert growing.names() == recording.names() == ["first", "late"]
    assert recording.groups == ["bodies", "contacts", "lines"]
    for index, time in enumerate(recording.times):
        positions = recording.positions(index=index)
        came = time > 0.051
        assert positions.shape == (2, 3)
        np.testing.assert_allclose(positions[0], (1, 0, -0.5 * 9.81 * time**2), atol=0.006)
        assert np.isnan(positions[1]).all() != came
        ends = recording.positions(index=index, group="lines")
        assert np.isfinite(ends).all() == came or len(ends) == 0
        assert np.isnan(recording.scalars["late.position.x"][index]) != came
    np.testing.assert_array_equal(recording.positions()[1], np.float32(late.position))
    # Rows of a table are those of what is there.
    recording.export(tmp_path / "a.csv", fields=["bodies.position"])
    rows = (tmp_path / "a.csv").read_text().splitlines()[1:]
    came = int((recording.times > 0.051).sum())
    assert sum(",late," in row for row in rows) == came
    assert sum(",first," in row for row in rows) == len(recording)
    assert not any("nan" in row.lower() for row in rows)
    recording.export(tmp_path / "a.npz", fields=["bodies.position"])
    array = np.load(tmp_path / "a.npz")["bodies.position"]
    assert array.shape == (len(recording), 2, 3)
    assert np.isnan(array[:, 1, 0]).sum() == len(recording) - came


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"every": -1.0}, "output.recording.every"),
        ({"budget_mb": 0.0}, "output.recording.budget_mb"),
        ({"view": {"camra": {}}}, "camra"),
    ],
)
def test_a_recording_asked_for_wrongly_is_refused(tmp_path, arguments, message):
    world, *_ = models.slider()
    with pytest.raises(ValueError, match=message):
        world.start_recording(tmp_path / "a.hrec", **arguments)
    assert world.recording is None
    assert not (tmp_path / "a.hrec").exists()


def test_pictures_and_films(tmp_path):
    world = hy.World()
    world.add_body(hy.Body.dynamic(name="ball", position=(0, 0, 3), density=100), shape=hy.Shape.sphere(0.5))
    world.start_recording(tmp_path, every=0.05, view={"looks": [{"name": "ball", "color": "#ff0000"}]})
    world.run(until=0.2, dt=1e-2)
    world.stop_recording()
    recording = hy.Recording(tmp_path)
    small = {"size": (64, 48), "samples": 1}
    picture = recording.render(tmp_path / "ball.png", time=0.1, threads=1, **small)
    assert picture.shape == (48, 64, 4)
    assert picture.dtype == np.uint8
    red, green, blue, _ = picture[24, 32].astype(int)
    assert red > 100 > max(green, blue)
    png = (tmp_path / "ball.png").read_bytes()
    assert png.startswith(b"\x89PNG")
    assert struct.unpack(">II", png[16:24]) == (64, 48)
    np.testing.assert_array_equal(picture, recording.render(time=0.1, threads=2, **small))
    plain = recording.render(time=0.1, view={"looks": []}, **small)
    assert plain[24, 32, 0] < plain[24, 32, 2]
    recording.render(color_by="velocity", **small)
    with pytest.raises(ValueError, match=r"'pressure'.*velocity"):
        recording.render(color_by="pressure", **small)
    with pytest.raises(ValueError, match="size"):
        recording.render(size=(0, 10))
    assert recording.film(tmp_path / "ball.gif", rate=20, **small) == 5
    assert (tmp_path / "ball.gif").read_bytes().startswith(b"GIF89a")
    with pytest.raises(ValueError, match=r"\.gif or \.mp4"):
        recording.film(tmp_path / "ball.avi")


def falling(tmp_path, **arguments) -> hy.Recording:
    """Record a ball that falls freely, sparsely."""
    world = hy.World(**arguments)
    world.add_body(hy.Body.dynamic(name="ball", density=100), shape=hy.Shape.sphere(0.5))
    world.start_recording(tmp_path, every=0.1)
    world.run(until=0.4, dt=1e-2)
    world.stop_recording()
    return hy.Recording(tmp_path)


def test_a_picture_between_two_frames_is_blended(tmp_path):
    recording = falling(tmp_path)
    camera = {"camera": {"position": (0, -8, 0), "target": (0, 0, 0)}, "size": (60, 60), "samples": 1}

    def height(**moment) -> float:
        picture = recording.render(view={**camera, "passes": ["id"]}, **moment)[:, :, :3].astype(int)
        ball = np.abs(picture - picture[0, 0]).sum(axis=2) > 0
        return float(np.nonzero(ball)[0].mean())

    before, between, after = height(index=3), height(time=0.35), height(time=0.4)
    assert before < between < after
    assert between == pytest.approx((before + after) / 2, abs=0.6)
    assert height(time=0.3) == before
    with pytest.raises(ValueError, match=r"time from 0 s to 0\.4 s"):
        recording.render(time=0.5)
    with pytest.raises(ValueError, match="not by both"):
        recording.render(time=0.1, index=1)


def test_a_world_carries_its_view(tmp_path):
    view = {"looks": [{"name": "ball", "color": "#ff0000"}]}
    recording = falling(tmp_path, view=view)
    picture = recording.render(time=0.0, size=(32, 32), samples=1)
    red, green, blue, _ = picture[16, 16].astype(int)
    assert red > 100 > max(green, blue)
    world = hy.World.from_dict({"view": view})
    assert world.view == view == world.to_dict()["view"]
    world.view = None
    assert world.view is None
    with pytest.raises(ValueError, match="camra"):
        world.view = {"camra": {}}


def test_exports_are_those_of_the_command_line(tmp_path):
    recording = falling(tmp_path)
    for name, head in (("a.html", b"<!doctype html>"), ("a.glb", b"glTF"), ("a.npz", b"PK"), ("a.obj", b"#")):
        report = recording.export(tmp_path / name)
        assert report.files[0] == tmp_path / name
        content = report.files[0].read_bytes()
        assert content.lower().startswith(head.lower())
        assert report.bytes == len(content)
    assert recording.export(tmp_path / "vtk", "vtk").files[0] == tmp_path / "vtk" / "scene.pvd"
    assert recording.export(tmp_path / "pov", "povray", times=[0.2]).files[0].exists()

    recording.export(tmp_path / "all.npz", fields=["bodies.position"], start=0.15, every=2)
    arrays = np.load(tmp_path / "all.npz")
    position = next(arrays[key] for key in arrays if key.endswith("position"))
    np.testing.assert_array_equal(position[:, 0], [recording.positions(t)[0] for t in (0.2, 0.4)])
    recording.export(tmp_path / "scalars.csv")
    with (tmp_path / "scalars.csv").open() as file:
        rows = list(csv.reader(file))
    column = next(k for k, title in enumerate(rows[0]) if title.startswith("kinetic energy"))
    np.testing.assert_array_equal([float(row[column]) for row in rows[1:]], recording.scalars["kinetic energy"])

    for wrong, message in (
        ({"path": "a.dae"}, "html, gltf, csv, npz, obj, vtk, povray"),
        ({"path": "a", "format": "dae"}, "no format 'dae'"),
        ({"path": "a.npz", "fields": ["position"]}, r"bodies\.position"),
        ({"path": "a.npz", "times": [9.0]}, "no frame at 9 s"),
        ({"path": "a.npz", "times": [0.1], "stop": 0.2}, "not by both"),
        ({"path": "a.npz", "every": 0}, "every = 0"),
        ({"path": "a.html", "times": [0.1]}, "start and stop"),
    ):
        with pytest.raises(hy.ModelError, match=message):
            recording.export(tmp_path / wrong.pop("path"), **wrong)
    with pytest.raises(KeyError, match="mass"):
        recording.export(tmp_path / "b.npz", fields=["bodies.mass"])
    assert not (tmp_path / "b.npz").exists()


def fetch(viewer: hy.Viewer, path: str, token: str | None = None) -> bytes:
    address, _, known = viewer.url.partition("/?token=")
    header = {"Authorization": f"Bearer {known if token is None else token}"}
    with urllib.request.urlopen(urllib.request.Request(address + path, headers=header), timeout=10) as answer:
        return answer.read()


def test_a_recording_is_shown_in_the_browser(tmp_path):
    recording = falling(tmp_path)
    with recording.view() as viewer:
        assert viewer.running
        assert viewer.url.startswith("http://127.0.0.1:")
        assert "token" not in repr(viewer)
        assert b'"ball"' in fetch(viewer, "/api/stage")
        with pytest.raises(urllib.error.HTTPError, match="401"):
            fetch(viewer, "/api/stage", token="guess")
        port = int(viewer.url.split(":")[2].split("/")[0])
        with pytest.raises(hy.FileError, match=f"port {port}"):
            hy.Viewer(tmp_path, port=port)
    assert not viewer.running
    viewer.stop()
    with pytest.raises(urllib.error.URLError):
        fetch(viewer, "/api/stage")
    with pytest.raises(FileNotFoundError, match="hrec"):
        hy.Viewer(tmp_path / "none")
    with pytest.raises(ValueError, match="not an address"):
        recording.view(address="here")


def test_a_world_is_shown_while_it_moves(tmp_path):
    world = tumbling()
    with pytest.raises(hy.ModelError, match="start_recording"):
        world.start_viewer()
    world.start_recording(tmp_path, every=2e-3)
    with world.start_viewer() as viewer:
        world.run(until=0.1)
        assert b'"box1"' in fetch(viewer, "/api/stage")
    world.stop_recording()


def test_a_pulled_body_follows_the_hand():
    world = hy.World(gravity=(0, 0, 0), dt=2e-3)
    ball = world.add_body(hy.Body.dynamic(name="ball", density=100), shape=hy.Shape.sphere(0.5))
    target = np.array((1.0, 2.0, -0.5))
    world.run(until=2.0, callback=lambda world: world.pull(ball, target))
    np.testing.assert_allclose(ball.position, target, atol=1e-3)
    with pytest.raises(ValueError, match="the pull on 'ball'"):
        world.pull(ball, target, dt=0.0)
    with pytest.raises(ValueError, match="bal"):
        world.pull("bal", target)
    world.add_signal(hy.Signal.input("push", 0.25))
    world.signal("push").value = 0.75
    assert world.inputs == {"push": 0.75}


class Page:
    """As much of the page as sends commands: a WebSocket."""

    def __init__(self, viewer: hy.Viewer) -> None:
        place, _, token = viewer.url.removeprefix("http://").partition("/?token=")
        host, _, port = place.partition(":")
        self.socket = socket.create_connection((host, int(port)), timeout=10)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = ["GET /ws HTTP/1.1", f"Host: {place}", f"Origin: http://{place}", "Upgrade: websocket"]
        lines += ["Connection: Upgrade", f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13"]
        lines += [f"Sec-WebSocket-Protocol: huygens.{token}", "", ""]
        self.socket.sendall("\r\n".join(lines).encode())
        assert b"101" in self.socket.recv(4096).splitlines()[0]

    def send(self, **command) -> None:
        text = json.dumps(command).encode()
        assert len(text) < 126
        self.socket.sendall(bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text)


def test_the_page_steers_a_run_in_python(tmp_path):
    world = hy.World(gravity=(0, 0, 0), dt=2e-3)
    ball = world.add_body(hy.Body.dynamic(name="ball", mass=2, inertia=(1, 1, 1)))
    push = world.add_signal(hy.Signal.input("push", lower=-5, upper=5))
    world.add_force(hy.Force.load(ball, force=(push.drive, 0, 0)))
    world.start_recording(tmp_path)
    sent = []
    with world.start_viewer(interactive=True) as viewer:
        page = Page(viewer)

        def callback(world: hy.World) -> bool:
            if not sent:
                page.send(type="input", name="push", value=4.0)
                sent.append(world.time)
            return world.inputs["push"] == 0.0

        assert not world.run(until=30, callback=callback)
        assert push.value == 4.0
        start, speed = world.time, ball.velocity[0]
        page.send(type="pause")
        page.send(type="step", count=5)
        page.send(type="resume")
        assert world.run(until=start + 0.1)
        assert ball.velocity[0] - speed == pytest.approx(4.0 / 2 * 0.1, rel=1e-6)
        page.send(type="pull", item=0, point=[0, 0, 0], target=[0, 3, 0])
        world.run(until=start + 0.5)
        assert ball.velocity[1] > 1.0
    # A page that is gone holds nothing up, and lets go.
    assert world.run(until=world.time + 60, dt=0.05)
