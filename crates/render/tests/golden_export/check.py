"""Opens exports with the programs they are for: VTK, NumPy, the glTF validator and POV-Ray.

    pip install -r crates/render/tests/golden_export/requirements.txt
    npm install --prefix crates/render/tests/export
    python crates/render/tests/golden_export/check.py [FOLDER] [--filled] [--only vtk,numpy,gltf,povray]

The folder (a temporary one if not given) is filled by `cargo test -p huygens-render --test golden_export`. POV-Ray is the
program `povray` on PATH (Debian: `apt install povray`); its pictures stay in FOLDER/pov.
"""

import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

HERE = pathlib.Path(__file__).resolve().parent


def export(folder):
    command = ["cargo", "test", "--quiet", "--profile", "ci", "-p", "huygens-render", "--test", "export"]
    command += ["--", "every_export_is_written"]
    subprocess.run(command, check=True, cwd=HERE, env={**os.environ, "HUYGENS_EXPORTS": str(folder)})



def check_vtk(folder, truth):
    import numpy
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOXML import vtkXMLPolyDataReader, vtkXMLUnstructuredGridReader

    def read(path):
        reader = vtkXMLUnstructuredGridReader() if path.suffix == ".vtu" else vtkXMLPolyDataReader()
        errors = []
        reader.AddObserver("ErrorEvent", lambda *_: errors.append(path))
        reader.SetFileName(str(path))
        reader.Update()
        assert not errors, f"VTK refuses {path}"
        return reader.GetOutput()

    files = 0
    for name, group in truth["groups"].items():
        pvd = ElementTree.parse(folder / "vtk" / f"{name}.pvd")
        sets = pvd.findall("./Collection/DataSet")
        assert [float(s.get("timestep")) for s in sets] == truth["times"]
        for frame, entry in enumerate(sets):
            data = read(folder / "vtk" / entry.get("file"))
            files += 1
            assert data.GetNumberOfPoints() == group["counts"][frame] == data.GetNumberOfVerts()
            assert data.GetFieldData().GetArray("TimeValue").GetValue(0) == truth["times"][frame]
            assert data.GetFieldData().GetArray("energy.kinetic").GetValue(0) == truth["energy"][frame]
            for field, values in group["fields"].items():
                expected = numpy.array(values["values"][frame], dtype=numpy.float32)
                if field == "position":
                    found = data.GetPoints().GetData() if data.GetNumberOfPoints() else None
                else:
                    found = data.GetPointData().GetArray(field)
                found = vtk_to_numpy(found).ravel() if found and len(expected) else numpy.zeros(0, "f4")
                assert numpy.array_equal(found, expected), f"{name}.{field} at frame {frame}"

    bodies = read(folder / "vtk" / "bodies" / "bodies_00000.vtp")
    assert bodies.GetPointData().GetAbstractArray("name").GetValue(1) == 'Box "1", <&>'

    # Box 1 is found again from its triangles: volume by the divergence theorem.
    surfaces = read(folder / "vtk" / "bodies_surfaces" / "bodies_surfaces_00003.vtp")
    points = vtk_to_numpy(surfaces.GetPoints().GetData()).astype(float)
    cells = vtk_to_numpy(surfaces.GetPolys().GetConnectivityArray()).reshape(-1, 3)
    items = vtk_to_numpy(surfaces.GetCellData().GetArray("item"))

    def volume(item):
        a, b, c = (points[cells[items == item][:, i]] for i in range(3))
        return float(numpy.einsum("ij,ij->", a, numpy.cross(b, c)) / 6)

    assert abs(volume(1) / (8 * 0.3 * 0.2 * 0.1) - 1) < 1e-5
    assert abs(volume(5) / (2 * math.pi * 0.2**2 * 0.25) - 1) < 0.01
    assert abs(volume(9) / (0.4**3 / 6) - 1) < 1e-5
    tubes = read(folder / "vtk" / "nodes_tubes" / "nodes_tubes_00000.vtp")
    skin = read(folder / "vtk" / "nodes_skin" / "nodes_skin_00000.vtp")
    assert (tubes.GetNumberOfLines(), skin.GetNumberOfPolys()) == (2, 2)

    # Tetrahedra are found again with their corners and their stress.
    cells = read(folder / "vtk" / "elements_cells" / "elements_cells_00000.vtu")
    tetra = 10
    assert [cells.GetCellType(k) for k in range(cells.GetNumberOfCells())] == [tetra] * 2
    assert vtk_to_numpy(cells.GetCells().GetConnectivityArray()).tolist() == [0, 1, 2, 3, 1, 2, 3, 4]
    stress = vtk_to_numpy(cells.GetCellData().GetArray("stress")).ravel()
    assert numpy.array_equal(stress, numpy.array(truth["groups"]["elements"]["fields"]["stress"]["values"][0], "f4"))
    print(f"VTK: {files + 4} files read, numbers equal")


