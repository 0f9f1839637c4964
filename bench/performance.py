#!/usr/bin/env python3
"""Writes docs/performance.md and the plots that it shows, from results of myblas-bench.

A section without results is left out. --check changes nothing and fails if the page says something
else, or if a plot was drawn from other results; it needs no Matplotlib.
"""

import argparse
import collections.abc
import dataclasses
import hashlib
import pathlib
import statistics
import sys

import engine_tables
import measurements
import plots
import rows
import substitution_tables
from measurements import RESULTS, ROOT, Problem, pivot, provenance, table
from overview import OVERVIEWS
from plots import DRAWN_DATA, Plot, draw
from rows import against_cublas, case_name, form_of, is_square, name_of, rate

PAGE = pathlib.Path("docs/performance.md")  # relative to ROOT
PLOTS = "plots"  # a folder beside the page, with one for each GPU

INTRODUCTION = """\
# Performance

""" + (
    "For each GPU: plots of all results first, then a section for each sweep of `myblas-bench` "
    "with its slow cases by name. Each time is a\nmedian. The library and the *incumbent* (the "
    "library that it is compared with) are measured in turn, in one process, on the same\nrandom "
    "data, and every result is verified. A *ratio* is the incumbent's time divided by that of "
    "myblas: above 1, myblas is\nfaster. Kernels have their present names; [the "
    "glossary](glossary.md#names-of-kernels) lists the earlier ones.\n\n`bench/performance.py` "
    "writes this page from the JSON files in `bench/results`, which come from `bench/run_gpu.sh` "
    "and\n`bench/run_host.sh`.\n"
)


def misalignment(entry):
    return "one element off" if entry["offset"] else "leading dimensions + 1"


def batch_form(entry):
    return f"{form_of(entry)}, {'pointers' if entry['pointer_array'] else 'strides'}"


def routine_and_form(entry):
    return f"{entry['routine']} {form_of(entry)}".strip()


REDUCTIONS = ("dot", "nrm2", "asum", "iamax", "iamin")


def is_plain_square(entry):
    """Cases against cuBLAS in the first form, whose letters are L and N."""
    is_aligned = entry["offset"] == 0 and set(form_of(entry)) <= set("LN")
    return is_square(entry) and is_aligned and against_cublas(entry)


def worst_cell(worst, name):
    return f"{worst['ratio']:.3f} (`{name}`)"


def under_line(what, cases, of=""):
    """The cases below a threshold: (name, ratio) of each."""
    listed = ", ".join(f"`{name}` {ratio:.3f}" for name, ratio in cases)
    return ["", f"Under {what}{of}: {listed}."] if cases else []


def misses(summary):
    lines = []
    for group in summary:
        what = f"{group['threshold']:g} of {group['incumbent']} ({group['routine']})"
        lines += under_line(what, [(m["case"], m["ratio"]) for m in group["under_threshold"]])
    return lines


def summary_table(summary):
    heads = ["", "Against", "Cases:", "Geometric mean:", "Worst:", ""]
    cells = [
        (g["routine"], g["incumbent"], g["cases"], f"{g['geometric_mean']:.3f}",
         worst_cell(g["worst"], g["worst"]["case"]),
         f"{len(g['under_threshold'])} under {g['threshold']:g}")
        for g in summary
    ]  # fmt: skip
    return table(heads, cells) + misses(summary)


def summary_cells(entries):
    """Cases, geometric mean, 5th percentile, worst."""
    summary = rows.Summary(entries)
    worst = worst_cell(summary.worst, case_name(summary.worst))
    return summary.cases, f"{summary.mean:.3f}", f"{summary.fifth:.3f}", worst


REPEATED = (
    "trmv, trsv and trsm work in place, so repeated calls use the result of the call before. To "
    "keep the values random and finite, their\nmatrices have 1 and -1 on the diagonal and small "
    "random numbers elsewhere while they are timed. They are verified with larger ones."
)


