#!/usr/bin/env python3
"""Writes docs/performance.md and the plots that it shows from the results that myblas-bench measured.

A section whose results are not there is left out. --check changes nothing and fails if the page says
something else, or if a plot was drawn from other results; it needs no Matplotlib.
"""

import argparse
import collections.abc
import dataclasses
import hashlib
import math
import pathlib
import sys

import rows
import substitution_tables
from measurements import RESULTS, ROOT, Problem, gpu_folders, load, provenance, run
from overview import OVERVIEWS
from plots import (
    DRAWN_DATA,
    Plot,
    draw,
    draw_errors_by_k,
    draw_ratio_lines,
    draw_ratios,
    draw_ratios_by_routine,
    draw_times_by_routine,
)
from rows import against_cublas, case_name, flops, form_of, incumbent_rate, is_square, name_of, payload_bytes, rate

PAGE = pathlib.Path("docs/performance.md")  # relative to ROOT
PLOTS = "plots"  # a folder beside the page, with one for each GPU

INTRODUCTION = """\
# Performance

For each GPU: plots of all results first, then a section for each sweep of `myblas-bench` with its slow cases by name. Each time is a
median. The library and the *incumbent* (the library that it is compared with) are measured in turn, in one process, on the same
random data, and every result is verified. A *ratio* is the incumbent's time divided by that of myblas: above 1, myblas is
faster. Kernels have their present names; [the glossary](glossary.md#names-of-kernels) lists the earlier ones.

`bench/performance.py` writes this page from the JSON files in `bench/results`, which come from `bench/run_gpu.sh` and
`bench/run_host.sh`.
"""


def misalignment(entry):
    return "one element off" if entry["offset"] else "leading dimensions + 1"


def batch_form(entry):
    return f"{form_of(entry)}, {'pointers' if entry['pointer_array'] else 'strides'}"


def routine_and_form(entry):
    return f"{entry['routine']} {form_of(entry)}".strip()


REDUCTIONS = ("dot", "nrm2", "asum", "iamax", "iamin")


def is_plain_square(entry):
    """Against cuBLAS, in the first form, whose letters are L and N."""
    is_aligned = entry["offset"] == 0 and set(form_of(entry)) <= set("LN")
    return is_square(entry) and is_aligned and against_cublas(entry)


def summary_table(summary):
    lines = [
        "| | Against | Cases | Geometric mean | Worst | |",
        "| --- | --- | ---: | ---: | ---: | --- |",
    ]
    for group in summary:
        under, worst = group["under_threshold"], group["worst"]
        lines.append(
            f"| {group['routine']} | {group['incumbent']} | {group['cases']} "
            f"| {group['geometric_mean']:.3f} | {worst['ratio']:.3f} (`{worst['case']}`) "
            f"| {len(under)} under {group['threshold']:g} |"
        )
    return lines + misses(summary)


def misses(summary):
    lines = []
    for group in summary:
        listed = ", ".join(f"`{miss['case']}` {miss['ratio']:.3f}" for miss in group["under_threshold"])
        if listed:
            under = f"Under {group['threshold']:g} of {group['incumbent']} ({group['routine']})"
            lines += ["", f"{under}: {listed}."]
    return lines


REPEATED = """\
trmv, trsv and trsm work in place, so repeated calls use the result of the call before. To keep the values random and finite, their
matrices have 1 and -1 on the diagonal and small random numbers elsewhere while they are timed. They are verified with larger ones."""


