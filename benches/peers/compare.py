"""Runs the benchmark cases in Huygens and in the peers, side by side, and prints Markdown tables.

Every program is pinned to the same single processor. The programs take turns, round by round, so that
whatever else the machine is doing falls on all of them alike; the fastest round of each counts.

    python compare.py --huygens ../../target/dist/huygens [--rapier PROGRAM] [--cases brick_wall,...]
                      [--data FOLDER] [--rounds 3] [--quick] [--json results.jsonl]

Without --huygens only the peers run. The beds of grains are read from tables in the folder --data; without it they are
left out. Rapier's program is built here, by cargo, if it is not given.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

import mujoco_contact
import recorded
import workloads


def number(value, form):
    """A figure as the tables show it; a dash where there is none."""
    return "–" if value is None else format(value, form)


def mechanism_figures(line):
    """Distances of the tracked point from its reference."""
    return [" / ".join(number(line.get(f"tip_error_{second}s"), ".1e") for second in (1, 2, 5))]


def bed_figures(line):
    """Contacts, penetration, and how calm the bed is."""
    penetration = " / ".join(number(line.get(f"penetration_{kind}"), ".1e") for kind in ("max", "mean"))
    return [number(line.get("contacts"), "d"), penetration, number(line.get("kinetic_energy"), ".1e")]


def wall_figures(line):
    """Contacts, and how far the wall is from where it should stand; a wall that was hit has fallen."""
    names = ("sink_mm", "drift_mm", "penetration_mm")
    if line["variant"] == "hit":
        line = {**line, "sink_mm": None, "drift_mm": None}
    return [number(line.get("contacts"), "d"), " / ".join(number(line.get(name), ".2g") for name in names)]


def grain_figures(line):
    """Grain-steps a processor second, contacts, and memory."""
    return [number(line.get("rate"), ".3g"), number(line.get("contacts"), "d"), number(line.get("bytes_per_grain"), ".0f")]


def fluid_figures(line):
    """Particle-steps a processor second, neighbours, and memory."""
    names = (("rate", ".3g"), ("neighbours", "d"), ("bytes_per_particle", ".0f"))
    return [number(line.get(name), form) for name, form in names]


# Cases with the columns that show how good their results are.
FAMILIES = [
    (workloads.CABLES, ["position error at 1 / 2 / 5 s [m]"], mechanism_figures),
    (workloads.MECHANISMS, ["position error at 1 / 2 / 5 s [m]"], mechanism_figures),
    (workloads.BEDS, ["contacts", "penetration max / mean [of r]", "kinetic energy [J]"], bed_figures),
    (workloads.GRAINS, ["grain-steps / CPU s", "contacts", "bytes a grain"], grain_figures),
    (workloads.FLUIDS, ["particle-steps / CPU s", "neighbours", "bytes a particle"], fluid_figures),
    (workloads.WALLS, ["contacts", "sink / drift / penetration [mm]"], wall_figures),
]
ALL_CASES = [case for members, _, _ in FAMILIES for case in members]


def pin_to_one_processor():
    """Keeps this process, and every program it starts, on the last processor it may use."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def built_rapier():
    """Builds Rapier's program and answers with its path; None, with the complaint on stderr, where that fails."""
    manifest = workloads.HERE / "rapier" / "Cargo.toml"
    build = ["cargo", "build", "--release", "--locked", "--manifest-path", str(manifest), "--message-format", "json"]
    try:
        done = subprocess.run(build, stdout=subprocess.PIPE, text=True, check=False)
    except OSError as complaint:
        print(f"failed: cargo: {complaint}", file=sys.stderr)
        return None
    artifacts = [json.loads(text) for text in done.stdout.splitlines() if text.startswith("{")]
    programs = [artifact["executable"] for artifact in artifacts if artifact.get("executable")]
    return programs[-1] if done.returncode == 0 and programs else None