def blas_table(entries, sizes, unit):
    """Squares and vectors of each routine and form, aligned, in the order of the measurements."""
    cells = {}
    for entry in entries:
        if is_square(entry) and against_cublas(entry) and entry["offset"] == 0:
            # The ceiling of FP32 says little about tensor cores.
            share = entry.get("percent_of_ceiling", 0) if entry["math"] == "strict" else 0
            of_ceiling = f", {share:.0f}%" if share >= 1 else ""
            value = rate(entry)
            shown = f"{value:.0f}" if value >= 100 else f"{value:.3g}"
            text = f"{shown} ({entry['ratio']:.2f} ×{of_ceiling})"
            cells.setdefault(routine_and_form(entry), {}).setdefault(entry["n"], text)
    columns = [size for size in sizes if any(size in of for of in cells.values())]
    has_repeated = any(entry["routine"] in ("trmv", "trsv", "trsm") for entry in entries)
    return [
        *([REPEATED, ""] if has_repeated else []),
        f"{unit}, by n (m and k, where the routine has them, equal n); in brackets, the ratio, and "
        "the percentage of the measured ceiling.",
        "",
        *pivot([""], {name: of for name, of in cells.items() if of.keys() & set(columns)}, columns),
        "",
    ]


def class_tables(summary, entries):
    heads = ["", "Against", "Work", "Cases:", "Geometric mean:", "5th percentile:", "Worst"]
    cells, misses_by_class = [], []
    thresholds = {(group["routine"], group["incumbent"]): group["threshold"] for group in summary}
    for (routine, incumbent), group in rows.by_incumbent(entries).items():
        threshold = thresholds[routine, incumbent]
        for name, members in rows.by_class(group).items():
            cells.append((routine, incumbent, name, *summary_cells(members)))
            under = [(e["ratio"], case_name(e)) for e in members if e["ratio"] < threshold]
            if name != rows.ALL:
                misses_by_class += under_line(
                    f"{threshold:g} of {incumbent} ({routine})",
                    [(case, ratio) for ratio, case in sorted(under)],
                    f", {name}, {len(under)} of {len(members)}",
                )
    return table(heads, cells) + misses_by_class


CLASSES = (
    "Products with alpha and beta, padded leading dimensions and pointers as programs have them, "
    "by class; `myblas-bench --help` and [the page of the bench](bench.md#classes-of-products) "
    "say what a class is. Of the limit: the least time that the bytes and the multiply-adds take, "
    "as a percentage of the measured time (geometric mean)."
)


def class_summary(measured, entries):
    heads = ["Class", "Against", "Cases:", "Geometric mean:", "5th percentile:", "Least", "Under:",
             "Of the limit:"]  # fmt: skip
    cells = []
    for group in measured["summary"]:
        same = [e for e in entries if all(e.get(x) == group[x] for x in ("class", "incumbent"))]
        shares = [e["limit_us"] / e["time_us"] for e in same if e.get("limit_us")]
        share = f"{100 * statistics.geometric_mean(shares):.0f}%" if shares else ""
        cells.append(
            (group["class"], group["incumbent"], group["cases"], f"{group['geometric_mean']:.3f}",
             f"{group['percentile_5']:.3f}", worst_cell(group["worst"], group["worst"]["case"]),
             f"{len(group['under_threshold'])} under {group['threshold']:g}", share)
        )  # fmt: skip
    return [CLASSES, "", *table(heads, cells)]


def batch_table(entries):
    cells = []
    for name, wanted in (("published squares", True), ("ragged sides", False)):
        members = [entry for entry in entries if is_square(entry) == wanted]
        for (_, incumbent), group in rows.by_incumbent(members).items():
            cells.append((name, incumbent, *summary_cells(group)))
    heads = ["", "Against", "Cases:", "Geometric mean:", "5th percentile:", "Worst"]
    return table(heads, cells)


