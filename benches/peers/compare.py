"""Runs the benchmark cases in Huygens and in the peers, side by side, and prints one Markdown table.

Every program is pinned to the same single processor. The programs take turns, round by round, so that
whatever else the machine is doing falls on all of them alike; the fastest round of each counts.

    python compare.py --huygens ../../target/release/huygens [--rounds 3] [--quick] [--json results.jsonl]

Without --huygens only the peers run.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

import cases

HERE = pathlib.Path(__file__).resolve().parent

EXUDYN_METHODS = [
    "generalized_alpha_index3_rho0.8",
    "generalized_alpha_index3_rho0.9",
    "trapezoidal_index2",
    "trapezoidal_index2_plain",
]


def workloads(quick):
    """(case, variant, size) of every row group; size 3 stands for the three moving bodies of a loop."""
    chosen = [("slider_crank", "", 3), ("four_bar", "", 3)]
    for variant in ("planar", "alt3d"):
        chosen += [("pendulum_chain", variant, size) for size in (cases.CHAIN_SIZES[:1] if quick else cases.CHAIN_SIZES)]
    return chosen


def commands(huygens, case, variant, size):
    """(label, command) of every program that can run the case, Huygens first."""
    chain = ["--size", str(size), "--variant", variant] if variant else []
    runs = []
    if huygens:
        runs.append(("huygens", [huygens, "bench", case, *chain, "--threads", "1", "--json"]))
    peer = [sys.executable, str(HERE / "mujoco_peer.py"), case, *chain, "--repeat", "1"]
    runs.append(("mujoco rk4", peer))
    for method in EXUDYN_METHODS:
        peer = [sys.executable, str(HERE / "exudyn_peer.py"), case, *chain, "--repeat", "1", "--method", method]
        runs.append((f"exudyn {method}", peer))
    return runs


def pin_to_one_processor():
    """Keeps this process, and every program it starts, on the last processor it may use."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def measure(command):
    """The JSON lines a program prints; an empty list, with its complaint on stderr, where it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 or not lines:
        complaint = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:] or ["no output"]
        print(f"failed ({done.returncode}): {' '.join(command)}\n    {complaint[0]}", file=sys.stderr)
        return []
    return lines


def best_of_rounds(huygens, workload, rounds):
    """Fastest line of every (program, method), in order of first appearance."""
    best, failed = {}, set()
    for _ in range(rounds):
        for label, command in commands(huygens, *workload):
            if label in failed:
                continue
            lines = measure(command)
            if not lines:
                failed.add(label)
            for line in lines:
                line.setdefault("tool", "huygens")
                line.setdefault("method", "")
                key = (line["tool"], line["method"])
                if key not in best or line["ms_per_step"] < best[key]["ms_per_step"]:
                    best[key] = line
    return list(best.values()), failed


def error_text(value):
    """A reference error as the table shows it."""
    return "–" if value is None else f"{value:.1e}"


def table_rows(workload, lines):
    """Markdown rows; the ratio is the program's time over that of the fastest Huygens line."""
    case, variant, size = workload
    name = f"{case} {variant} {size}".replace("  ", " ") if variant else case
    own = [line["ms_per_step"] for line in lines if line["tool"] == "huygens"]
    for line in lines:
        ratio = f"{line['ms_per_step'] / min(own):.2f}" if own else "–"
        errors = " / ".join(error_text(line.get(f"tip_error_{second}s")) for second in (1, 2, 5))
        program = f"{line['tool']} {line.get('version', '')}".strip()
        yield f"| {name} | {program} | {line['method']} | {line['ms_per_step']:.4f} | {ratio} | {errors} |"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--huygens", help="the program `huygens`, built for release")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="only 32 links of the chain")
    parser.add_argument("--json", help="also write the best line of every program to this file")
    chosen = parser.parse_args()
    pin_to_one_processor()

    print("| case | program | method | CPU ms/step | time / Huygens | position error at 1 / 2 / 5 s [m] |")
    print("|---|---|---|---|---|---|", flush=True)
    kept, any_failed = [], False
    for workload in workloads(chosen.quick):
        lines, failed = best_of_rounds(chosen.huygens, workload, chosen.rounds)
        any_failed |= bool(failed)
        kept += lines
        for row in table_rows(workload, lines):
            print(row, flush=True)
    if chosen.json:
        pathlib.Path(chosen.json).write_text("".join(json.dumps(line) + "\n" for line in kept))
    return 1 if any_failed else 0


if __name__ == "__main__":
    sys.exit(main())
