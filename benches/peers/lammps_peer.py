"""Steps a settled bed of grains or a dam break in LAMMPS and prints one JSON line.

    python lammps_peer.py dem_settle --size 8000 --data FOLDER [--program lmp] [--repeat 1]
    python lammps_peer.py sph_dambreak --size 108000

The dam break is `sph/taitwater` with walls of three layers; the kernel reaches as far as that of the case. The bed is
a table of x, y, z and radius, `dem_settled_<size>.csv`. With `--program` a LAMMPS program is run, else
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

import fluid_cases
from grain_cases import DENSITY, FRICTION, POISSON, STEP, WARM_STEPS, YOUNG, bed, table, timed_steps

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


DAM = """\
units si
atom_style sph
boundary f f f
newton on
comm_modify vel yes
read_data {data}
group water type 1
group wall type 2
pair_style sph/taitwater
pair_coeff * * {density} {sound} {artificial} {reach}
pair_coeff 2 2 {density} {sound} {artificial} {nothing}
neighbor {skin} bin
neigh_modify delay 0 every 1 check yes exclude group wall wall
fix g water gravity 9.81 vector 0 0 -1
fix w water sph
fix s wall sph/stationary
timestep {step}
thermo 100
run 2
{runs}
"""


def write_dam(folder, size, repeat):
    """Writes the dam and the script of the run; timed steps, fluid particles, and the script."""
    case = fluid_cases.dam(size)
    d = case["spacing"]
    table = folder / "dam.data"
    rows = [(1, *place) for place in case["water"]] + [(2, *place) for place in case["walls"]]
    low, high = ([f([place[k] for _, *place in rows]) for k in range(3)] for f in (min, max))
    mass = fluid_cases.DENSITY * d**3
    with table.open("w") as file:
        file.write(f"dam\n\n{len(rows)} atoms\n2 atom types\n\n")
        for k, axis in enumerate("xyz"):
            file.write(f"{low[k] - 5 * d} {high[k] + (40 * d if axis == 'z' else 5 * d)} {axis}lo {axis}hi\n")
        file.write(f"\nMasses\n\n1 {mass}\n2 {mass}\n\nAtoms\n\n")
        for number, (kind, x, y, z) in enumerate(rows, 1):
            file.write(f"{number} {kind} {fluid_cases.DENSITY} 0.0 1.0 {x:.9g} {y:.9g} {z:.9g}\n")
    steps = fluid_cases.STEPS
    script = folder / "in.dam"
    script.write_text(DAM.format(
        data=table, density=fluid_cases.DENSITY, sound=case["sound"], artificial=fluid_cases.ARTIFICIAL,
        reach=2 * fluid_cases.LENGTH_RATIO * d, nothing=1e-3 * d, skin=0.1 * d, step=case["step"],
        runs=f"run {steps}\n" * repeat,
    ))
    return steps, len(case["water"]), script


def write_input(folder, size, data, repeat):
    """Writes the bed and the script of the run; timed steps, and the script."""
    rows, width = bed(size, data)
    atoms = folder / "bed.data"
    with atoms.open("w") as file:
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
    script.write_text(INPUT.format(data=atoms, skin=skin, law=law, step=STEP, width=width, warm=warm, runs=runs))
    return steps, script


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("case", choices=["dem_settle", "sph_dambreak"])
    parser.add_argument("--size", type=int, default=8000)
    parser.add_argument("--data", type=pathlib.Path, help="folder with the tables of settled beds")
    parser.add_argument("--program", help="a LAMMPS program; without it the Python module is used")
    parser.add_argument("--repeat", type=int, default=1)
    chosen = parser.parse_args()
    if chosen.case == "dem_settle" and not (chosen.data and (chosen.data / table(chosen.size)).is_file()):
        parser.error(f"dem_settle needs --data FOLDER with {table(chosen.size)}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if chosen.case == "sph_dambreak":
            steps, water, script = write_dam(folder, chosen.size, chosen.repeat)
        else:
            water = None
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
    # Walls are atoms too, but not counted.
    count, cpu = water or int(loops[0][1]), min(times)
    print(json.dumps({
        "case": chosen.case,
        "variant": "",
        "size": count,
        "tool": "lammps",
        "version": version.group(1) if version else "",
        "method": "sph/taitwater" if water else "gran/hertz/history",
        "threads": 1,
        "steps": steps,
        "cpu_s": cpu,
        "ms_per_step": 1e3 * cpu / steps,
        "rate": count * steps / cpu,
    }))


if __name__ == "__main__":
    main()
