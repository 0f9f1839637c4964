#!/usr/bin/env python3
"""Writes the tables of the README, docs/ladder.md, docs/python.md, docs/porting.md and
docs/several_gpus.md from results, and the ladder's rungs from the sources of the kernels.

Between the markers <!-- sweeps:begin --> and <!-- sweeps:end --> of the README, those of overview,
rungs and ladder on the ladder's page, those of measured on the pages on Python and porting, and
those of engines on the page on several GPUs, stands only text that this program writes. --check
changes nothing and fails if the pages say something else.
"""

import argparse
import dataclasses
import pathlib
import sys

import engine_tables
import measurements
import python_tables
import rows
import rungs
from measurements import RESULTS, ROOT, Problem, gpu_folders, load, pivot, provenance, table
from rows import Summary, against_cublas, by_incumbent, form_of, is_square, results_of

# {routine: {kernel: why it is slower than the rung before, or skipped}}
REASONS = RESULTS / "reasons.json"

# A rung counts as slower only beyond the spread between two runs of the same kernel.
TOLERANCE = 1.01


def family_of(entry):
    """A rung is a kernel, or the fastest of a family."""
    return entry["kernel"].split("/")[0]


@dataclasses.dataclass
class Ladder:
    """One table: its results, its rate, and the incumbent."""

    routine: str
    title: str
    sizes: dict
    rate: str
    unit: str
    incumbent: str
    incumbent_text: str
    rungs: list  # each an idea on top of the one before
    yardsticks: tuple = ()  # kernels that do less than the routine

    def has(self, entry):
        """Kernels for other shapes or modes are not in the table, but in the results."""
        return family_of(entry) in (*self.rungs, *self.yardsticks) and all(
            entry.get(name) == value for name, value in self.sizes.items()
        )

    def lacks(self, measured):
        """Rungs of later commits than the results, in order."""
        cases = [*measured["results"], *measured.get("skipped", [])]
        found = {family_of(entry) for entry in cases if self.has(entry)}
        return [rung for rung in self.rungs if rung not in found]

    def results(self, results):
        """The latest results of those that lack the fewest rungs; of several, the first GPU's."""
        file = f"ladder_{self.routine}.json"
        found = [load(folder / file) for folder in gpu_folders(results) if (folder / file).exists()]
        if not found:
            raise Problem(f"there is no {file}: bench/run_gpu.sh makes it")
        fewest = min(len(self.lacks(measured)) for measured in found)
        whole = [measured for measured in found if len(self.lacks(measured)) == fewest]
        return max(whole, key=lambda measured: measured["context"]["date"])


# Sweeps over many shapes: (file, of what).
SWEEPS = [
    ("sgemm_strict_public", "strict, published shapes"),
    ("sgemm_strict_misaligned", "strict, misaligned operands"),
    ("sgemm_emulated_public", "emulated, published shapes"),
    ("sgemm_fast_public", "fast, published shapes"),
    ("sum", "powers of two"),
    ("histogram", "uniform, skewed and constant bytes"),
]

# Sweeps of several routines, which the table shows as one.
BLAS_SWEEPS = [
    ("level3_strict", "level 3 but sgemm, strict"),
    ("level3_emulated", "level 3 but sgemm, emulated"),
    ("level3_fast", "level 3 but sgemm, fast"),
    ("level2", "level 2"),
    ("level1", "level 1"),
]

# Sweeps over random shapes. The performance page has them by class of work.
RANDOM_SWEEPS = [
    ("sgemm_strict_random", "sgemm, strict"),
    ("sgemm_fast_random", "sgemm, fast"),
    ("transpose_random", "transpose"),
]

# Squares: {mode: file}.
MODES = {
    "strict": "sgemm_strict_public",
    "emulated": "sgemm_emulated_public",
    "fast": "sgemm_fast_public",
}
SIDES = (512, 1024, 2048, 4096, 8192)
LEVEL3_MODES = {mode: f"level3_{mode}" for mode in MODES}
LEVEL3_SIDES = (4096,)

