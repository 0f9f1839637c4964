"""python -m myblas plot: pictures of what `myblas-bench --json FILE` measured, or a sketch as
text.
"""

from __future__ import annotations

import argparse
import json
import math
import pathlib
import sys

SKETCH_WIDTH = 40  # characters of the longest bar


class Unreadable(Exception):
    """A file has no results of myblas-bench. The message names it."""


class Run:
    """The measurements of a file."""

    def __init__(self, file):
        try:
            content = json.loads(pathlib.Path(file).read_text())
            self.context = dict(content["context"])
            self.rows = [row for row in content["results"] if row["time_us"] > 0]
        except OSError as error:
            raise Unreadable(f"{file}: {error.strerror}") from None
        except (ValueError, KeyError, TypeError):
            raise Unreadable(f"{file}: no results of myblas-bench --json") from None
        if not self.rows:
            raise Unreadable(f"{file}: it has no measurement")
        where = self.context.get("gpu") or self.context.get("cpu") or self.context.get("backend")
        self.title = f"{pathlib.Path(file).name}: {where}, commit {self.context.get('commit')}"

    def ceiling(self, name):
        """A measured limit of the machine in Gflop/s or GB/s, or None."""
        return (self.context.get("ceilings") or {}).get(name)

    def has(self, key):
        return any(row.get(key) is not None for row in self.rows)


def size(row):
    """The side of a cube (of a square, of a line) with as many index combinations as the case."""
    sides = [row[key] for key in ("m", "n", "k") if row.get(key)]
    return math.prod(sides) ** (1 / len(sides)) if sides else 1


def intensity(row):
    """Flops for each byte of the operands, all moved once; None if the case is no product."""
    if row["routine"] not in ("sgemm", "sgemmFused"):
        return None
    m, n, k = row["m"], row["n"], row["k"]
    return 2 * m * n * k / (4 * (m * k + k * n + m * n))


def series(run, value):
    """The rows that have a value, by routine, math mode and incumbent, each ordered by size."""
    found = {}
    for row in run.rows:
        if row.get(value) is not None:
            name = f"{row['routine']} {row.get('math') or ''}".strip()
            if value == "ratio":
                name += f" / {row['incumbent']}"
            found.setdefault(name, []).append(row)
    return {name: sorted(rows, key=size) for name, rows in found.items()}


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values))


def sketch(runs):
    """The ratios, or without an incumbent the rates, as bars of text: a line for each octave of
    sizes.
    """
    lines = []
    for run in runs:
        lines.append(run.title)
        value, unit = next(
            (
                pair
                for pair in (("ratio", " x"), ("gflops", " Gflop/s"), ("gbps", " GB/s"))
                if run.has(pair[0])
            ),
            ("time_us", " us"),
        )
        for name, rows in series(run, value).items():
            octaves = {}
            for row in rows:
                if row[value] > 0:
                    octaves.setdefault(round(math.log2(size(row))), []).append(row[value])
            means = {octave: geometric_mean(values) for octave, values in octaves.items()}
            if not means:
                continue
            longest = max(means.values())
            lines.append(f"  {name}")
            for octave, mean in sorted(means.items()):
                bar = list("#" * max(1, round(SKETCH_WIDTH * mean / longest)))
                at_one = round(SKETCH_WIDTH / longest)  # where both are equally fast
                if value == "ratio" and at_one <= SKETCH_WIDTH:
                    bar += [" "] * (at_one + 1 - len(bar))
                    bar[at_one] = "|"
                lines.append(f"  {2**octave:>10} {mean:>10.4g}{unit} {''.join(bar)}")
    if len(runs) == 2:
        lines += compared(*runs)
    return "\n".join(lines)


def case(row):
    return tuple(
        (key, str(value))
        for key, value in row.items()
        if key
        in (
            "routine",
            "transa",
            "transb",
            "side",
            "uplo",
            "diag",
            "m",
            "n",
            "k",
            "batch",
            "math",
            "lda",
            "ldb",
            "ldc",
            "offset",
        )
    )


def compared(before, after):
    """How much faster the second run is, for each routine and mode, over the cases that both
    have.
    """
    times = {case(row): row["time_us"] for row in before.rows}
    speedups = {}
    for row in after.rows:
        if case(row) in times:
            name = f"{row['routine']} {row.get('math') or ''}".strip()
            speedups.setdefault(name, {})[case(row)] = times[case(row)] / row["time_us"]
    if not speedups:
        return ["The runs have no case in common."]
    return ["The second run against the first, time by time (above 1: the second is faster):"] + [
        f"  {name}: {geometric_mean(by_case.values()):.3f} over {len(by_case)} cases, "
        f"{min(by_case.values()):.3f} to {max(by_case.values()):.3f}"
        for name, by_case in speedups.items()
    ]


