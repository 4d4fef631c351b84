"""What the comparison runs: the workloads of every family of cases, and the command lines of every program."""

import pathlib
import shutil
import sys

import cases
import contact_cases
import grain_cases
import mujoco_contact

HERE = pathlib.Path(__file__).resolve().parent

EXUDYN_METHODS = [
    "generalized_alpha_index3_rho0.8",
    "generalized_alpha_index3_rho0.9",
    "trapezoidal_index2",
    "trapezoidal_index2_plain",
]

# Options of every Huygens run of a contact case.
HUYGENS_OPTIONS = {
    "nsc_settle": [
        ["--solver", solver, "--iterations", "50", *start]
        for solver in ("apgd", "psor")
        for start in (["--no-warm-start"], [])
    ],
}

RAPIER_FREQUENCIES = [[], ["--frequency", "200"]]

MECHANISMS = ("slider_crank", "four_bar", "pendulum_chain")
CABLES = ("ancf_cable",)
BEDS = ("nsc_settle", "smc_settle", "sphere_settle")
WALLS = ("brick_wall",)
GRAINS = ("dem_settle",)
FLUIDS = ("sph_dambreak",)


def workloads(case, quick):
    """(case, variant, size) of every row group; size 3 stands for the three moving bodies of a loop."""
    if case == "pendulum_chain":
        sizes = cases.CHAIN_SIZES[:1] if quick else cases.CHAIN_SIZES
        return [(case, variant, size) for variant in ("planar", "alt3d") for size in sizes]
    if case in CABLES:
        return [(case, variant, 32) for variant in ("A", "B")]
    if case in ("nsc_settle", "smc_settle"):
        return [(case, "", size) for size in ((1000,) if quick else (1000, 8000, 32000))]
    if case in GRAINS:
        return [(case, "", size) for size in ((8000,) if quick else (8000, 100000))]
    if case in FLUIDS:
        return [(case, "", size) for size in ((13500,) if quick else (13500, 108000))]
    if case == "brick_wall":
        return [(case, variant, contact_cases.DEFAULTS[case][0]) for variant in ("static", "hit")]
    if case == "sphere_settle":
        return [(case, "", contact_cases.DEFAULTS[case][0])]
    return [(case, "", 3)]


def selection(case, variant, size):
    """The options by which every program is told the workload."""
    variants = ["--variant", variant] if variant else []
    sizes = ["--size", str(size)] if case in ("pendulum_chain", *CABLES, *BEDS, *GRAINS, *FLUIDS) else []
    return [*sizes, *variants]


def huygens_commands(huygens, data, case, variant, size):
    """(label, command) of every Huygens run."""
    options = selection(case, variant, size)
    if case in GRAINS:
        options = [*options, "--data", str(data)]
    if case in CABLES:
        options = [*options, "--rho", "0.9"]
    if case in (*MECHANISMS, *CABLES, *GRAINS, *FLUIDS):
        return [("huygens", [huygens, "bench", case, *options, "--threads", "1", "--json"])]
    return [
        (" ".join(["huygens", *more]), [huygens, "bench", case, *options, *more, "--threads", "1", "--json"])
        for more in HUYGENS_OPTIONS.get(case, [[]])
    ]


def peer_commands(rapier, data, case, variant, size):
    """(label, command) of every peer that can run the case."""
    options = [*selection(case, variant, size), "--repeat", "1"]
    mujoco = [sys.executable, str(HERE / "mujoco_peer.py"), case, *options]
    runs = []
    if case in MECHANISMS:
        runs.append(("mujoco rk4", mujoco))
        for method in EXUDYN_METHODS:
            exudyn = [sys.executable, str(HERE / "exudyn_peer.py"), case, *options, "--method", method]
            runs.append((f"exudyn {method}", exudyn))
    if case in CABLES:
        method = "generalized_alpha_index3_rho0.9"
        exudyn = [sys.executable, str(HERE / "exudyn_peer.py"), case, *options, "--method", method]
        runs.append((f"exudyn {method}", exudyn))
    if case in GRAINS:
        lammps = [sys.executable, str(HERE / "lammps_peer.py"), case, *options, "--data", str(data)]
        runs.append(("lammps module", lammps))
        program = shutil.which("lmp")
        if program:
            runs.append(("lammps program", [*lammps, "--program", program]))
    if case in FLUIDS:
        # Programs of distributions often lack the package.
        runs.append(("lammps module", [sys.executable, str(HERE / "lammps_peer.py"), case, *options]))
    if case in mujoco_contact.METHODS:
        if rapier:
            for frequency in RAPIER_FREQUENCIES:
                runs.append((" ".join(["rapier", *frequency]), [rapier, case, *options, *frequency]))
        for method in mujoco_contact.METHODS[case]:
            runs.append((f"mujoco {method}", [*mujoco, "--method", method]))
    return runs


def tables(quick):
    """Names of the tables that the beds of grains are read from."""
    return [grain_cases.table(size) for case in GRAINS for _, _, size in workloads(case, quick)]


def commands(huygens, rapier, data, case, variant, size):
    """(label, command) of every program that can run the case, Huygens first."""
    own = huygens_commands(huygens, data, case, variant, size) if huygens else []
    return own + peer_commands(rapier, data, case, variant, size)
