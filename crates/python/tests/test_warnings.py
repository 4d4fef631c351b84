"""Warnings of the engine are Python warnings, at the line that led to them."""

from __future__ import annotations

import warnings

import models
import pytest

import huygens as hy


def torn():
    """Return a world whose joint has to be assembled."""
    world = hy.World()
    ball = world.add_body(name="ball", mass=1.0, inertia=(1, 1, 1))
    frame = {"position": [0, 0, 0.5]}
    world.add_joint({"type": "spherical", "a": "ground", "b": ball, "frame_a": frame, "frame_b": {"position": [0, 0, 0]}})
    return world


def test_a_warning_names_the_line_of_the_caller():
    world = torn()
    with pytest.warns(hy.SimulationWarning, match="assembly moved") as caught:
        world.run(until=0.01)
    assert [warning.filename for warning in caught] == [__file__]
    assert [str(warning.message) for warning in caught] == world.warnings
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Once only.
        world.run(until=0.02)


def test_a_warning_can_be_an_exception_or_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error", hy.SimulationWarning)
        with pytest.raises(hy.SimulationWarning, match="assembly moved"):
            torn().initialize()
        warnings.simplefilter("ignore", hy.SimulationWarning)
        torn().initialize()


def test_a_run_to_the_past_is_refused_and_a_very_long_one_told_before_it():
    world, _, _ = models.slider()
    world.run(until=0.1)
    with pytest.raises(hy.ModelError, match=r"until = 0.05 is not allowed; expected a time from 0.1 s on"):
        world.run(until=0.05)
    with pytest.raises(hy.ModelError, match="until"):
        world.kinematics(until=-1.0)
    world.run(until=0.1)
    seen = []

    def stop(world):
        seen.append(world.warnings[-1])
        return False

    with pytest.warns(hy.SimulationWarning, match=r"1\.0e12 steps of 0\.001 s.*days"):
        assert not world.run(until=1e9, dt=1e-3, callback=stop)
    assert "steps" in seen[0]


def test_a_run_of_a_scene_file_warns_and_reports(tmp_path):
    scene = tmp_path / "scene.toml"
    scene.write_text(
        "settings.until = 0.01\n"
        '[[bodies]]\nname = "ball"\nmass = 1\ninertia = [1, 1, 1]\n'
        '[[joints]]\ntype = "spherical"\na = "ground"\nb = "ball"\n'
        "frame_a = { position = [0, 0, 0.5] }\nframe_b = { position = [0, 0, 0] }\n"
    )
    with pytest.warns(hy.SimulationWarning, match="assembly moved") as caught:
        report = hy.run_scene(scene, tmp_path / "out")
    assert report.warnings == [str(warning.message) for warning in caught]
    assert caught[0].filename == __file__
