#!/usr/bin/env python3
"""Writes docs/performance.md and the plots that it shows from the results that myblas-bench measured.

A section whose results are not there is left out. --check changes nothing and fails if the page says
something else, or if a plot was drawn from other results; it needs no Matplotlib.
"""

import argparse
import hashlib
import io
import pathlib
import sys

import substitution_tables
import svg
from measurements import RESULTS, ROOT, Problem, load, provenance, run

PAGE = pathlib.Path("docs/performance.md")  # relative to ROOT
PLOTS = "plots"  # a folder beside the page

INTRODUCTION = """\
# Performance

Written by `bench/performance.py` from the JSON in `bench/results/h100`, which `bench/run_h100.sh` measures: medians,
the library and its incumbents in turn in one process, on the same random data, every result verified. A ratio is
the incumbent's time by ours: above 1, this library is faster.
"""

OURS = "myblas"


# ---- What a row says -----------------------------------------------------------------------------


def name_of(entry):
    if "k" in entry:
        return f"{form_of(entry)} {entry['m']} × {entry['n']} × {entry['k']}"
    return f"{entry['m']} × {entry['n']}"


def form_of(entry):
    return entry["transa"] + entry["transb"]


def is_square(entry):
    return entry["m"] == entry["n"] == entry["k"]


def flops(entry):
    return 2 * entry["m"] * entry["n"] * entry["k"] * entry["batch"]


def payload_bytes(entry):
    return entry.get("m", 1) * entry["n"] * entry["elem_bytes"]


def rate(entry, time="time_us"):
    """TFLOP/s of a product, else GB/s."""
    if "k" in entry:
        return flops(entry) / entry[time] / 1e6
    passes = 2 if entry["routine"] == "transpose" else 1
    return passes * payload_bytes(entry) / entry[time] / 1e3


def incumbent_rate(entry):
    return rate(entry, "incumbent_us")


def gather(entries, label, x, y):
    """{label: [(x, y)]} in the order of the rows; label, x and y are functions of a row."""
    series = {}
    for entry in entries:
        series.setdefault(label(entry), []).append((x(entry), y(entry)))
    return series


def with_ours(entries, x):
    """The rates of the incumbents, and ours once for each case."""
    series = gather(entries, lambda e: OURS, x, rate)
    series = {label: list(dict(points).items()) for label, points in series.items()}
    return series | gather(entries, lambda e: e["incumbent"], x, incumbent_rate)


# ---- Plots ---------------------------------------------------------------------------------------


class Plot:
    """One picture: `draw` gets as many axes as there are columns, and the rows that are wanted."""

    def __init__(self, name, caption, draw, wanted=lambda entry: True, columns=1):
        self.name = name
        self.caption = caption
        self.draw = draw
        self.wanted = wanted
        self.columns = columns


def draw_lines(axis, series, x_label):
    for label, points in series.items():
        axis.plot(*zip(*sorted(points)), marker="o", markersize=3, label=label)
    axis.set_xlabel(x_label)
    axis.set_xscale("log", base=2)
    if series:
        axis.legend()


def label_plainly(axis):
    """On a logarithmic axis 2 and 0.5, not powers of 10."""
    from matplotlib.ticker import LogFormatter

    axis.set_major_formatter(LogFormatter())
    axis.set_minor_formatter(LogFormatter())


def draw_square_rates(axes, entries):
    for axis, form in zip(axes, ("NN", "NT", "TN", "TT")):
        of_form = [entry for entry in entries if form_of(entry) == form]
        draw_lines(axis, with_ours(of_form, lambda e: e["n"]), "m = n = k")
        axis.set(title=form, ylim=(0, None))
    axes[0].set_ylabel("TFLOP/s")