def blas_table(entries, sizes, unit):
    """Squares and vectors of each routine and form, aligned, in the order in which they were measured."""
    cells = {}
    for entry in entries:
        if is_square(entry) and against_cublas(entry) and entry["offset"] == 0:
            # That of FP32 says little of tensor cores.
            share = entry.get("percent_of_ceiling", 0) if entry["math"] == "strict" else 0
            of_ceiling = f", {share:.0f}%" if share >= 1 else ""
            value = rate(entry)
            shown = f"{value:.0f}" if value >= 100 else f"{value:.3g}"
            text = f"{shown} ({entry['ratio']:.2f} ×{of_ceiling})"
            cells.setdefault(routine_and_form(entry), {}).setdefault(entry["n"], text)
    columns = [size for size in sizes if any(size in of for of in cells.values())]
    note = [REPEATED, ""] if any(entry["routine"] in ("trmv", "trsv", "trsm") for entry in entries) else []
    return [
        *note,
        f"{unit}, by n (m and k, where the routine has them, equal n); in brackets, the ratio, and the percentage of the "
        "measured ceiling.",
        "",
        f"| | {' | '.join(map(str, columns))} |",
        "| --- |" + " ---: |" * len(columns),
        *(
            f"| {name} | {' | '.join(of.get(size, '') for size in columns)} |"
            for name, of in cells.items()
            if any(size in of for size in columns)
        ),
        "",
    ]


def class_tables(summary, entries):
    lines = [
        "| | Against | Work | Cases | Geometric mean | 5th percentile | Worst |",
        "| --- | --- | --- | ---: | ---: | ---: | --- |",
    ]
    misses_by_class = []
    thresholds = {(group["routine"], group["incumbent"]): group["threshold"] for group in summary}
    for (routine, incumbent), group in rows.by_incumbent(entries).items():
        threshold = thresholds[routine, incumbent]
        for name, members in rows.by_class(group).items():
            of_class = rows.Summary(members)
            lines.append(
                f"| {routine} | {incumbent} | {name} | {of_class.cases} | {of_class.mean:.3f} "
                f"| {of_class.fifth:.3f} | {of_class.worst['ratio']:.3f} (`{case_name(of_class.worst)}`) |"
            )
            under = sorted(
                (entry["ratio"], case_name(entry)) for entry in members if entry["ratio"] < threshold
            )
            if under and name != rows.ALL:
                listed = ", ".join(f"`{case}` {ratio:.3f}" for ratio, case in under)
                of = f"Under {threshold:g} of {incumbent} ({routine}), {name}"
                misses_by_class += ["", f"{of}, {len(under)} of {of_class.cases}: {listed}."]
    return lines + misses_by_class


CLASSES = """\
Products with alpha and beta, padded leading dimensions and pointers as programs have them, by class; `myblas-bench --help` and \
[the page of the bench](bench.md#classes-of-products) say what a class is. Of the limit: the geometric mean of how near the time is to \
the least that the bytes and the multiply-adds take."""


def class_summary(measured, entries):
    lines = [
        CLASSES,
        "",
        "| Class | Against | Cases | Geometric mean | 5th percentile | Least | Under | Of the limit |",
        "| --- | --- | ---: | ---: | ---: | --- | ---: | ---: |",
    ]
    for group in measured["summary"]:
        same = [e for e in entries if all(e.get(x) == group[x] for x in ("class", "incumbent"))]
        shares = [math.log(e["limit_us"] / e["time_us"]) for e in same if e.get("limit_us")]
        share = f"{100 * math.exp(sum(shares) / len(shares)):.0f}%" if shares else ""
        worst, under = group["worst"], group["under_threshold"]
        lines.append(
            f"| {group['class']} | {group['incumbent']} | {group['cases']} | {group['geometric_mean']:.3f} "
            f"| {group['percentile_5']:.3f} | {worst['ratio']:.3f} (`{worst['case']}`) "
            f"| {len(under)} under {group['threshold']:g} | {share} |"
        )
    return lines


def batch_table(entries):
    lines = [
        "| | Against | Cases | Geometric mean | 5th percentile | Worst |",
        "| --- | --- | ---: | ---: | ---: | --- |",
    ]
    for name, wanted in (("published squares", True), ("ragged sides", False)):
        members = [entry for entry in entries if is_square(entry) == wanted]
        for (_, incumbent), group in rows.by_incumbent(members).items():
            summary = rows.Summary(group)
            lines.append(
                f"| {name} | {incumbent} | {summary.cases} | {summary.mean:.3f} | {summary.fifth:.3f} "
                f"| {summary.worst['ratio']:.3f} (`{case_name(summary.worst)}`) |"
            )
    return lines