def host_table(_measured, entries):
    """A line for each kernel and size, with all libraries that it was compared with."""
    cases = {}
    for entry in entries:
        batch = f" batch={entry['batch']}" if entry.get("batch", 1) != 1 else ""
        passing = " pointers" if entry.get("pointer_array") else ""
        case = f"{entry['routine']} {name_of(entry)}{batch}{passing}"
        cases.setdefault((case, entry["kernel"]), []).append(entry)
    cells = []
    for (case, kernel), of_kernel in cases.items():
        first = of_kernel[0]
        value = first["gflops"] if first.get("gflops") else first["gbps"]
        others = ", ".join(f"{e['incumbent']} ({e['ratio']:.2f} ×)" for e in of_kernel)
        cells.append((case, f"`{kernel}`", f"{first['time_us']:.1f}", f"{value:.1f}", others))
    return [
        "In brackets, the ratio. memcpy copies as many bytes, on one thread. If both libraries "
        "have threads, the threads of the library that was called last still wait busily while "
        "the other library is timed.",
        "",
        *table(["", "Kernel", "Time (µs):", "GFLOP/s or GB/s:", "Against"], cells),
    ]


LENT = "myblas, lent workspace"


def bare_table(_measured, entries):
    """The same products in the handle's own workspace and in a lent one, and by cuBLAS."""
    cells = {}
    for entry in entries:
        of_product = cells.setdefault(name_of(entry), {})
        of_product["Own workspace"] = f"{rate(entry):.1f}"
        theirs = f"{rows.incumbent_rate(entry):.1f} ({entry['ratio']:.2f} ×)"
        of_product[entry["incumbent"]] = theirs
    incumbents = dict.fromkeys(entry["incumbent"] for entry in entries)
    lines = [
        "TFLOP/s with the handle's own workspace, and of the others in the same run; in brackets, "
        "the ratio:",
        "",
        *pivot(["Product"], cells, ["Own workspace", *incumbents]),
    ]
    against_lent = [entry for entry in entries if entry["incumbent"] == LENT]
    if against_lent:
        worst = rows.Summary(against_lent).worst
        lowest = worst_cell(worst, case_name(worst))
        lines += ["", f"Lowest ratio to a workspace that the caller lends: {lowest}."]
    return lines


FUSED_INCUMBENT, PLAIN = "cublasLtMatmul", "mysgemm"
EPILOGUES = {"none": "Bias", "relu": "Bias, ReLU", "gelu": "Bias, GELU"}  # by activation


def fused_table(entries):
    """The ratio to cuBLASLt and the cost of the epilogue, by product and epilogue."""
    cases = {}
    for entry in entries:
        of_product = cases.setdefault(name_of(entry), {})
        of_product.setdefault(entry["activation"], {})[entry["incumbent"]] = entry["ratio"]
    cells = [
        (name, *(fused_cell(by_activation.get(activation)) for activation in EPILOGUES))
        for name, by_activation in cases.items()
    ]
    return [
        "The ratio to cublasLtMatmul in FP32, where it has an algorithm, and by how much longer "
        "the call takes than mysgemm in the same mode, without an epilogue:",
        "",
        *table(["Product", *(f"{epilogue}:" for epilogue in EPILOGUES.values())], cells),
    ]


def fused_cell(ratios):
    if not ratios:
        return ""
    cost = f"{100 / ratios[PLAIN] - 100:+.1f}%"
    return f"{ratios[FUSED_INCUMBENT]:.3f} ×, {cost}" if FUSED_INCUMBENT in ratios else cost


def accuracy_tables(measured, entries):
    summary = measured["summary"]
    cells = [(g["contender"], g["cases"], len(g["over_limit"])) for g in summary]
    lines = [ACCURACY_LIMITS, "", *table(["", "Cases:", "Over the limit:"], cells)]
    for group in summary:
        misses = [
            f"`{miss['case']}` {float(miss['max_ratio']):.2f}, {float(miss['mean_ratio']):.2f} "
            f"of {miss['limit']:g}"
            for miss in group["over_limit"]
        ]
        if misses:
            lines += ["", f"Over the limit, {group['contender']}: {', '.join(misses)}."]

    depth = max(entry["k"] for entry in entries if entry["k"] <= TABLE_DEPTH)
    contenders = list(dict.fromkeys(entry["contender"] for entry in entries))
    is_attributed = depth <= ATTRIBUTED_DEPTH or "strict_ends" in measured
    brackets = "; in brackets the mode whose kernel computed in the end, where it was another"
    errors = {}
    for entry in entries:
        if entry["k"] == depth:
            of_case = errors.setdefault((entry["data"], entry["n"]), {})
            of_case[entry["contender"]] = error_cell(entry, is_attributed)
    return [
        *lines,
        "",
        f"Largest and mean error at k = {depth}{brackets if is_attributed else ''}:",
        "",
        *table(
            ["Data", "m = n:", *contenders],
            [(*case, *of_case.values()) for case, of_case in errors.items()],
        ),
    ]