LADDERS = [
    Ladder("sgemm", "SGEMM, m = n = k = 4096, NN",
           {"m": 4096, "n": 4096, "k": 4096, "transa": "N", "transb": "N"},
           "gflops", "GFLOP/s", "cublasSgemm", "cuBLAS",
           [rung.name for rung in rungs.all_rungs()]),
    Ladder("transpose", "Transpose, 8192 x 8192", {"m": 8192, "n": 8192, "elem_bytes": 4},
           "gbps", "GB/s", "device_copy", "the device copy",
           ["naive", "shared_tile", "shared_tile_padded", "diagonal", "unrolled", "vectorised"],
           yardsticks=("copy", "copy_shared")),
    Ladder("sum", "Sum of 2^28 elements", {"n": 2**28, "incx": 1},
           "gbps", "GB/s", "cub::DeviceReduce::Sum", "CUB",
           ["atomic", "shared_serial", "shared_interleaved", "shared_strided", "shared_sequential",
            "warp_shuffle", "vectorised_two_level", "polled"]),
]  # fmt: skip


def explain_slower_rungs(ladder, entries, reasons):
    """{kernel: the reason} for each rung that is slower than the measured one before it."""
    measured = {family_of(entry): entry for entry in entries}
    notes = {}
    unexplained = []
    before = None
    for kernel in ladder.rungs:
        entry = measured.get(kernel)
        if entry is None:
            continue
        if before and entry["time_us"] > TOLERANCE * before["time_us"]:
            slower = 100 * (entry["time_us"] / before["time_us"] - 1)
            text = f"{slower:.0f}% slower than `{before['kernel']}`"
            notes[entry["kernel"]] = f"{text}: {reasons.get(kernel)}"
            if not reasons.get(kernel):
                unexplained.append(f"{kernel} ({text})")
        before = entry
    if unexplained:
        raise Problem(f"{REASONS} has no reason for {ladder.routine} {', '.join(unexplained)}")
    return notes


def ladder_table(ladder, measured, reasons):
    entries = [
        entry
        for entry in measured["results"]
        if ladder.has(entry) and entry["incumbent"] in (ladder.incumbent, None)
    ]
    if not entries:
        raise Problem(f"no {ladder.routine} results at {ladder.title}")
    fastest = {}
    for entry in sorted(entries, key=lambda entry: entry["time_us"]):
        fastest.setdefault(family_of(entry), entry)
    entries = [entry for entry in entries if entry is fastest[family_of(entry)]]
    skipped = [
        entry
        for entry in measured.get("skipped", [])
        if ladder.has(entry) and family_of(entry) not in fastest
    ]
    notes = explain_slower_rungs(ladder, entries, reasons)
    heads = ["Kernel", "Time (µs):", f"{ladder.unit}:", f"% of {ladder.incumbent_text}:", ""]
    cells = [
        (f"`{e['kernel']}`", f"{e['time_us']:.1f}", f"{e[ladder.rate]:.0f}",
         f"{100 * e['ratio']:.1f}" if e["ratio"] is not None else "", notes.get(e["kernel"], ""))
        for e in entries
    ]  # fmt: skip
    lines = [f"### {ladder.title}", "", *table(heads, cells)]
    for entry in skipped:
        reason = reasons.get(family_of(entry), entry["reason"])
        lines.append(f"| `{entry['kernel']}` | | | | not at this size: {reason} |")
    lines += [f"| `{rung}` | | | | newer than these results |" for rung in ladder.lacks(measured)]
    incumbent_us = next((e["incumbent_us"] for e in entries if e["incumbent_us"]), None)
    if incumbent_us:
        lines.append(f"| {ladder.incumbent_text} | {incumbent_us:.1f} | | 100.0 | |")
    return [*lines, "", provenance(measured["context"]), ""]


def gpu_of(files):
    context = next(iter(files.values()))["context"]
    return context["gpu"] or context["cpu"]


def rates_in_modes(files, parts, row_of):
    """{row: {mode or cuBLAS: text}}: rates in each mode, and of cuBLAS in the run of the strict
    one. row_of(entry): None if it is not shown."""
    cells = {}
    for mode, part in parts.items():
        for entry in results_of(files, part):
            row = row_of(entry)
            if row is not None:
                of_row = cells.setdefault(row, {})
                of_row[mode] = f"{rows.rate(entry):.1f} ({entry['ratio']:.2f} ×)"
                if mode == "strict":
                    of_row["cuBLAS"] = f"{rows.incumbent_rate(entry):.1f}"
    return cells