def measure(command):
    """The JSON lines a program prints; an empty list, with its complaint on stderr, where it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 or not lines:
        complaint = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:] or ["no output"]
        print(f"failed ({done.returncode}): {' '.join(command)}\n    {complaint[0]}", file=sys.stderr)
        return []
    return lines


def best_of_rounds(commands, rounds):
    """Fastest line of every run and method, in order of first appearance; and the runs that failed."""
    best, failed = {}, set()
    for _ in range(rounds):
        for label, command in commands:
            if label in failed:
                continue
            lines = measure(command)
            if not lines:
                failed.add(label)
            for line in lines:
                line.setdefault("tool", "huygens")
                line.setdefault("method", "")
                line.setdefault("variant", "")
                key = (label, line["method"])
                if key not in best or line["ms_per_step"] < best[key]["ms_per_step"]:
                    best[key] = {**line, "options": label.partition(" --")[2] if line["tool"] == "huygens" else ""}
    return list(best.values()), failed


def table_rows(workload, lines, figures):
    """Markdown rows; the ratio is the program's time over that of the fastest Huygens line."""
    case, variant, size = workload
    name = case if size == 3 else " ".join(part for part in (case, variant, str(size)) if part)
    own = [line["ms_per_step"] for line in lines if line["tool"] == "huygens"]
    for line in lines:
        ratio = f"{line['ms_per_step'] / min(own):.2f}" if own else "–"
        program = f"{line['tool']} {line.get('version', '')}".strip()
        options = f" (--{line['options']})" if line["options"] else ""
        columns = [name, program, line["method"] + options, f"{line['ms_per_step']:.4g}", ratio, *figures(line)]
        yield f"| {' | '.join(columns)} |"
    for line in recorded.rows(*workload):
        method = f"{line['method']}; {recorded.REMARK}"
        columns = [name, line["tool"], method, f"{line['ms_per_step']:.4g}", "–", *figures(line)]
        yield f"| {' | '.join(columns)} |"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--huygens", help="the program `huygens`, built for release")
    parser.add_argument("--rapier", help="the program `rapier-peer`, built for release")
    parser.add_argument("--cases", help="the cases, separated by commas; all if absent")
    parser.add_argument("--data", type=pathlib.Path, help="folder with tables of settled beds of grains")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="only the small sizes")
    parser.add_argument("--json", help="also write the best line of every program to this file")
    chosen = parser.parse_args()
    wanted = chosen.cases.split(",") if chosen.cases else ALL_CASES
    unknown = [case for case in wanted if case not in ALL_CASES]
    if unknown:
        parser.error(f"no case {unknown[0]}; the cases are {', '.join(ALL_CASES)}")
    if any(case in workloads.GRAINS for case in wanted):
        expected = workloads.tables(chosen.quick)
        if chosen.data is None and chosen.cases is None:
            print(f"left out without --data ({', '.join(expected)}): {', '.join(workloads.GRAINS)}", file=sys.stderr)
            wanted = [case for case in wanted if case not in workloads.GRAINS]
        else:
            missing = [name for name in expected if chosen.data is None or not (chosen.data / name).is_file()]
            if missing:
                parser.error(f"{', '.join(workloads.GRAINS)} needs --data FOLDER with {', '.join(missing)}")

    kept, any_failed = [], False
    if not chosen.rapier and any(case in mujoco_contact.METHODS for case in wanted):
        chosen.rapier = built_rapier()
        any_failed |= chosen.rapier is None
    pin_to_one_processor()
    for members, columns, figures in FAMILIES:
        members = [case for case in members if case in wanted]
        if not members:
            continue
        header = ["case", "program", "method", "CPU ms/step", "time / Huygens", *columns]
        print(f"\n| {' | '.join(header)} |\n|{'---|' * len(header)}", flush=True)
        for workload in (one for case in members for one in workloads.workloads(case, chosen.quick)):
            lines, failed = best_of_rounds(
                workloads.commands(chosen.huygens, chosen.rapier, chosen.data, *workload), chosen.rounds
            )
            any_failed |= bool(failed)
            kept += lines
            for row in table_rows(workload, lines, figures):
                print(row, flush=True)
    if chosen.json:
        pathlib.Path(chosen.json).write_text("".join(json.dumps(line) + "\n" for line in kept))
    return 1 if any_failed else 0


if __name__ == "__main__":
    sys.exit(main())
