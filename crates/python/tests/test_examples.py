"""Every example in Python ends where its scene file ends."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

import huygens as hy

EXAMPLES = Path(__file__).parents[3] / "examples"
SCRIPTS = sorted(EXAMPLES.glob("[0-9]*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_an_example_is_the_twin_of_its_scene(script, monkeypatch):
    monkeypatch.setattr(sys, "argv", [str(script)])
    scene = script.with_suffix(".toml")
    world = runpy.run_path(str(script))["world"]
    twin = hy.World.from_scene(scene)
    analysis = twin.settings["analysis"]
    assert analysis == world.settings["analysis"]
    if analysis == "kinematics":
        twin.kinematics(until=world.time)
    elif analysis == "statics":
        twin.load_path()
    else:
        twin.run(until=world.time)
    for kind in ("bodies", "grains", "fluids", "structures", "joints", "motors", "couplings", "forces", "shafts", "signals"):
        names = [[handle.name for handle in getattr(w, kind)] for w in (world, twin)]
        assert sorted(names[0]) == sorted(names[1])
    row = {body.name: k for k, body in enumerate(world.bodies)}
    rows = [row[body.name] for body in twin.bodies]
    np.testing.assert_allclose(world.positions[rows], twin.positions, atol=1e-6)
    for grains in twin.grains:
        np.testing.assert_allclose(world[grains.name].positions, grains.positions, atol=1e-6)
    for fluid in twin.fluids:
        np.testing.assert_allclose(world[fluid.name].positions, fluid.positions, atol=1e-6)
    for structure in twin.structures:
        np.testing.assert_allclose(world[structure.name].positions, structure.positions, atol=1e-6)
    for shaft in twin.shafts:
        assert world.shaft(shaft.name).speed == pytest.approx(shaft.speed, abs=1e-4)


def test_every_scene_has_a_twin():
    assert [path.stem for path in SCRIPTS] == sorted(path.stem for path in EXAMPLES.glob("[0-9]*.toml"))


def test_what_extends_huygens_from_python_checks_itself(monkeypatch):
    script = EXAMPLES / "extending" / "extending.py"
    monkeypatch.setattr(sys, "argv", [str(script)])
    runpy.run_path(str(script), run_name="__main__")