def host_table(_measured, entries):
    """A line for each kernel and size, with all that it was measured against."""
    cases = {}
    for entry in entries:
        batch = f" batch={entry['batch']}" if entry.get("batch", 1) != 1 else ""
        passing = " pointers" if entry.get("pointer_array") else ""
        case = f"{entry['routine']} {name_of(entry)}{batch}{passing}"
        cases.setdefault((case, entry["kernel"]), []).append(entry)
    lines = [
        "In brackets, the ratio. memcpy copies as many bytes, on one thread. If both libraries have threads, the threads of the "
        "library that was called last still wait busily while the other library is timed.",
        "",
        "| | Kernel | Time (µs) | GFLOP/s or GB/s | Against |",
        "| --- | --- | ---: | ---: | --- |",
    ]
    for (case, kernel), of_kernel in cases.items():
        first = of_kernel[0]
        value = first["gflops"] if first.get("gflops") else first["gbps"]
        others = ", ".join(f"{entry['incumbent']} ({entry['ratio']:.2f} ×)" for entry in of_kernel)
        lines.append(f"| {case} | `{kernel}` | {first['time_us']:.1f} | {value:.1f} | {others} |")
    return lines


LENT = "myblas, lent workspace"


def bare_table(_measured, entries):
    """The same products in the handle's own workspace and in a lent one, and by cuBLAS."""
    cases = {}
    for entry in entries:
        cases.setdefault(name_of(entry), {})[entry["incumbent"]] = entry
    incumbents = list(dict.fromkeys(entry["incumbent"] for entry in entries))
    lines = [
        "TFLOP/s with the handle's own workspace, and of the others in the same run; in brackets, the ratio:",
        "",
        f"| Product | Own workspace | {' | '.join(incumbents)} |",
        "| --- | ---: |" + " ---: |" * len(incumbents),
    ]
    for name, measured in cases.items():
        cells = dict.fromkeys(incumbents, "")
        for incumbent, entry in measured.items():
            cells[incumbent] = f"{incumbent_rate(entry):.1f} ({entry['ratio']:.2f} ×)"
        lines.append(f"| {name} | {rate(entry):.1f} | {' | '.join(cells.values())} |")
    against_lent = [entry for entry in entries if entry["incumbent"] == LENT]
    if against_lent:
        worst = rows.Summary(against_lent).worst
        lines += ["", f"Lowest ratio to a workspace that the caller lends: {worst['ratio']:.3f} (`{case_name(worst)}`)."]
    return lines


FUSED_INCUMBENT, PLAIN = "cublasLtMatmul", "mysgemm"
EPILOGUES = {"none": "Bias", "relu": "Bias, ReLU", "gelu": "Bias, GELU"}  # by activation


def fused_table(entries):
    """By product and epilogue: the ratio to cuBLASLt, and what the epilogue costs."""
    cases = {}
    for entry in entries:
        cases.setdefault(name_of(entry), {}).setdefault(entry["activation"], {})[entry["incumbent"]] = entry["ratio"]
    lines = [
        "The ratio to cublasLtMatmul in FP32, where it has an algorithm, and by how much longer the call takes than mysgemm in the "
        "same mode, without an epilogue:",
        "",
        f"| Product | {' | '.join(EPILOGUES.values())} |",
        "| --- |" + " ---: |" * len(EPILOGUES),
    ]
    for name, by_activation in cases.items():
        cells = [fused_cell(by_activation.get(activation)) for activation in EPILOGUES]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def fused_cell(ratios):
    if not ratios:
        return ""
    cost = f"{100 / ratios[PLAIN] - 100:+.1f}%"
    return f"{ratios[FUSED_INCUMBENT]:.3f} ×, {cost}" if FUSED_INCUMBENT in ratios else cost