def draw_vector_rates(axes, entries):
    for axis, routine in zip(axes, ("sum", "asum")):
        of_routine = [entry for entry in entries if entry["routine"] == routine]
        draw_lines(axis, with_ours(of_routine, lambda e: e["n"]), "n")
        axis.set(title=routine, yscale="log")
    axes[0].set_ylabel("GB/s")
    label_plainly(axes[0].yaxis)


def draw_ratio_lines(label, x_label):
    def draw(axes, entries):
        series = gather(entries, label, lambda e: e["n"], lambda e: e["ratio"])
        draw_lines(axes[0], series, x_label)
        axes[0].axhline(1, color="black", linewidth=0.8)
        axes[0].set_ylabel("ratio")

    return draw


def draw_ratios(label, x, x_label):
    def draw(axes, entries):
        for series, points in gather(entries, label, x, lambda e: e["ratio"]).items():
            axes[0].scatter(*zip(*points), s=10, label=series)
        axes[0].axhline(1, color="black", linewidth=0.8)
        axes[0].set(xlabel=x_label, ylabel="ratio", xscale="log", yscale="log")
        axes[0].legend()
        label_plainly(axes[0].yaxis)

    return draw


def draw_bars(axis, bars, label, origin):
    names = list(dict.fromkeys(name for points in bars.values() for name, _ in points))
    thickness = 0.8 / len(bars)
    for i, (series, points) in enumerate(bars.items()):
        rows = [names.index(name) + i * thickness for name, _ in points]
        lengths = [value - origin for _, value in points]
        axis.barh(rows, lengths, left=origin, height=thickness, label=series)
    axis.set_yticks([row + 0.4 - thickness / 2 for row in range(len(names))], labels=names)
    axis.margins(y=0.01)
    axis.invert_yaxis()
    axis.set_xlabel(label)
    axis.legend()
    axis.figure.set_figheight(1.2 + 0.14 * len(names) * (len(bars) + 0.5))


def draw_ratios_by_name(axes, entries):
    ratios = gather(entries, lambda e: e["incumbent"], name_of, lambda e: e["ratio"])
    draw_bars(axes[0], ratios, "ratio", origin=1)
    axes[0].set_xscale("log")
    label_plainly(axes[0].xaxis)


def draw_rates_by_name(axes, entries):
    draw_bars(axes[0], with_ours(entries, name_of), "GB/s", origin=0)


def draw_times_by_routine(axes, entries):
    ours = {OURS: list({entry["routine"]: entry["time_us"] for entry in entries}.items())}
    theirs = gather(
        entries, lambda e: e["incumbent"], lambda e: e["routine"], lambda e: e["incumbent_us"]
    )
    draw_bars(axes[0], ours | theirs, "microseconds", origin=0)


def draw_error_ratios(axes, entries):
    kinds = list(dict.fromkeys(entry["data"] for entry in entries))
    contenders = list(dict.fromkeys(entry["contender"] for entry in entries))
    for axis, error in zip(axes, ("max", "mean")):
        for i, contender in enumerate(contenders):
            points = [
                (entry[f"{error}_ratio"], kinds.index(entry["data"]) + 0.15 * i)
                for entry in entries
                # TF32 overflows near the largest floats: such an error is the text "inf".
                if entry["contender"] == contender and isinstance(entry[f"{error}_ratio"], float)
            ]
            # The first contender is what the others are held against.
            if points and i > 0:
                axis.scatter(*zip(*points), s=6, label=contender)
        axis.axvline(1, color="black", linewidth=0.8)
        axis.set(xlabel=f"{error} error / that of {contenders[0]}", xscale="log")
        axis.set_yticks([row + 0.3 for row in range(len(kinds))], labels=kinds)
    axes[0].invert_yaxis()
    axes[0].legend()
    axes[0].figure.set_figheight(1.2 + 0.3 * len(kinds))


DRAWN_DATA = ("uniform", "positive", "lognormal-8")