def columns_of(files, parts):
    modes = [mode for mode, part in parts.items() if part in files]
    return [head for mode in modes for head in ([mode, "cuBLAS"] if mode == "strict" else [mode])]


def rates_of_squares(results):
    """TFLOP/s of NN squares."""
    files = measurements.latest_files(results, MODES.values())
    if not files:
        return []

    def side_of(entry):
        is_shown = is_square(entry) and form_of(entry) == "NN" and entry["m"] in SIDES
        return entry["m"] if is_shown and entry["incumbent"] == "cublasSgemm" else None

    cells = rates_in_modes(files, MODES, side_of)
    commits = {m: files[part]["context"]["commit"] for m, part in MODES.items() if part in files}
    measured_at = ", ".join(f"{mode} at {commit}" for mode, commit in commits.items())
    if len(set(commits.values())) == 1:
        measured_at = f"at {next(iter(commits.values()))}"
    return [
        "TFLOP/s of `mysgemm` with m = n = k, nothing transposed; in brackets, the speed relative "
        "to cuBLAS in FP32:",
        "",
        *pivot(["m = n = k:"], dict(sorted(cells.items())), columns_of(files, MODES)),
        "",
        f"Measured on one {gpu_of(files)} ({measured_at}); commands and conditions are on the "
        f"[performance page](docs/performance.md).",
        "",
    ]


def rates_of_level3(results):
    """TFLOP/s of the first form of each routine."""
    files = measurements.latest_files(results, LEVEL3_MODES.values())
    if not files:
        return []
    first = {}

    def name_of(entry):
        form = first.setdefault(entry["routine"], form_of(entry))
        is_shown = form_of(entry) == form and is_square(entry) and entry["n"] in LEVEL3_SIDES
        is_other = not (entry["incumbent"] or "myblas").startswith("myblas")
        return (f"{entry['routine']} {form}", entry["n"]) if is_shown and is_other else None

    cells = rates_in_modes(files, LEVEL3_MODES, name_of)
    return [
        f"The other routines of level 3 on the {gpu_of(files)}, m = n (= k), in TFLOP/s:",
        "",
        *pivot(["", "n:"], cells, columns_of(files, LEVEL3_MODES)),
        "",
    ]


def row_of(title, incumbent, entries):
    summary = Summary(entries)
    return title, incumbent, summary.cases, f"{summary.mean:.2f}", f"{summary.worst['ratio']:.2f}"


def rows_by_incumbent(title, entries):
    """A row for each other library. Only the performance page compares modes with each other."""
    return [
        row_of(title, incumbent, group)
        for (_, incumbent), group in by_incumbent(entries).items()
        if not incumbent.startswith("myblas")
    ]


def ratios_of_blas(files):
    # Routines that copy also have ratios to the device copy, which are left out here.
    of_parts = {
        title: [e for e in results_of(files, part) if e["ratio"] and against_cublas(e)]
        for part, title in BLAS_SWEEPS
    }
    return [row_of(title, "cuBLAS", entries) for title, entries in of_parts.items() if entries]


def ratios_of_sweeps(results):
    others = ["sgemm_batched", *(part for part, _ in RANDOM_SWEEPS + BLAS_SWEEPS)]
    files = measurements.latest_files(results, [part for part, _ in SWEEPS], others)
    lines = []
    if not files:
        return lines
    for part, title in SWEEPS:
        for group in files[part]["summary"] if part in files else []:
            if not group["incumbent"].startswith("myblas"):
                lines.append(
                    (f"{group['routine']}, {title}", group["incumbent"], group["cases"],
                     f"{group['geometric_mean']:.2f}", f"{group['worst']['ratio']:.2f}")
                )  # fmt: skip
        if part == "sgemm_strict_misaligned":
            lines += batches(results_of(files, "sgemm_batched"))
    for part, title in RANDOM_SWEEPS:
        lines += rows_by_incumbent(f"{title}, random shapes", results_of(files, part))
    lines += ratios_of_blas(files)
    return [
        f"Speed on the {gpu_of(files)} relative to other libraries (2.00: twice as fast), over "
        "lists of shapes; `device_copy` is a plain copy of as many bytes:",
        "",
        *table(["Sweep", "Against", "Cases:", "Geometric mean:", "Lowest:"], lines),
        "",
    ]


