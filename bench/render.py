#!/usr/bin/env python3
"""Writes the README's tables from the results that myblas-bench measured.

Between the markers <!-- sweeps:begin --> and <!-- sweeps:end -->, <!-- ladder:begin --> and <!-- ladder:end -->
stands what this program writes and nothing else. --check changes nothing and fails if the README says
something else.
"""

import argparse
import pathlib
import sys

from measurements import RESULTS, ROOT, Problem, load, provenance, run

REASONS = "reasons.json"  # {routine: {kernel: why it is slower than the rung before, or skipped}}

# A rung counts as slower only beyond the spread between two runs of the same kernel.
TOLERANCE = 1.01


class Ladder:
    """What one table shows: which results, which rate, against what."""

    def __init__(
        self, routine, title, sizes, rate, unit, incumbent, incumbent_text, rungs, yardsticks=""
    ):
        self.routine = routine
        self.title = title
        self.sizes = sizes
        self.rate = rate
        self.unit = unit
        self.incumbent = incumbent
        self.incumbent_text = incumbent_text
        self.rungs = rungs.split()  # each an idea on top of the one before
        self.yardsticks = yardsticks.split()  # kernels that do less than the routine

    def has(self, entry):
        """Kernels for other shapes or modes are not in the table, but in the results."""
        return entry["kernel"] in self.rungs + self.yardsticks and all(
            entry.get(name) == value for name, value in self.sizes.items()
        )


# Sweeps over many shapes: (file, of what).
SWEEPS = [
    ("sgemm_strict_public", "strict, published shapes"),
    ("sgemm_strict_misaligned", "strict, misaligned operands"),
    ("sgemm_strict_random", "strict, random shapes"),
    ("sgemm_batched", "strict, batches"),
    ("sgemm_emulated_public", "emulated, published shapes"),
    ("sgemm_fast_public", "fast, published shapes"),
    ("transpose_random", "random shapes"),
    ("sum", "powers of two"),
    ("histogram", "uniform, skewed and constant bytes"),
]

# Squares: {mode: file}.
MODES = {
    "strict": "sgemm_strict_public",
    "emulated": "sgemm_emulated_public",
    "fast": "sgemm_fast_public",
}
SIDES = (512, 1024, 2048, 4096, 8192)

LADDERS = [
    Ladder(
        "sgemm",
        "SGEMM, m = n = k = 4096, NN",
        {"m": 4096, "n": 4096, "k": 4096, "transa": "N", "transb": "N"},
        "gflops",
        "GFLOP/s",
        "cublasSgemm",
        "cuBLAS",
        "naive coalesced grid_stride shared_rows shared_tile shared_tile_grid_stride"
        " register_tile_strided register_tile register_tile_2x2 vectorised double_buffered warp_tile"
        " split_k stream_k",
    ),
    Ladder(
        "transpose",
        "Transpose, 8192 x 8192",
        {"m": 8192, "n": 8192, "elem_bytes": 4},
        "gbps",
        "GB/s",
        "device_copy",
        "the device copy",
        "naive shared_tile shared_tile_padded diagonal unrolled vectorised",
        yardsticks="copy copy_shared",
    ),
    Ladder(
        "sum",
        "Sum of 2^28 elements",
        {"n": 2**28, "incx": 1},
        "gbps",
        "GB/s",
        "cub::DeviceReduce::Sum",
        "CUB",
        "atomic shared_serial shared_interleaved shared_strided shared_sequential warp_shuffle"
        " vectorised_two_level polled",
    ),
]


def explain_slower_rungs(ladder, entries, reasons):
    """{kernel: what to say of it} for each rung that is slower than the measured one before it."""
    measured = {entry["kernel"]: entry for entry in entries}
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
            notes[kernel] = f"{text}: {reasons.get(kernel)}"
            if not reasons.get(kernel):
                unexplained.append(f"{kernel} ({text})")
        before = entry
    if unexplained:
        raise Problem(
            f"{RESULTS / REASONS} has no reason for {ladder.routine} {', '.join(unexplained)}"
        )
    return notes