TABLE_DEPTH = 4096
ATTRIBUTED_DEPTH = 1024  # the largest k up to which all results name the right kernel
ACCURACY_LIMITS = (
    "|C - AB| / |A||B| in units of 2^-24, compared with float64. The limits: the largest and the "
    "mean error of a mode may be at most those of\ncuBLAS FP32 on uniform, normal and scaled data, "
    "and at most 1.5 times those of cuBLAS FP32 on all other data."
)


def error_cell(entry, is_attributed):
    computed_by = entry.get("computed_by", entry["contender"])
    note = f" ({computed_by})" if is_attributed and computed_by != entry["contender"] else ""
    return f"{float(entry['max_ulp']):.3g}, {float(entry['mean_ulp']):.3g}{note}"


def handles_table(measured, _entries):
    names = ("create_us", "first_call_us", "second_call_us", "destroy_us", "churn_us")
    cells = []
    for entry in measured["results"]:
        times = [f"{entry[name]:.1f}" if name in entry else "" for name in names]
        library = f"{entry['library']} ({entry['file']})" if entry["file"] else entry["library"]
        cells.append((library, entry["handle"], *times))
    heads = ["Library", "Handle", "Create, µs:", "First call, µs:", "Second call, µs:",
             "Destroy, µs:", "Churn, µs a handle:"]  # fmt: skip
    return table(heads, cells)