def draw_errors_by_k(axes, entries):
    for axis, kind in zip(axes, DRAWN_DATA):
        of_kind = [entry for entry in entries if entry["data"] == kind]
        for error, style in (("max_ulp", "-"), ("mean_ulp", "--")):
            series = gather(of_kind, lambda e: e["contender"], lambda e: e["k"], lambda e: e[error])
            for i, (label, points) in enumerate(series.items()):
                label = label if style == "-" else None
                axis.plot(*zip(*sorted(points)), style, color=f"C{i}", linewidth=1, label=label)
        axis.set(title=kind, xlabel="k", yscale="log")
        axis.set_xscale("log", base=2)
    axes[0].set_ylabel("|C - AB| / |A||B|, units of 2^-24")
    axes[-1].legend(loc="center")


def misalignment(entry):
    return "one element off" if entry["offset"] else "leading dimensions + 1"


def batch_form(entry):
    return f"{form_of(entry)}, {'pointers' if entry['pointer_array'] else 'strides'}"


def comparison(entry):
    return f"{entry['routine']} against {entry['incumbent']}"


def plain(entry):
    is_tight = entry["lda"] == entry["m"] and entry["ldb"] == entry["n"]
    return entry["elem_bytes"] == 4 and entry["offset"] == 0 and is_tight


class Section:
    def __init__(self, part, title, plots):
        self.part = part  # of run_h100.sh: the name of its file
        self.title = title
        self.plots = plots

    def lines(self, measured):
        return summary_table(measured["summary"])

    def entries(self, measured):
        return [entry for entry in measured["results"] if entry["ratio"]]


class AccuracySection(Section):
    def lines(self, measured):
        return accuracy_tables(measured["summary"], self.entries(measured))

    def entries(self, measured):
        """The modes and the other libraries, without the kernels that were forced."""
        return [entry for entry in measured["results"] if entry["contender"] != entry.get("kernel")]


def transpose_section(part, title):
    return Section(
        part,
        title,
        [
            Plot(f"{part}_rates", "The published shapes, elements of 4 bytes", draw_rates_by_name,
                 lambda e: plain(e) and not e["in_place"]),
            Plot(f"{part}_ratios", "All forms: padded, misaligned, other elements, in place",
                 draw_ratios(lambda e: e["incumbent"], payload_bytes, "bytes of the matrix")),
        ],
    )  # fmt: skip


def mode_section(part, title):
    return Section(
        part,
        title,
        [
            Plot(f"{part}_squares", "Rates of squares", draw_square_rates, is_square, columns=4),
            Plot(f"{part}_rectangles", "Ratios of rectangles", draw_ratios_by_name,
                 lambda e: not is_square(e)),
        ],
    )  # fmt: skip


def sum_section(part, title):
    return Section(
        part,
        title,
        [
            Plot(f"{part}_rates", "Rates by length", draw_vector_rates, columns=2),
            Plot(f"{part}_ratios", "Ratios by length", draw_ratio_lines(comparison, "n")),
        ],
    )