def table(ladder, measured, reasons):
    entries = [
        entry
        for entry in measured["results"]
        if ladder.has(entry) and entry["incumbent"] in (ladder.incumbent, None)
    ]
    if not entries:
        raise Problem(f"no {ladder.routine} results at {ladder.title}")
    skipped = [entry for entry in measured.get("skipped", []) if ladder.has(entry)]
    missing = set(ladder.rungs) - {entry["kernel"] for entry in entries + skipped}
    if missing:
        raise Problem(f"the {ladder.routine} results lack {', '.join(sorted(missing))}")
    notes = explain_slower_rungs(ladder, entries, reasons)
    lines = [
        f"### {ladder.title}",
        "",
        f"| Kernel | Time (µs) | {ladder.unit} | % of {ladder.incumbent_text} | |",
        "| --- | ---: | ---: | ---: | --- |",
    ]
    for entry in entries:
        ratio = f"{100 * entry['ratio']:.1f}" if entry["ratio"] is not None else ""
        lines.append(
            f"| `{entry['kernel']}` | {entry['time_us']:.1f} | {entry[ladder.rate]:.0f} "
            f"| {ratio} | {notes.get(entry['kernel'], '')} |"
        )
    for entry in skipped:
        reason = reasons.get(entry["kernel"], entry["reason"])
        lines.append(f"| `{entry['kernel']}` | | | | not at this size: {reason} |")
    incumbent_us = next((e["incumbent_us"] for e in entries if e["incumbent_us"]), None)
    if incumbent_us:
        lines.append(f"| {ladder.incumbent_text} | {incumbent_us:.1f} | | 100.0 | |")
    lines += [
        "",
        provenance(measured["context"]),
        "",
    ]
    return lines


def load_if_there(part):
    path = ROOT / RESULTS / f"{part}.json"
    return load(path) if path.exists() else None


def rates_of_squares():
    """TFLOP/s of NN squares in each mode, and of cuBLAS in the run of the strict mode."""
    columns = {}  # {head: {side: cell}}
    commits = {}
    for mode, part in MODES.items():
        measured = load_if_there(part)
        if measured is None:
            continue
        commits[mode] = measured["context"]["commit"]
        squares = {
            entry["m"]: entry
            for entry in measured["results"]
            if entry["m"] == entry["n"] == entry["k"]
            and entry["transa"] + entry["transb"] == "NN"
            and entry["incumbent"] == "cublasSgemm"
        }
        for side in set(SIDES) & set(squares):
            entry = squares[side]
            rate = 2e-6 * side**3
            columns.setdefault(mode, {})[side] = (
                f"{rate / entry['time_us']:.1f} ({entry['ratio']:.2f} ×)"
            )
            if mode == "strict":
                columns.setdefault("cuBLAS", {})[side] = f"{rate / entry['incumbent_us']:.1f}"
    sides = [side for side in SIDES if any(side in column for column in columns.values())]
    measured_at = ", ".join(f"{mode} at {commit}" for mode, commit in commits.items())
    return [
        "TFLOP/s of whole calls with m = n = k, NN; in brackets, cuBLAS's time in FP32 by ours in the same run:",
        "",
        f"| m = n = k | {' | '.join(columns)} |",
        "| ---: |" + " ---: |" * len(columns),
        *(
            f"| {side} | {' | '.join(column.get(side, '') for column in columns.values())} |"
            for side in sides
        ),
        "",
        f"Measured on one H100 ({measured_at}); commands and conditions are on the performance page.",
        "",
    ]


def ratios_of_sweeps():
    lines = [
        "Ratios, the incumbent's time by ours, over all cases of a sweep:",
        "",
        "| Sweep | Against | Cases | Geometric mean | Least |",
        "| --- | --- | ---: | ---: | ---: |",
    ]
    for part, title in SWEEPS:
        measured = load_if_there(part)
        for group in measured["summary"] if measured else []:
            lines.append(
                f"| {group['routine']}, {title} | {group['incumbent']} | {group['cases']} "
                f"| {group['geometric_mean']:.2f} | {group['worst']['ratio']:.2f} |"
            )
    return lines + [""]


def ladders():
    reasons_file = ROOT / RESULTS / REASONS
    reasons = load(reasons_file) if reasons_file.exists() else {}
    lines = []
    for ladder in LADDERS:
        measured = load(ROOT / RESULTS / f"ladder_{ladder.routine}.json")
        lines += table(ladder, measured, reasons.get(ladder.routine, {}))
    return lines


def replace(text, name, lines, readme):
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise Problem(f"{readme} needs one {begin} followed by one {end}")
    block = "\n".join([begin, "", *lines, end])
    return text[: text.index(begin)] + block + text[text.index(end) + len(end) :]


def present(readme, is_check):
    try:
        text = readme.read_text()
    except FileNotFoundError:
        raise Problem(f"{readme} is missing") from None
    wanted = replace(text, "sweeps", rates_of_squares() + ratios_of_sweeps(), readme)
    wanted = replace(wanted, "ladder", ladders(), readme)
    if not is_check:
        readme.write_text(wanted)
    elif text != wanted:
        raise Problem(f"{readme} is out of date: run bench/render.py")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="fail if the README is out of date")
    parser.add_argument("--readme", type=pathlib.Path, default=ROOT / "README.md")
    arguments = parser.parse_args()
    return run("render.py", lambda: present(arguments.readme, arguments.check))


if __name__ == "__main__":
    sys.exit(main())
