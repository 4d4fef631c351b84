"""Steps a settled bed of grains in LAMMPS and prints one JSON line.

    python lammps_peer.py dem_settle --size 8000 [--data FOLDER] [--program lmp] [--repeat 1]

The bed is a table of x, y, z and radius, `dem_settled_<size>.csv`. With `--program` a LAMMPS program is run, else
the module `lammps`. The pair style is `gran/hertz/history` with the stiffness, friction and damping of the case.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from grain_cases import DATA, DENSITY, FRICTION, POISSON, STEP, WARM_STEPS, YOUNG, bed, timed_steps

# Normal damping of `gran/hertz/history` [1/(m s)] that gives a restitution near 0.5.
DAMPING = 1.35e8
# Skin [m] that was fastest.
SKIN = {8000: 1e-4, 100000: 5e-5}

INPUT = """\
units si
atom_style sphere
boundary f f f
newton off
comm_modify vel yes
read_data {data}
neighbor {skin} bin
neigh_modify delay 0
pair_style gran/hertz/history {law}
pair_coeff * *
timestep {step}
fix 1 all nve/sphere
fix 2 all gravity 9.81 vector 0 0 -1
fix 3 all wall/gran hertz/history {law} zplane 0.0 NULL
fix 4 all wall/gran hertz/history {law} xplane 0.0 {width}
fix 5 all wall/gran hertz/history {law} yplane 0.0 {width}
thermo {warm}
run {warm}
{runs}
"""


def write_input(folder, size, data, repeat):
    """Writes the bed and the script of the run; timed steps, and the script."""
    rows, width = bed(size, data)
    table = folder / "bed.data"
    with table.open("w") as file:
        file.write(f"grains\n\n{len(rows)} atoms\n1 atom types\n\n")
        file.write(f"-0.001 {width + 0.001} xlo xhi\n-0.001 {width + 0.001} ylo yhi\n-0.001 0.06 zlo zhi\n\nAtoms\n\n")
        for number, (x, y, z, radius) in enumerate(rows, 1):
            file.write(f"{number} 1 {2 * radius} {DENSITY} {x} {y} {z}\n")
    shear = YOUNG / (2 * (1 + POISSON))
    normal, tangential = 4 * shear / (3 * (1 - POISSON)), 4 * shear / (2 - POISSON)
    law = f"{normal} {tangential} {DAMPING} {0.5 * DAMPING} {FRICTION} 1"
    warm, steps = WARM_STEPS, timed_steps(size)
    runs = f"run {steps}\n" * repeat
    script = folder / "in.bed"
    skin = SKIN.get(size, 1e-4)
    script.write_text(INPUT.format(data=table, skin=skin, law=law, step=STEP, width=width, warm=warm, runs=runs))
    return steps, script


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("case", choices=["dem_settle"])
    parser.add_argument("--size", type=int, default=8000)
    parser.add_argument("--data", type=pathlib.Path, default=DATA)
    parser.add_argument("--program", help="a LAMMPS program; without it the Python module is used")
    parser.add_argument("--repeat", type=int, default=1)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        steps, script = write_input(folder, chosen.size, chosen.data, chosen.repeat)
        log = folder / "log.bed"
        if chosen.program:
            command = [chosen.program, "-in", str(script), "-log", str(log), "-screen", "none"]
        else:
            code = "import sys, lammps; lammps.lammps(cmdargs=sys.argv[2:]).file(sys.argv[1])"
            command = [sys.executable, "-c", code, str(script), "-log", str(log), "-screen", "none"]
        # The module finds the MPI library of the package `mpich` only if it is told where that is.
        paths = [str(pathlib.Path(sys.prefix) / "lib"), os.environ.get("LD_LIBRARY_PATH", "")]
        environment = {**os.environ, "LD_LIBRARY_PATH": os.pathsep.join(path for path in paths if path)}
        subprocess.run(command, check=True, cwd=folder, env=environment)
        text = log.read_text()
    # Each run ends with its time and the share of the processor it got; the first is the warm-up.
    loops = re.findall(r"Loop time of (\S+) on 1 procs for \d+ steps with (\d+) atoms", text)[1:]
    shares = [float(share) / 100 for share in re.findall(r"([\d.]+)% CPU use", text)][1:]
    version = re.search(r"LAMMPS \(([^)]*)\)", text)
    times = [float(loop) * share for (loop, _), share in zip(loops, shares, strict=True)]
    count, cpu = int(loops[0][1]), min(times)
    print(json.dumps({
        "case": "dem_settle",
        "variant": "",
        "size": count,
        "tool": "lammps",
        "version": version.group(1) if version else "",
        "method": "gran/hertz/history",
        "threads": 1,
        "steps": steps,
        "cpu_s": cpu,
        "ms_per_step": 1e3 * cpu / steps,
        "rate": count * steps / cpu,
    }))


if __name__ == "__main__":
    main()