SECTIONS = [
    Section(
        "sgemm_strict_public",
        "Strict SGEMM, the published shapes",
        [
            Plot("sgemm_squares", "Rates of squares", draw_square_rates, is_square, columns=4),
            Plot("sgemm_square_ratios", "Ratios of squares",
                 draw_ratio_lines(form_of, "m = n = k"), is_square),
            Plot("sgemm_rectangles", "Ratios of rectangles", draw_ratios_by_name, lambda e: not is_square(e)),
        ],
    ),
    Section(
        "sgemm_strict_misaligned",
        "Strict SGEMM, misaligned operands",
        [Plot("sgemm_misaligned", "By work", draw_ratios(misalignment, flops, "flop"))],
    ),
    Section(
        "sgemm_strict_random",
        "Strict SGEMM, random shapes",
        [Plot("sgemm_random", "By work", draw_ratios(form_of, flops, "flop"))],
    ),
    mode_section("sgemm_emulated_public", "Emulated SGEMM, the published shapes"),
    mode_section("sgemm_fast_public", "Fast SGEMM, the published shapes"),
    AccuracySection(
        "sgemm_accuracy",
        "Accuracy of SGEMM",
        [
            Plot("sgemm_accuracy", "Errors by those of cuBLAS FP32, all sizes", draw_error_ratios, columns=2),
            Plot("sgemm_accuracy_by_k", "Largest errors (lines) and mean errors (dashed), m = n = 2048",
                 draw_errors_by_k, lambda e: e["n"] == 2048 and e["data"] in DRAWN_DATA,
                 columns=len(DRAWN_DATA)),
        ],
    ),
    Section(
        "sgemm_batched",
        "Strict SGEMM, batches",
        [Plot("sgemm_batched", "By size", draw_ratio_lines(batch_form, "m = n = k"))],
    ),
    transpose_section("transpose", "Transpose"),
    transpose_section("transpose_cold", "Transpose, caches emptied"),
    Section(
        "transpose_random",
        "Transpose, random shapes",
        [
            Plot("transpose_random", "By size",
                 draw_ratios(lambda e: e["incumbent"], payload_bytes, "bytes of the matrix")),
        ],
    ),
    sum_section("sum", "Sum"),
    sum_section("sum_cold", "Sum, caches emptied"),
    Section(
        "gemsum",
        "Row and column sums",
        [
            Plot("gemsum", "By size",
                 draw_ratios(lambda e: f"{e['transa']} against {e['incumbent']}", payload_bytes,
                             "bytes of the matrix")),
        ],
    ),
    Section(
        "histogram",
        "Histogram of bytes",
        [Plot("histogram", "Ratios by length", draw_ratio_lines(lambda e: e["data"], "n"))],
    ),
    Section(
        "enqueue",
        "What an asynchronous call takes of the host's time",
        [Plot("enqueue", "By routine, m = n = k = 512", draw_times_by_routine)],
    ),
]  # fmt: skip


def draw(plot, entries, digest, path):
    try:
        import matplotlib
    except ImportError:
        raise Problem("the plots need Matplotlib (Debian: python3-matplotlib)") from None
    matplotlib.use("svg")
    import matplotlib.pyplot as pyplot

    # No outlines of a font.
    style = {"svg.fonttype": "none", "font.size": 8, "font.sans-serif": svg.FONTS}
    with pyplot.rc_context(style):
        figure, axes = pyplot.subplots(
            1, plot.columns, figsize=(8, 3.2), squeeze=False, sharey=True, layout="constrained"
        )
        for axis in axes[0]:
            axis.grid(linewidth=0.3)
            axis.set_axisbelow(True)
        plot.draw(axes[0], entries)
        text = io.StringIO()
        figure.savefig(text, format="svg")
        pyplot.close(figure)
    path.write_text(svg.compact(text.getvalue(), digest))


# ---- The page ------------------------------------------------------------------------------------


def summary_table(summary):
    lines = [
        "| | Against | Cases | Geometric mean | Worst | |",
        "| --- | --- | ---: | ---: | ---: | --- |",
    ]
    misses = []
    for group in summary:
        under, worst = group["under_threshold"], group["worst"]
        lines.append(
            f"| {group['routine']} | {group['incumbent']} | {group['cases']} "
            f"| {group['geometric_mean']:.3f} | {worst['ratio']:.3f} (`{worst['case']}`) "
            f"| {len(under)} under {group['threshold']:g} |"
        )
        if under:
            listed = ", ".join(f"`{miss['case']}` {miss['ratio']:.3f}" for miss in under)
            misses += [
                "",
                f"Under {group['threshold']:g} of {group['incumbent']} ({group['routine']}): "
                f"{listed}.",
            ]
    return lines + misses