def energy_table(measured, _entries):
    first = measured["results"][0]
    cells = [
        (e["contender"], f"{e['joules']:.2f}", f"{e['watts']:.0f}", f"{e['tflops']:.1f}",
         e["sm_clock_mhz"])
        for e in measured["results"]
    ]  # fmt: skip
    return [
        f"{first['m']} x {first['n']} x {first['k']}, one product after the other for "
        f"{first['seconds']:.0f} s of each; energy as the GPU's driver counts it.",
        "",
        *table(["", "J a product:", "W:", "TFLOP/s:", "MHz at the end:"], cells),
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
    part: str  # the part's name in run_gpu.sh, which is that of its file
    title: str
    plots: list = ()
    lines: collections.abc.Callable = summary  # of the file's context and of its entries

    @staticmethod
    def entries(measured):
        """The cases with a ratio. In files of accuracy: modes and other libraries, without forced
        kernels."""
        return [
            e
            for e in measured["results"]
            if (e["contender"] != e.get("kernel") if "contender" in e else e.get("ratio"))
        ]


def level3_section(part, title):
    return Section(
        part,
        title,
        [
            Plot(f"{part}_squares", "Ratios of squares in the first form",
                 plots.draw_ratios_by_routine("m = n (= k)"), is_plain_square),
        ],
        by_size((256, 512, 1024, 2048, 4096, 8192, 16384), "TFLOP/s by the routine's own count"),
    )  # fmt: skip


MOVED_RATE = "GB/s of what has to be read and written"

# Files that the plots of overview.py show are not drawn again.
SECTIONS = [
    Section("sgemm_strict_public", "Strict SGEMM, the published shapes"),
    Section(
        "sgemm_strict_misaligned",
        "Strict SGEMM, misaligned operands",
        [Plot("sgemm_misaligned", "By work", plots.draw_ratios(misalignment, rows.flops, "flop"))],
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
            Plot("sgemm_accuracy_by_k",
                 "Largest errors (lines) and mean errors (dashed), m = n = 2048",
                 plots.draw_errors_by_k,
                 lambda e: e["n"] == 2048 and e["data"] in DRAWN_DATA,
                 columns=len(DRAWN_DATA)),
        ],
        accuracy_tables,
    ),
    Section(
        "sgemm_batched",
        "Strict SGEMM, batches",
        [
            Plot("sgemm_batched", "By size", plots.draw_ratio_lines(batch_form, "m = n = k"),
                 is_square),
            Plot("sgemm_ragged_batches", "Ragged sides, by work",
                 plots.draw_ratios(batch_form, rows.flops, "flop"), lambda e: not is_square(e)),
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
            Plot("level2_squares", "Ratios of squares in the first form",
                 plots.draw_ratios_by_routine("m = n"), is_plain_square),
        ],
        by_size((64, 256, 1024, 4096, 8192, 16384, 32768), MOVED_RATE),
    ),
    Section(
        "level1",
        "Level 1",
        [
            Plot("level1_reductions", "Ratios of reductions by length, aligned",
                 plots.draw_ratios_by_routine("n"),
                 lambda e: is_plain_square(e) and e["routine"] in REDUCTIONS),
            Plot("level1_updates", "Ratios of the other routines by length, aligned",
                 plots.draw_ratios_by_routine("n"),
                 lambda e: is_plain_square(e) and e["routine"] not in REDUCTIONS),
        ],
        by_size(tuple(4**i for i in (3, 5, 7, 9, 11, 13, 14)), MOVED_RATE),
    ),
    Section(
        "transpose",
        "Transpose",
        [
            Plot("transpose_ratios", "All forms: padded, misaligned, other elements, in place",
                 plots.draw_ratios(lambda e: e["incumbent"], rows.payload_bytes,
                                   "bytes of the matrix")),
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
                 plots.draw_ratios(lambda e: f"{e['transa']} against {e['incumbent']}",
                                   rows.payload_bytes,
                             "bytes of the matrix")),
        ],
    ),
    Section(
        "histogram",
        "Histogram of bytes",
        [Plot("histogram", "Ratios by length", plots.draw_ratio_lines(lambda e: e["data"], "n"))],
    ),
    Section(
        "enqueue",
        "What an asynchronous call takes of the host's time",
        [Plot("enqueue", "By routine, m = n = k = 512", plots.draw_times_by_routine)],
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
    """As render_gpu. files is {part: its results}."""
    lines, plots = ["### At a glance", ""], {}
    for overview in OVERVIEWS:
        shown = overview.of(files)
        if not shown:
            continue
        name = f"{folder.name}/{overview.name}.svg"
        plots[name] = (overview, shown, digest_of([folder / f"{part}.json" for part in shown]))
        caption = overview.caption
        lines += [f"![{caption}]({PLOTS}/{name})", "", f"{caption}. {overview.text}", ""]
    return (lines, plots) if plots else ([], {})


def render_gpu(folder):
    """The lines of a GPU's part of the page, and {file of a plot: function that draws it}."""
    files = measurements.files_of(folder)
    lines, plots = render_overviews(folder, files)
    gpu, commits = None, []
    for section in SECTIONS:
        measured = files.get(section.part)
        if measured is None:
            continue
        context = measured["context"]
        gpu = gpu or context["gpu"] or context["cpu"]
        commits += context["commit"].split("; ")
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
    for part, tables in (("substitution", substitution_tables), ("engines", engine_tables)):
        if measured := files.get(part):  # by the measure.py of this name
            gpu = gpu or measured["context"]["gpu"]
            commits += measured["context"]["commit"].split("; ")
            lines += tables.render(measured)
    if lines:
        *others, last = dict.fromkeys(commits)
        measured_at = ", ".join(others) + " and " + last if others else last
        lines = [f"## {gpu}", "", f"Measured at {measured_at}.", "", *lines]
    return lines, plots


def render(results):
    """The text of the page, and its plots; no text without results."""
    lines, plots = [], {}
    for folder in measurements.gpu_folders(results):
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
    work = lambda: present(arguments.page, *render(arguments.results))
    return measurements.run("performance.py", work)


if __name__ == "__main__":
    sys.exit(main())