def accuracy_tables(measured, entries):
    summary = measured["summary"]
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
    is_attributed = depth <= ATTRIBUTED_DEPTH or "strict_ends" in measured
    brackets = "; in brackets the mode whose kernel computed in the end, where it was another"
    lines += [
        "",
        f"Largest and mean error at k = {depth}{brackets if is_attributed else ''}:",
        "",
        f"| Data | m = n | {' | '.join(contenders)} |",
        "| --- | ---: " + "| --- " * len(contenders) + "|",
    ]
    errors = {}
    for entry in entries:
        if entry["k"] == depth:
            errors.setdefault((entry["data"], entry["n"]), {})[entry["contender"]] = error_cell(
                entry, is_attributed
            )
    for (data, side), cells in errors.items():
        row = " | ".join(cells.get(contender, "") for contender in contenders)
        lines.append(f"| {data} | {side} | {row} |")
    return lines


TABLE_DEPTH = 4096
ATTRIBUTED_DEPTH = 1024  # up to where any results say rightly whose kernel computed
ACCURACY_LIMITS = """\
|C - AB| / |A||B| in units of 2^-24, compared with float64. The limits: the largest and the mean error of a mode may be at most those of
cuBLAS FP32 on uniform, normal and scaled data, and at most 1.5 times those of cuBLAS FP32 on all other data."""


def error_cell(entry, is_attributed):
    computed_by = entry.get("computed_by", entry["contender"])
    note = f" ({computed_by})" if is_attributed and computed_by != entry["contender"] else ""
    return f"{float(entry['max_ulp']):.3g}, {float(entry['mean_ulp']):.3g}{note}"