def accuracy_tables(summary, entries):
    lines = [ACCURACY_LIMITS, "", "| | Cases | Over the limit |", "| --- | ---: | ---: |"]
    lines += [f"| {g['contender']} | {g['cases']} | {len(g['over_limit'])} |" for g in summary]
    for group in summary:
        misses = [
            f"`{miss['case']}` {float(miss['max_ratio']):.2f}, {float(miss['mean_ratio']):.2f} "
            f"of {miss['limit']:g}"
            for miss in group["over_limit"]
        ]
        if misses:
            lines += ["", f"Over the limit, {group['contender']}: {', '.join(misses)}."]

    depth = max(k for k in (entry["k"] for entry in entries) if k <= TABLE_DEPTH)
    contenders = list(dict.fromkeys(entry["contender"] for entry in entries))
    lines += [
        "",
        f"Largest and mean error at k = {depth}; in brackets the mode whose kernel computed in the end, "
        "where it was another:",
        "",
        f"| Data | m = n | {' | '.join(contenders)} |",
        "| --- | ---: " + "| --- " * len(contenders) + "|",
    ]
    rows = {}
    for entry in entries:
        if entry["k"] == depth:
            rows.setdefault((entry["data"], entry["n"]), {})[entry["contender"]] = error_cell(entry)
    for (data, side), cells in rows.items():
        row = " | ".join(cells.get(contender, "") for contender in contenders)
        lines.append(f"| {data} | {side} | {row} |")
    return lines


TABLE_DEPTH = 4096
ACCURACY_LIMITS = """\
|C - AB| / |A||B| in units of 2^-24, against float64. Both the largest error and the mean of a mode are to be at most
those of cuBLAS FP32 on uniform, normal and scaled data, and at most 1.5 times those on all other."""


def error_cell(entry):
    computed_by = entry.get("computed_by", entry["contender"])
    note = f" ({computed_by})" if computed_by != entry["contender"] else ""
    return f"{float(entry['max_ulp']):.3g}, {float(entry['mean_ulp']):.3g}{note}"


def render(results):
    """The text of the page, and {file of a plot: how to draw it there}; no text without results."""
    lines, plots = [INTRODUCTION], {}
    for section in SECTIONS:
        path = results / f"{section.part}.json"
        if not path.exists():
            continue
        measured = load(path)
        digest = f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        entries = section.entries(measured)
        lines += [f"## {section.title}", "", *section.lines(measured), ""]
        for plot in section.plots:
            wanted = [entry for entry in entries if plot.wanted(entry)]
            if not wanted:
                continue
            plots[f"{plot.name}.svg"] = (plot, wanted, digest)
            lines += [f"![{section.title}: {plot.caption}]({PLOTS}/{plot.name}.svg)", ""]
        lines += [provenance(measured["context"]), ""]
    substitution = results / "substitution.json"  # by bench/substitution/measure.py
    if substitution.exists():
        lines += substitution_tables.render(load(substitution))
    return ("\n".join(lines) if len(lines) > 1 else None), plots


def check(page, text, plots):
    present = page.read_text() if page.exists() else None
    if present != text:
        raise Problem(f"{page} is out of date: run bench/performance.py")
    for name, (_, _, digest) in plots.items():
        path = page.parent / PLOTS / name
        if not path.exists() or digest not in path.read_text():
            raise Problem(f"{path} is out of date: run bench/performance.py")


def write(page, text, plots):
    if text is None:
        raise Problem("there are no results: bench/run_h100.sh makes them")
    folder = page.parent / PLOTS
    folder.mkdir(parents=True, exist_ok=True)
    for name, (plot, entries, digest) in plots.items():
        draw(plot, entries, digest, folder / name)
    page.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="fail if the page is out of date")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / RESULTS)
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / PAGE)
    arguments = parser.parse_args()
    present = check if arguments.check else write
    return run("performance.py", lambda: present(arguments.page, *render(arguments.results)))


if __name__ == "__main__":
    sys.exit(main())
