"""The static tetrahedral block in CalculiX: writes the input, runs `ccx`, prints one JSON line.

A cube of side 1 m with `size` nodes along each edge, six tetrahedra a cell, the face x = 0 clamped, the face x = 1
pulled down by 1 MN spread evenly over its nodes. Tip is the mean displacement of the loaded face.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time

YOUNG, POISSON, FORCE = 2.1e11, 0.3, -1e6
# Paths from corner 000 to corner 111 of a cell, one axis at a time: six tetrahedra of positive volume.
PATHS = [(0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (1, 0, 2), (2, 1, 0)]


def corners(path, even):
    """Offsets of the four corners along a path; odd paths change two corners to keep the volume positive."""
    at, found = [0, 0, 0], [(0, 0, 0)]
    for axis in path:
        at[axis] += 1
        found.append(tuple(at))
    return found if even else [found[0], found[2], found[1], found[3]]


def write_input(path, size, solver):
    """Writes the model."""
    number = lambda i, j, k: 1 + i + size * (j + size * k)  # noqa: E731
    step = 1.0 / (size - 1)
    with open(path, "w") as out:
        out.write("*NODE, NSET=ALL\n")
        for k in range(size):
            for j in range(size):
                for i in range(size):
                    out.write(f"{number(i, j, k)},{i * step:.9g},{j * step:.9g},{k * step:.9g}\n")
        out.write("*ELEMENT, TYPE=C3D4, ELSET=BLOCK\n")
        element = 0
        for k in range(size - 1):
            for j in range(size - 1):
                for i in range(size - 1):
                    for which, axes in enumerate(PATHS):
                        element += 1
                        nodes = [number(i + a, j + b, k + c) for a, b, c in corners(axes, which < 3)]
                        out.write(f"{element}," + ",".join(map(str, nodes)) + "\n")
        faces = {"CLAMP": 0, "LOADED": size - 1}
        for name, i in faces.items():
            out.write(f"*NSET, NSET={name}\n")
            for k in range(size):
                for j in range(size):
                    out.write(f"{number(i, j, k)},\n")
        out.write(f"*MATERIAL, NAME=STEEL\n*ELASTIC\n{YOUNG},{POISSON}\n*SOLID SECTION, ELSET=BLOCK, MATERIAL=STEEL\n")
        out.write(f"*BOUNDARY\nCLAMP,1,3\n*STEP\n*STATIC, SOLVER={solver}\n")
        out.write(f"*CLOAD\nLOADED,3,{FORCE / size**2:.17g}\n*NODE PRINT, NSET=LOADED\nU\n*END STEP\n")


def main():
    """Measures one run."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=32, help="nodes along an edge")
    parser.add_argument("--solver", default="SPOOLES", help="SPOOLES, ITERATIVE SCALING or ITERATIVE CHOLESKY")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_input(pathlib.Path(folder) / "block.inp", arguments.size, arguments.solver)
        environment = dict(os.environ, OMP_NUM_THREADS=str(arguments.threads), CCX_NPROC=str(arguments.threads))
        start = time.perf_counter()
        done = subprocess.run(["ccx", "block"], cwd=folder, env=environment, capture_output=True, text=True)
        seconds = time.perf_counter() - start
        lines = (pathlib.Path(folder) / "block.dat").read_text().splitlines()
        rows = [line.split() for line in lines]
        down = [float(row[3]) for row in rows if len(row) == 4 and row[0].isdigit()]
        if done.returncode != 0 or not down:
            raise SystemExit(done.stdout[-2000:])
    print(
        json.dumps(
            {
                "case": "tetrahedral_block",
                "engine": "calculix",
                "solver": arguments.solver,
                "threads": arguments.threads,
                "size": arguments.size,
                "seconds": seconds,
                "tip": sum(down) / len(down),
            }
        )
    )


if __name__ == "__main__":
    main()
