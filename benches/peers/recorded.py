"""Figures of programs that the comparison shows but does not run.

They were measured at another time, on one busy machine of the kind described in `docs/performance.md`: CPU
milliseconds a step, one thread, best of 3, good to about 5 %. They are for orientation: a ratio to a figure
of another run says little, so none is shown. The sinks are means of the top row, as far as can be told from
the programs run here; the tables show the largest of those.
"""

REMARK = "recorded figure, not run here"


def row(case, size, tool, method, ms_per_step, variant="", **figures):
    """One recorded line, with the names a program prints."""
    return {
        "case": case, "variant": variant, "size": size, "tool": tool, "method": method,
        "ms_per_step": ms_per_step, **figures,
    }


def rows_by_size(case, tool, method, times, **figures_8000):
    """Lines of one method; times [ms] by size, the accuracy known for 8,000 spheres only."""
    return [row(case, size, tool, method, ms, **(figures_8000 if size == 8000 else {})) for size, ms in times.items()]


CORE, MULTICORE = "Chrono core", "Chrono::Multicore"

ROWS = [
    *rows_by_size("nsc_settle", MULTICORE, "APGD 50", {8000: 303, 32000: 1507, 128000: 8996},
                  contacts=25000, penetration_max=8.0e-4, penetration_mean=7.7e-5),
    *rows_by_size("nsc_settle", MULTICORE, "BB 50", {8000: 233}, penetration_max=7.3e-4, penetration_mean=7.1e-5),
    *rows_by_size("nsc_settle", CORE, "PSOR 50", {1000: 26.6, 8000: 211, 32000: 1094},
                  penetration_max=2.0e-3, penetration_mean=1.5e-4),
    *rows_by_size("nsc_settle", CORE, "BB 50", {1000: 41, 8000: 500, 32000: 3182},
                  penetration_max=6.3e-4, penetration_mean=9.0e-5),
    *rows_by_size("nsc_settle", CORE, "APGD 50", {1000: 122, 8000: 1456}),
    *rows_by_size("smc_settle", MULTICORE, "multi-step tangential", {8000: 37.1, 32000: 148, 128000: 771},
                  penetration_max=0.16, penetration_mean=0.033),
    row("smc_settle", 8000, CORE, "one-step tangential, 29 to 49 ms", 29, penetration_max=0.11, penetration_mean=0.029),
    row("smc_settle", 32000, CORE, "one-step tangential", 219),
    row("sphere_settle", 1000, "PyBullet", "50 iterations", 23, penetration_max=0.0022),
    row("sphere_settle", 1000, "Drake", "SAP", 207),
    row("dem_settle", 8000, "YADE", "Hertz–Mindlin", 8000 / 0.70e3, rate=0.70e6),
    row("dem_settle", 100000, "YADE", "Hertz–Mindlin", 100000 / 0.56e3, rate=0.56e6),
    row("dem_settle", 8000, "LIGGGHTS", "hertz, history", 8000 / 4.5e3, rate=4.5e6),
    row("dem_settle", 100000, "LIGGGHTS", "hertz, history", 100000 / 3.2e3, rate=3.2e6),
    row("sph_dambreak", 108000, "DualSPHysics 5.4", "CPU, single precision", 108000 / 0.38e3, rate=0.38e6, neighbours=74),
    row("sph_dambreak", 108000, "PySPH", "WCSPH", 108000 / 0.25e3, rate=0.25e6, neighbours=79),
    row("sph_dambreak", 108000, "SPlisHSPlasH", "WCSPH, single precision", 108000 / 0.63e3, rate=0.63e6, neighbours=28),
    row("brick_wall", 500, "PyBullet", "50 iterations", 30.0, "static",
        sink_mm=0.56, drift_mm=2.4, penetration_mm=0.18),
    row("brick_wall", 500, "PyBullet", "50 iterations", 33.5, "hit"),
]


def rows(case, variant, size):
    """Recorded lines of a workload."""
    return [line for line in ROWS if (line["case"], line["variant"], line["size"]) == (case, variant, size)]