def check_numpy(folder, truth):
    import numpy

    arrays = numpy.load(folder / "run.npz")
    assert arrays["times"].tolist() == truth["times"]
    assert arrays["scalar.energy.kinetic"].tolist() == truth["energy"]
    for name, group in truth["groups"].items():
        for field, values in group["fields"].items():
            found = arrays[f"{name}.{field}"]
            frames = [numpy.array(v, "f4").reshape(-1, values["components"]) for v in values["values"]]
            if field == "rotation":
                # Arrays have the scalar of a quaternion first, recordings have it last.
                frames = [numpy.roll(frame, 1, axis=1) for frame in frames]
            if len(set(group["counts"])) == 1:
                assert found.shape == (len(frames), group["counts"][0], values["components"])
                assert numpy.array_equal(found, numpy.stack(frames))
            else:
                assert arrays[f"{name}.{field}.counts"].tolist() == group["counts"]
                assert numpy.array_equal(found, numpy.concatenate(frames))
    print(f"NumPy: {len(arrays.files)} arrays read, numbers equal")


def check_gltf(folder, truth):
    subprocess.run(["node", str(HERE / "check.mjs"), str(folder / "run.glb")], check=True)


def check_povray(folder, truth):
    scene = folder / "pov"
    for old in scene.glob("*.png"):
        old.unlink()
    done = subprocess.run(["povray", "scene.ini"], cwd=scene, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    warnings = [line for line in done.stderr.splitlines() if "Warning:" in line]
    assert not warnings, warnings
    pictures = sorted(scene.glob("*.png"))
    assert len(pictures) == 2, pictures
    likeness = correlation(pictures[1], folder / "own.png")
    assert likeness > 0.8, f"POV-Ray's picture is not that of the ray tracer: correlation {likeness:.2f}"
    print(f"POV-Ray: {', '.join(picture.name for picture in pictures)}, correlation {likeness:.3f}")


def correlation(*paths):
    """Likeness of two pictures, row by row: the sky and the fading of the ground drop out."""
    import numpy
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOImage import vtkPNGReader

    def levels(path):
        reader = vtkPNGReader()
        reader.SetFileName(str(path))
        reader.Update()
        width, height, _ = reader.GetOutput().GetDimensions()
        pixels = vtk_to_numpy(reader.GetOutput().GetPointData().GetScalars())[:, :3]
        gray = pixels.astype(float).mean(axis=1).reshape(height, width)
        return gray - numpy.median(gray, axis=1, keepdims=True)

    return float(numpy.corrcoef(*(levels(path).ravel() for path in paths))[0, 1])


def main():
    checks = {"vtk": check_vtk, "numpy": check_numpy, "gltf": check_gltf, "povray": check_povray}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("--only", default=",".join(checks), help="checks to run, parted by commas")
    parser.add_argument("--filled", action="store_true", help="the folder has been filled by the test before")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (arguments.folder or pathlib.Path(temporary)).resolve()
        if not arguments.filled:
            export(folder)
        truth = json.loads((folder / "truth.json").read_text())
        for name in arguments.only.split(","):
            checks[name](folder, truth)


if __name__ == "__main__":
    sys.exit(main())