def _draw_series(axes, run, value, label):
    for name, rows in series(run, value).items():
        axes.plot([size(row) for row in rows], [row[value] for row in rows], ".-", label=name)
    axes.set_xscale("log", base=2)
    axes.set_xlabel("size: geometric mean of m, n, k")
    axes.set_ylabel(label)


def _draw_ratio(axes, run):
    _draw_series(axes, run, "ratio", "speed relative to the incumbent")
    axes.axhline(1, color="black", linewidth=0.8)


def _draw_roofline(axes, run):
    groups = {}
    for row in run.rows:
        if intensity(row) is not None and row.get("gflops"):
            groups.setdefault(row.get("math") or "strict", []).append(row)
    highest = 1.0
    for name, rows in groups.items():
        points = [intensity(row) for row in rows]
        highest = max(highest, *points)
        axes.plot(points, [row["gflops"] for row in rows], ".", label=f"products, {name}")
    peak, bandwidth = run.ceiling("fma_gflops"), run.ceiling("copy_gbps")
    if groups and peak and bandwidth:
        low = min([intensity(row) for rows in groups.values() for row in rows])
        ends = sorted({low, peak / bandwidth, highest})
        axes.plot(
            ends,
            [min(peak, bandwidth * x) for x in ends],
            color="black",
            linewidth=0.8,
            label="FP32 and copy, measured",
        )
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("flop per byte of the operands")
    axes.set_ylabel("Gflop/s")


def draw(runs, file):
    """A picture with a column for each run; the format follows the name. Needs matplotlib."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    panels = []
    if any(run.has("ratio") for run in runs):
        panels.append(_draw_ratio)
    for value, label in (("gflops", "Gflop/s"), ("gbps", "GB/s")):
        if any(run.has(value) for run in runs):
            panels.append(
                lambda axes, run, value=value, label=label: _draw_series(axes, run, value, label)
            )
    if any(intensity(row) is not None and row.get("gflops") for run in runs for row in run.rows):
        panels.append(_draw_roofline)
    if not panels:
        panels.append(lambda axes, run: _draw_series(axes, run, "time_us", "time in us"))
    figure, grid = pyplot.subplots(
        len(panels),
        len(runs),
        squeeze=False,
        sharex="row",
        sharey="row",
        figsize=(7 * len(runs), 4 * len(panels)),
        layout="constrained",
    )
    for column, run in enumerate(runs):
        grid[0][column].set_title(run.title, fontsize="small")
        for row, panel in enumerate(panels):
            axes = grid[row][column]
            panel(axes, run)
            axes.grid(True, alpha=0.3)
            if 0 < len(axes.get_legend_handles_labels()[0]) <= 12:
                axes.legend(fontsize="x-small")
    figure.savefig(file)
    pyplot.close(figure)


def main(arguments):
    parser = argparse.ArgumentParser(
        prog="python -m myblas plot",
        description=(
            "Draws what myblas-bench --json FILE measured: ratios and rates over the size, and a "
            "roofline; two runs side by side."
        ),
    )
    parser.add_argument("file", help="a file that myblas-bench --json wrote")
    parser.add_argument(
        "second", nargs="?", help="another one, drawn beside the first and compared"
    )
    parser.add_argument(
        "-o",
        "--output",
        help="the picture; its name ends in .svg, .png or .pdf (default: FILE with .svg)",
    )
    parser.add_argument(
        "--text", action="store_true", help="only a sketch as text; needs no matplotlib"
    )
    options = parser.parse_args(arguments)
    output = options.output or str(pathlib.Path(options.file).with_suffix(".svg"))
    if pathlib.Path(output).suffix not in (".svg", ".png", ".pdf"):
        parser.error(f"{output}: the name of a picture ends in .svg, .png or .pdf")
    try:
        runs = [Run(file) for file in (options.file, options.second) if file]
    except Unreadable as error:
        print(f"python -m myblas plot: {error}", file=sys.stderr)
        return 2
    print(sketch(runs))
    if options.text:
        return 0
    try:
        draw(runs, output)
    except ImportError:
        print("No picture: matplotlib is not installed (pip install matplotlib).", file=sys.stderr)
        return 1 if options.output else 0
    except OSError as error:
        print(f"{output}: {error.strerror}", file=sys.stderr)
        return 1
    print(f"\nwritten: {output}")
    return 0