def handles_table(measured, _entries):
    lines = [
        "| Library | Handle | Create, µs | First call, µs | Second call, µs | Destroy, µs | Churn, µs a handle |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    names = ("create_us", "first_call_us", "second_call_us", "destroy_us", "churn_us")
    for entry in measured["results"]:
        times = [f"{entry[name]:.1f}" if name in entry else "" for name in names]
        library = f"{entry['library']} ({entry['file']})" if entry["file"] else entry["library"]
        lines.append(f"| {library} | {entry['handle']} | {' | '.join(times)} |")
    return lines


def energy_table(measured, _entries):
    first = measured["results"][0]
    return [
        f"{first['m']} x {first['n']} x {first['k']}, one product after the other for "
        f"{first['seconds']:.0f} s of each; energy as the GPU's driver counts it.",
        "",
        "| | J a product | W | TFLOP/s | MHz at the end |",
        "| --- | ---: | ---: | ---: | ---: |",
        *(
            f"| {e['contender']} | {e['joules']:.2f} | {e['watts']:.0f} | {e['tflops']:.1f} "
            f"| {e['sm_clock_mhz']} |"
            for e in measured["results"]
        ),
    ]


# ---- The sections --------------------------------------------------------------------------------


def summary(measured, _entries):
    return summary_table(measured["summary"])


def by_work(measured, entries):
    seed = f"Random shapes from the seed {measured['context']['seed']}, by class of work."
    return [seed, "", *class_tables(measured["summary"], entries)]


def by_size(sizes, unit):
    """Rates of each routine and form at a few sizes, and the summary of all cases."""
    return lambda measured, entries: blas_table(entries, sizes, unit) + summary(measured, entries)


def fused(measured, entries):
    return fused_table(entries) + ["", *summary(measured, entries)]


@dataclasses.dataclass
class Section:
    part: str  # of run_gpu.sh: the name of its file
    title: str
    plots: list = ()
    lines: collections.abc.Callable = summary  # of what the file holds, and of its entries

    @staticmethod
    def entries(measured):
        """Cases with a ratio; of accuracy the modes and other libraries, without forced kernels."""
        return [
            entry
            for entry in measured["results"]
            if (entry["contender"] != entry.get("kernel") if "contender" in entry else entry.get("ratio"))
        ]


def level3_section(part, title):
    return Section(
        part,
        title,
        [
            Plot(f"{part}_squares", "Ratios of squares in the first form",
                 draw_ratios_by_routine("m = n (= k)"), is_plain_square),
        ],
        by_size((256, 512, 1024, 2048, 4096, 8192, 16384), "TFLOP/s by the routine's own count"),
    )  # fmt: skip


# What the plots of overview.py show of a file is not drawn again.
SECTIONS = [
    Section("sgemm_strict_public", "Strict SGEMM, the published shapes"),
    Section(
        "sgemm_strict_misaligned",
        "Strict SGEMM, misaligned operands",
        [Plot("sgemm_misaligned", "By work", draw_ratios(misalignment, flops, "flop"))],
    ),
    Section("sgemm_strict_random", "Strict SGEMM, random shapes", lines=by_work),
    Section("sgemm_strict_classes", "Strict SGEMM, as programs call it", lines=class_summary),
    Section("sgemm_emulated_public", "Emulated SGEMM, the published shapes"),
    Section("sgemm_fast_public", "Fast SGEMM, the published shapes"),
    Section("sgemm_fast_random", "Fast SGEMM, random shapes", lines=by_work),
    Section("sgemm_emulated_bare", "Emulated SGEMM, no workspace lent", lines=bare_table),
    Section("sgemm_fast_bare", "Fast SGEMM, no workspace lent", lines=bare_table),
    Section("fused_strict", "Fused products, strict", lines=fused),
    Section("fused_emulated", "Fused products, emulated", lines=fused),
    Section("fused_fast", "Fused products, fast", lines=fused),
    Section("sgemm_energy", "Energy of SGEMM", lines=energy_table),
    Section("handles", "Handles", lines=handles_table),
    Section("handles_preload", "Handles of cuBLAS under the preload library", lines=handles_table),
    Section(
        "sgemm_accuracy",
        "Accuracy of SGEMM",
        [
            Plot("sgemm_accuracy_by_k", "Largest errors (lines) and mean errors (dashed), m = n = 2048",
                 draw_errors_by_k, lambda e: e["n"] == 2048 and e["data"] in DRAWN_DATA,
                 columns=len(DRAWN_DATA)),
        ],
        accuracy_tables,
    ),
    Section(
        "sgemm_batched",
        "Strict SGEMM, batches",
        [
            Plot("sgemm_batched", "By size", draw_ratio_lines(batch_form, "m = n = k"), is_square),
            Plot("sgemm_ragged_batches", "Ragged sides, by work", draw_ratios(batch_form, flops, "flop"),
                 lambda e: not is_square(e)),
        ],
        lambda m, e: batch_table(e) + misses(m["summary"]),
    ),
    level3_section("level3_strict", "Level 3, strict"),
    level3_section("level3_emulated", "Level 3, emulated"),
    level3_section("level3_fast", "Level 3, fast"),
    Section(
        "level2",
        "Level 2",
        [
            Plot("level2_squares", "Ratios of squares in the first form", draw_ratios_by_routine("m = n"),
                 is_plain_square),
        ],
        by_size((64, 256, 1024, 4096, 8192, 16384, 32768), "GB/s of what has to be read and written"),
    ),
    Section(
        "level1",
        "Level 1",
        [
            Plot("level1_reductions", "Ratios of reductions by length, aligned", draw_ratios_by_routine("n"),
                 lambda e: is_plain_square(e) and e["routine"] in REDUCTIONS),
            Plot("level1_updates", "Ratios of the other routines by length, aligned",
                 draw_ratios_by_routine("n"),
                 lambda e: is_plain_square(e) and e["routine"] not in REDUCTIONS),
        ],
        by_size(tuple(4**i for i in (3, 5, 7, 9, 11, 13, 14)), "GB/s of what has to be read and written"),
    ),
    Section(
        "transpose",
        "Transpose",
        [
            Plot("transpose_ratios", "All forms: padded, misaligned, other elements, in place",
                 draw_ratios(lambda e: e["incumbent"], payload_bytes, "bytes of the matrix")),
        ],
    ),
    Section("transpose_cold", "Transpose, caches emptied"),
    Section("transpose_random", "Transpose, random shapes", lines=by_work),
    Section("sum", "Sum"),
    Section("sum_cold", "Sum, caches emptied"),
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
    Section("host_kernels", "Kernels of the host backend", lines=host_table),
    Section("host_kernels_one_thread", "Kernels of the host backend, one thread", lines=host_table),
    Section("host_batches", "Batches on the host backend", lines=host_table),
]  # fmt: skip


# ---- The page ------------------------------------------------------------------------------------


def digest_of(paths):
    """Names the files that a plot was drawn from, and their bytes."""
    names = " ".join(path.name for path in paths)
    return f"{names} {hashlib.sha256(b''.join(path.read_bytes() for path in paths)).hexdigest()}"


def render_overviews(folder, files):
    """As render_gpu; files: {part: what it holds}."""
    lines, plots = ["### At a glance", ""], {}
    for overview in OVERVIEWS:
        shown = overview.of(files)
        if not shown:
            continue
        name = f"{folder.name}/{overview.name}.svg"
        plots[name] = (overview, shown, digest_of([folder / f"{part}.json" for part in shown]))
        lines += [f"![{overview.caption}]({PLOTS}/{name})", "", f"{overview.caption}. {overview.text}", ""]
    return (lines, plots) if plots else ([], {})


def render_gpu(folder):
    """The lines of a GPU's part of the page, and {file of a plot: how to draw it there}."""
    files = {path.stem: load(path) for path in sorted(folder.glob("*.json"))}
    (lines, plots), gpu, commits = render_overviews(folder, files), None, []
    for section in SECTIONS:
        measured = files.get(section.part)
        if measured is None:
            continue
        context = measured["context"]
        gpu = gpu or context["gpu"] or context["cpu"]
        commits.append(context["commit"])
        entries = section.entries(measured)
        lines += [f"### {section.title}", "", *section.lines(measured, entries), ""]
        for plot in section.plots:
            wanted = [entry for entry in entries if plot.wanted(entry)]
            if not wanted:
                continue
            name = f"{folder.name}/{plot.name}.svg"
            plots[name] = (plot, wanted, digest_of([folder / f"{section.part}.json"]))
            lines += [f"![{section.title}: {plot.caption}]({PLOTS}/{name})", ""]
        lines += [provenance(context), ""]
    measured = files.get("substitution")  # by bench/substitution/measure.py
    if measured:
        gpu = gpu or measured["context"]["gpu"]
        commits.append(measured["context"]["commit"])
        lines += substitution_tables.render(measured)
    if lines:
        *others, last = dict.fromkeys(commits)
        measured_at = ", ".join(others) + " and " + last if others else last
        lines = [f"## {gpu}", "", f"Measured at {measured_at}.", "", *lines]
    return lines, plots


def render(results):
    """The text of the page, and its plots; no text without results."""
    lines, plots = [], {}
    for folder in gpu_folders(results):
        of_gpu, plots_of_gpu = render_gpu(folder)
        lines += of_gpu
        plots |= plots_of_gpu
    return ("\n".join([INTRODUCTION, *lines]) if lines else None), plots


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
        raise Problem("there are no results: bench/run_gpu.sh makes them")
    folder = page.parent / PLOTS
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*/*.svg"):
        if path.relative_to(folder).as_posix() not in plots:
            path.unlink()
    for name, (plot, entries, digest) in plots.items():
        (folder / name).parent.mkdir(exist_ok=True)
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