def batches(entries):
    lines = []
    for title, is_published in (("published squares", True), ("ragged sides", False)):
        members = [entry for entry in entries if is_square(entry) == is_published]
        lines += rows_by_incumbent(f"sgemm, strict, batches of {title}", members)
    return lines


ON_FIRST_PAGE = ("cuBLASMp", "PyTorch DTensor", "JAX")
ON_THEIR_PAGE = (*ON_FIRST_PAGE, "BLAS of host matrices", "ScaLAPACK")


def engines_in_brief(results):
    """Of programs on several GPUs, for the README."""
    found = engine_tables.machines(gpu_folders(results))
    if not found:
        return []
    measured = found[0]
    return [
        f"Programs that know nothing of myblas on {measured['context']['gpu']}, plain and under "
        "`myblas-run`; in brackets, how many times as fast as plain "
        "([more](docs/several_gpus.md#what-was-measured)):",
        "",
        *engine_tables.summary(measured, ON_FIRST_PAGE),
        "",
    ]


def engines(results):
    found = engine_tables.machines(gpu_folders(results))
    if not found:
        return ["No engine was measured on several GPUs yet.", ""]
    lines = [
        "`bench/engines/measure.py` starts each engine plain and in each mode, and compares its "
        "results with double precision. The tables have the largest size of each kind of work, on "
        "one GPU and on the most; in brackets, how many times as fast as plain. The "
        "[performance page](performance.md) has all sizes, the errors and the calls of each run, "
        "and a plot.",
        "",
    ]
    for measured in found:
        context = measured["context"]
        lines += [f"{context['gpu']}, commit {context['commit']}:", ""]
        lines += [*engine_tables.summary(measured, ON_THEIR_PAGE), ""]
    for measured in found:
        if limits := engine_tables.reduce_scatter(measured):
            lines += [
                f"GEMM+RS on two of {measured['context']['gpu']}, if nothing overlaps: half of "
                "one GPU's time for the product, and a reduce-scatter of D at the rate of the "
                "all-reduce that was measured there:",
                "",
                *limits,
                "",
            ]
    return lines


def ladders(results):
    reasons_file = ROOT / REASONS
    reasons = load(reasons_file) if reasons_file.exists() else {}
    lines = []
    for ladder in LADDERS:
        lines += ladder_table(ladder, ladder.results(results), reasons.get(ladder.routine, {}))
    return lines


def replace(text, name, lines, page):
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise Problem(f"{page} needs one {begin} followed by one {end}")
    block = "\n".join([begin, "", *lines, end])
    return text[: text.index(begin)] + block + text[text.index(end) + len(end) :]


def present(page, name, lines, is_check):
    try:
        text = page.read_text()
    except FileNotFoundError:
        raise Problem(f"{page} is missing") from None
    wanted = replace(text, name, lines, page)
    if not is_check:
        page.write_text(wanted)
    elif text != wanted:
        raise Problem(f"{page} is out of date: run bench/render.py")


def parts_of_pages(results):
    """(page, the name of its marked part, the lines of the part) of each part."""
    sweeps = [rates_of_squares, rates_of_level3, engines_in_brief, ratios_of_sweeps]
    sgemm = rungs.all_rungs()
    files = measurements.latest_files(results, [python_tables.PART])
    return [
        ("README.md", "sweeps", [line for lines in sweeps for line in lines(results)]),
        ("docs/ladder.md", "overview", rungs.overview(sgemm)),
        ("docs/ladder.md", "rungs", rungs.sections(sgemm)),
        ("docs/ladder.md", "ladder", ladders(results)),
        ("docs/python.md", "measured", python_tables.of_package(files)),
        ("docs/porting.md", "measured", python_tables.of_emulation(files)),
        ("docs/several_gpus.md", "engines", engines(results)),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="fail if a page is out of date")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="has README.md and docs")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / RESULTS)
    arguments = parser.parse_args()

    def present_all():
        for page, name, lines in parts_of_pages(arguments.results):
            present(arguments.root / page, name, lines, arguments.check)

    return measurements.run("render.py", present_all)


if __name__ == "__main__":
    sys.exit(main())
