"""What the performance page shows first of a GPU: plots that need several files of results.

Each takes what there is. `draw` gets the axes and {part: what its file holds}, for those parts that were measured.
"""

import math
import statistics

import rows
from plots import LINE, TEXT, draw_lines, gather, label_plainly, put_legend_below
from render import LADDERS, family_of
from rows import form_of, incumbent_rate, is_square, name_of, rate
from theme import RATIO_FILLS

PRODUCT_FILES = {
    "strict": ("sgemm_strict_public", "sgemm_strict_random"),
    "emulated": ("sgemm_emulated_public",),
    "fast": ("sgemm_fast_public", "sgemm_fast_random"),
}
COLOUR_OF = {"strict": "C0", "emulated": "C2", "fast": "C3", "cuBLAS": "C1"}


class Overview:
    """One picture from the results of those of `parts` that are there; without all of `needs` there is none."""

    def __init__(self, name, caption, draw, parts, text, needs=(), grid=(1, 1), size=(8, 4.5), share_y=True):
        self.name = name
        self.caption = caption
        self.draw = draw
        self.parts = parts
        self.text = text  # what to see in it
        self.needs = needs
        self.grid = grid  # rows and columns, or what tells them of the results
        self.size = size  # inches of a row of axes
        self.share_y = share_y

    def layout(self, measured):
        """Rows and columns of axes, and inches."""
        grid = self.grid(measured) if callable(self.grid) else self.grid
        return grid, (self.size[0], self.size[1] * grid[0])

    def of(self, measured):
        """What of the results of a GPU it shows; nothing where it cannot be drawn."""
        found = {part: measured[part] for part in self.parts if part in measured}
        return found if all(part in found for part in self.needs) else {}


def results_of(measured, *parts):
    return [entry for part in parts if part in measured for entry in measured[part]["results"]]


def ceiling_of(measured, name):
    """The largest that a run of these results had measured, or None."""
    found = [of["context"].get("ceilings", {}).get(name) for of in measured.values()]
    return max((value for value in found if value), default=None)


# ---- Roofline ------------------------------------------------------------------------------------

# Dense TFLOP/s of BF16 and FP16 on tensor cores by NVIDIA's data sheets of the H100 SXM and the H200 SXM (half of the
# figure "with sparsity" there). A product of floats takes six or three of limbs.
DATA_SHEET_TFLOPS = 989.5
KNOWN_TENSOR_CORES = ("H100 80GB HBM3", "H200")
LEAST_SHOWN = 0.05  # TFLOP/s; calls with less work wait for their launch

# Floating-point operations by bytes that have to be moved, of routines whose rows give GB/s.
FLOP_PER_BYTE = {
    "sum": 1 / 4, "asum": 1 / 4, "gemsum": 1 / 4, "dot": 2 / 8, "nrm2": 2 / 4, "axpy": 2 / 12, "scal": 1 / 8,
    "rot": 6 / 16, "rotm": 6 / 16, "gemv": 2 / 4, "ger": 2 / 8, "symv": 4 / 4, "syr": 1 / 4, "syr2": 2 / 4,
    "trmv": 2 / 4, "trsv": 2 / 4,
}  # fmt: skip


def product_intensity(entry):
    """Flop by the bytes of A, B and C, each moved once."""
    m, n, k = entry["m"], entry["n"], entry["k"]
    return 2 * m * n * k / (4 * (m * k + k * n + m * n))


def unique(points, digits=2):
    """Those that would lie on each other drawn once."""
    rounded = [tuple(round(math.log10(value), digits) for value in point) for point in points]
    return [point for point in dict(zip(rounded, points)).values() if point[1] >= LEAST_SHOWN]


def rungs_of(measured):
    """[(name, intensity, TFLOP/s)] of the ladder's rungs, the slowest first."""
    ladder = LADDERS[0]
    found = {}
    for entry in results_of(measured, f"ladder_{ladder.routine}"):
        if ladder.has(entry):
            name = family_of(entry)
            best = max(found.get(name, (0, 0, 0)), (rate(entry), product_intensity(entry)))
            found[name] = best
    return sorted((of[0], name, of[1]) for name, of in found.items())


def spread(values, least):
    """Places for labels: as near to the values, which ascend, as the least distance allows."""
    places = list(values)
    for _ in range(200):
        for i in range(1, len(places)):
            lacking = least - (places[i] - places[i - 1])
            if lacking > 1e-9:
                places[i - 1] -= lacking / 2
                places[i] += lacking / 2
    return places


def draw_ceilings(axis, measured, x_range):
    memory, fma = ceiling_of(measured, "read_gbps"), ceiling_of(measured, "fma_gflops")
    if not memory or not fma:
        return
    memory, roofs = memory / 1e3, [(fma / 1e3, "FP32 multiply-adds, measured")]
    gpu = next(iter(measured.values()))["context"]["gpu"] or ""
    if gpu.endswith(KNOWN_TENSOR_CORES):
        roofs += [
            (DATA_SHEET_TFLOPS / 6, "BF16 tensor cores / 6, data sheet"),
            (DATA_SHEET_TFLOPS / 3, "FP16 tensor cores / 3, data sheet"),
        ]
    highest = roofs[-1][0]
    left = [x_range[0], highest / memory]
    axis.plot(left, [x * memory for x in left], color=TEXT, linewidth=1.2)
    axis.annotate(
        "memory, measured", (1, memory), xytext=(-4, 6), textcoords="offset points", rotation=41, ha="center"
    )
    for roof, name in roofs:
        style = "-" if name.endswith("measured") else "--"
        axis.plot([roof / memory, x_range[1]], [roof, roof], style, color=TEXT, linewidth=1.2)
        axis.annotate(
            name, (x_range[0], roof), xytext=(5, 2), textcoords="offset points", fontsize="small"
        )
        axis.plot([x_range[0], roof / memory], [roof, roof], ":", color=LINE, linewidth=0.8)


def draw_roofline(axes, measured):
    axis, x_range = axes[0], (0.1, 3e4)
    for mode, parts in PRODUCT_FILES.items():
        points = [
            (product_intensity(entry), rate(entry))
            for entry in results_of(measured, *parts)
            # In the other modes, what strict kernels compute is that of the strict mode.
            if mode == "strict" or entry["kernel"].startswith(("bf16", "fp16", "tf32", "emulated", "fast"))
        ]
        if unique(points):
            axis.scatter(*zip(*unique(points)), s=7, color=COLOUR_OF[mode], label=f"sgemm, {mode}")
    points = [
        (FLOP_PER_BYTE[entry["routine"]], FLOP_PER_BYTE[entry["routine"]] * entry["gbps"] / 1e3)
        for entry in results_of(measured, "sum", "gemsum", "level1", "level2")
        if entry["routine"] in FLOP_PER_BYTE and entry.get("gbps")
    ]
    if unique(points):
        axis.scatter(*zip(*unique(points)), s=7, color="C4", label="sums, levels 1 and 2")
    rungs = rungs_of(measured)
    axis.set(xlabel="flop by bytes of the operands", ylabel="TFLOP/s", xscale="log", yscale="log")
    axis.set(xlim=x_range, ylim=(LEAST_SHOWN, 500))
    draw_ceilings(axis, measured, x_range)
    if rungs:
        axis.scatter([x for _, _, x in rungs], [y for y, _, _ in rungs], s=18, color=TEXT, zorder=3)
        places = spread([math.log10(y) for y, _, _ in rungs], 0.155)
        down = max(0, places[-1] - 1.6)  # below the dots
        for place, (y, name, x) in zip(places, rungs):
            at = 10 ** (place - down)
            axis.plot([x, 1900], [y, at], color=LINE, linewidth=0.6)
            axis.text(2100, at, name, fontsize="x-small", va="center")
    label_plainly(axis.xaxis)
    label_plainly(axis.yaxis)
    put_legend_below(axis.figure, axis)


# ---- Ratio over size and shape -------------------------------------------------------------------

BINS = 5


def bin_of(value, factor):
    return min(int(math.log(value, factor) + 1e-9), BINS - 1)


def draw_cells(axis, cells, factor):
    """cells: {(across, up): ratios}"""
    from matplotlib.patches import Rectangle

    for least, fill in RATIO_FILLS:
        for (across, up), ratios in sorted(cells.items()):
            mean = statistics.geometric_mean(ratios)
            if fill == next(of for limit, of in reversed(RATIO_FILLS) if mean >= limit):
                axis.add_patch(Rectangle((across + 0.03, up + 0.03), 0.94, 0.94, facecolor=fill))
    for (across, up), ratios in sorted(cells.items()):
        mean, worst = statistics.geometric_mean(ratios), min(ratios)
        text = {"ha": "center", "va": "center", "color": "#1f2329"}  # on light and dark pages
        axis.text(across + 0.5, up + 0.64, f"{mean:.3f}"[:4], **text)
        axis.text(across + 0.5, up + 0.27, f"{worst:.3f}"[:4], fontsize="small", **text)
    ticks = [f"{factor**i}" if factor**i < 10000 else f"{factor**i // 1000}k" for i in range(BINS)]
    axis.set_xticks(range(BINS), labels=ticks)
    axis.set_yticks(range(BINS), labels=ticks)
    axis.set(xlim=(0, BINS), ylim=(0, BINS), aspect="equal")
    axis.grid(False)
    for side in axis.spines.values():
        side.set_visible(False)


DEPTHS = ((1, "k below 32"), (32, "k 32 to 511"), (512, "k from 512"))


def draw_product_map(part):
    def draw(axes, measured):
        entries = [e for e in results_of(measured, part) if e["ratio"] and rows.against_cublas(e)]
        for place, (axis, (least, title)) in enumerate(zip(axes, DEPTHS)):
            limit = DEPTHS[place + 1][0] if place + 1 < len(DEPTHS) else math.inf
            cells = {}
            for entry in entries:
                if least <= entry["k"] < limit:
                    sides = sorted((entry["m"], entry["n"]))
                    cells.setdefault(tuple(bin_of(side, 8) for side in sides), []).append(entry["ratio"])
            draw_cells(axis, cells, 8)
            axis.set(title=title, xlabel="smaller of m and n")
        axes[0].set_ylabel("larger of m and n")

    return draw


def draw_transpose_map(axes, measured):
    entries = results_of(measured, "transpose_random")
    for axis, incumbent in zip(axes, ("cublasSgeam", "device_copy")):
        cells = {}
        for entry in entries:
            if entry["incumbent"] == incumbent and entry["ratio"]:
                cell = (bin_of(entry["n"], 16), bin_of(entry["m"], 16))
                cells.setdefault(cell, []).append(entry["ratio"])
        draw_cells(axis, cells, 16)
        axis.set(title=f"against {incumbent}", xlabel="n")
    axes[0].set_ylabel("m")


# ---- Squares -------------------------------------------------------------------------------------


def draw_squares(axes, measured):
    for axis, form in zip(axes, ("NN", "NT", "TN", "TT")):
        for mode, (public, *_) in PRODUCT_FILES.items():
            of_form = [e for e in results_of(measured, public) if is_square(e) and form_of(e) == form]
            points = sorted({e["n"]: rate(e) for e in of_form}.items())
            if points:
                axis.plot(*zip(*points), marker="o", markersize=3, color=COLOUR_OF[mode], label=mode)
            theirs = sorted((e["n"], incumbent_rate(e)) for e in of_form if rows.against_cublas(e))
            if theirs and mode == "strict":
                style = {"marker": "o", "markersize": 3, "color": COLOUR_OF["cuBLAS"]}
                axis.plot(*zip(*theirs), label="cuBLAS FP32", **style)
        axis.set(title=form, xscale="log", xlim=(50, None), ylim=(0, None))
        label_plainly(axis.xaxis)
    for axis in axes[2:]:
        axis.set_xlabel("m = n = k")
    for axis in axes[::2]:
        axis.set_ylabel("TFLOP/s")
    put_legend_below(axes[0].figure, axes[0])


def draw_rectangles(axes, measured):
    axis, names = axes[0], {}
    for mode, (public, *_) in PRODUCT_FILES.items():
        shown = [e for e in results_of(measured, public) if not is_square(e) and rows.against_cublas(e)]
        places = [names.setdefault(name_of(entry), len(names)) for entry in shown]
        ratios = [entry["ratio"] for entry in shown]
        axis.scatter(ratios, places, s=22, color=COLOUR_OF[mode], label=mode, zorder=3)
    axis.axvline(1, color=TEXT, linewidth=0.8)
    axis.set_yticks(range(len(names)), labels=names, fontsize="small")
    axis.margins(y=0.02)
    axis.invert_yaxis()
    axis.set(xlabel="ratio", xscale="log")
    label_plainly(axis.xaxis)
    put_legend_below(axis.figure, axis)


# ---- Regret --------------------------------------------------------------------------------------


def draw_regret(axes, measured):
    regret = measured["regret"]
    for mode, quantiles in regret["quantiles"].items():
        percent = [100 * i / (len(quantiles) - 1) for i in range(len(quantiles))]
        axes[0].plot([100 * (q - 1) for q in quantiles], percent, color=COLOUR_OF[mode], label=mode)
    axes[0].set(xlabel="% longer than the best kernel", ylabel="% of calls", xlim=(0, 20), ylim=(75, 100.5))
    sets = list(dict.fromkeys(entry["set"] for entry in regret["results"]))
    for mode in regret["quantiles"]:
        of_mode = {entry["set"]: entry for entry in regret["results"] if entry["mode"] == mode}
        means = [100 * (of_mode[name]["mean"] - 1) for name in sets]
        tails = [100 * (of_mode[name]["percentile_95"] - 1) for name in sets]
        axes[1].scatter(means, range(len(sets)), s=28, color=COLOUR_OF[mode])
        axes[1].scatter(tails, range(len(sets)), s=28, color=COLOUR_OF[mode], marker="|")
    axes[1].set_yticks(range(len(sets)), labels=sets)
    axes[1].invert_yaxis()
    axes[1].set(xlabel="dots: mean, bars: 95th percentile", xlim=(0, None))
    put_legend_below(axes[0].figure, axes[0])


# ---- Accuracy against speed ----------------------------------------------------------------------

FP32 = "cublasSgemm"


def speeds_of(measured):
    """{contender: TFLOP/s} and of what: all of one kind of measurement."""
    energy = {entry["contender"]: entry["tflops"] for entry in results_of(measured, "sgemm_energy")}
    if energy:
        return energy, "TFLOP/s at 8192 cubed for seconds"
    speeds = {}
    for mode, (public, *_) in PRODUCT_FILES.items():
        for entry in results_of(measured, public):
            if entry["n"] == 8192 and is_square(entry) and form_of(entry) == "NN":
                speeds[mode] = rate(entry)
                if mode == "strict" and entry["incumbent"] == FP32:
                    speeds[FP32] = incumbent_rate(entry)
    return speeds, "TFLOP/s at 8192 cubed"


def draw_accuracy(axes, measured):
    axis = axes[0]
    speeds, label = speeds_of(measured)
    entries = [entry for entry in results_of(measured, "sgemm_accuracy") if entry["contender"] in speeds]
    depth = max((e["k"] for e in entries if e["k"] <= 4096), default=None)
    side = max((e["n"] for e in entries), default=None)
    errors = {}
    for entry in entries:
        # Beyond the range of its type a library's error is the text "inf".
        if (entry["k"], entry["n"]) == (depth, side) and isinstance(entry["mean_ulp"], float):
            errors.setdefault(entry["contender"], {})[entry["data"]] = entry["mean_ulp"]
    for contender, by_data in errors.items():
        colour, x = COLOUR_OF.get(contender, "C1"), speeds[contender]
        low, high, usual = min(by_data.values()), max(by_data.values()), by_data.get("uniform")
        axis.plot([x, x], [low, high], color=colour, linewidth=2)
        axis.scatter([x, x], [low, high], s=120, marker="_", color=colour)
        middle = usual or statistics.median(by_data.values())
        axis.scatter([x], [middle], s=50, color=colour)
        axis.annotate(contender, (x, high), xytext=(0, 6), textcoords="offset points", ha="center")
    axis.set(xlabel=label, ylabel="mean error, units of 2^-24 |A||B|", xscale="log", yscale="log")
    axis.margins(y=0.12)
    if errors:
        shown = [speeds[contender] for contender in errors]
        axis.set_xlim(0.8 * min(shown), 1.6 * max(shown))
    label_plainly(axis.xaxis)
    label_plainly(axis.yaxis)


# ---- Bandwidths ----------------------------------------------------------------------------------


LEAST_BYTES = 1e5


def draw_rates(axis, entries, label, ceilings, measured):
    """Ours by label, then those of the incumbents that are named."""
    entries = [entry for entry in entries if rows.moved_bytes(entry) >= LEAST_BYTES]
    series = gather(entries, label, rows.moved_bytes, rate)
    series = {name: dict(points).items() for name, points in series.items()}
    draw_lines(axis, series, "bytes read and written", has_legend=False, base=10)
    for name, text in ceilings.items():
        height = ceiling_of(measured, name)
        if height:
            axis.axhline(height, color=TEXT, linewidth=1.2, linestyle="--")
            axis.annotate(
                text, (0.02, height), xycoords=("axes fraction", "data"), xytext=(0, 3),
                textcoords="offset points", fontsize="small",
            )  # fmt: skip


def draw_incumbents(axis, entries, names):
    for incumbent, name in names.items():
        points = [
            (rows.moved_bytes(e), incumbent_rate(e))
            for e in entries
            if e["incumbent"] == incumbent and rows.moved_bytes(e) >= LEAST_BYTES
        ]
        if points:
            axis.plot(*zip(*sorted(points)), linewidth=1, marker="o", markersize=2, label=name)


COPY, READ = {"copy_gbps": "device copy"}, {"read_gbps": "read alone"}


def is_our_row(entry):
    """One row for each call of ours, whatever it is held against."""
    return entry.get("offset", 0) == 0 and entry["time_us"] > 0


def draw_sums(axis, measured):
    entries = [e for e in results_of(measured, "sum") if is_our_row(e)]
    draw_rates(axis, entries, lambda e: e["routine"], READ, measured)
    of_sum = [e for e in entries if e["routine"] == "sum"]
    draw_incumbents(axis, of_sum, {"cub::DeviceReduce::Sum": "CUB", "cublasSasum": "cublasSasum"})
    axis.set_title("sums")


def is_aligned_square(e):
    return is_square(e) and e["n"] % 64 == 0 and e["lda"] == e["m"] and e["elem_bytes"] == 4 and not e["in_place"]


def draw_transposes(axis, measured):
    entries = [e for e in results_of(measured, "transpose") if is_aligned_square(e) and is_our_row(e)]
    draw_rates(axis, entries, lambda e: e["routine"], COPY, measured)
    draw_incumbents(axis, entries, {"cublasSgeam": "cublasSgeam", "device_copy": "copy"})
    axis.set_title("transposes of squares")


def draw_routines(part, routines, title):
    def draw(axis, measured):
        first = {}  # form of each routine
        entries = []
        for entry in results_of(measured, part):
            if entry["routine"] in routines and is_our_row(entry) and is_square(entry):
                if form_of(entry) == first.setdefault(entry["routine"], form_of(entry)):
                    entries.append(entry)
        entries.sort(key=lambda e: routines.index(e["routine"]))
        draw_rates(axis, entries, lambda e: e["routine"], READ | COPY, measured)
        axis.set_title(title)

    return draw


BANDWIDTHS = (
    ("sum", draw_sums),
    ("transpose", draw_transposes),
    ("level1", draw_routines("level1", ("dot", "asum", "iamax", "axpy", "copy", "swap", "scal"), "vectors")),
    ("level2", draw_routines("level2", ("gemv", "ger", "symv", "syr", "trmv", "trsv"), "matrix and vector")),
)


def bandwidth_grid(measured):
    return math.ceil(sum(part in measured for part, _ in BANDWIDTHS) / 2), 2


def draw_bandwidths(axes, measured):
    shown = [draw for part, draw in BANDWIDTHS if part in measured]
    for axis, draw in zip(axes, shown):
        draw(axis, measured)
        axis.set_ylim(0, 1.35 * axis.get_ylim()[1])  # room for the legend
        if axis.get_legend_handles_labels()[0]:
            look = {"fontsize": "small", "frameon": False, "handlelength": 1, "columnspacing": 1}
            axis.legend(loc="upper left", ncols=4, **look)
    for axis in axes[len(shown) :]:
        axis.set_axis_off()
    for axis in axes[::2]:
        axis.set_ylabel("GB/s")


# ---- Ways to the GPU's memory ---------------------------------------------------------------------

STEPS = {"up": "C0", "compute": "C1", "down": "C2"}


def memory_grid(measured):
    return len(measured), 1


def draw_memory(axes, measured):
    for axis, of in zip(axes, measured.values()):
        names = [entry["memory"] for entry in of["results"]]
        for lane, (step, colour) in enumerate(STEPS.items()):
            for place, name in enumerate(names):
                bars = [
                    (span["begin_ms"], span["end_ms"] - span["begin_ms"])
                    for span in of["spans"]
                    if (span["memory"], span["step"]) == (name, step)
                ]
                # A label once: matplotlib has one legend entry for each.
                label = step if place == 0 else None
                axis.broken_barh(bars, (place - 0.36 + 0.24 * lane, 0.22), facecolor=colour, label=label)
        axis.set_yticks(range(len(names)), labels=names)
        axis.invert_yaxis()
        axis.set(title=of["results"][0]["work"], xlim=(0, None))
    axes[-1].set_xlabel("ms")
    put_legend_below(axes[0].figure, axes[0])


# ---- All -----------------------------------------------------------------------------------------

MAP_TEXT = (
    "Upper numbers: the geometric mean of the ratios in the cell; lower numbers: the least. Blue cells: this library is faster "
    "than {}, orange cells: slower."
)

OVERVIEWS = [
    Overview(
        "roofline",
        "Roofline",
        draw_roofline,
        ("ladder_sgemm", *(part for parts in PRODUCT_FILES.values() for part in parts), "sum", "gemsum",
         "level1", "level2"),
        "Each dot is a call of a sweep; black dots are the rungs of [the ladder](ladder.md) at m = n = k = 4096. Dots above the "
        "slope have operands in the L2 cache. Calls below 0.05 TFLOP/s, which wait for their launch, are left out.",
        size=(8, 6),
    ),
    Overview("squares", "SGEMM of squares", draw_squares, tuple(of[0] for of in PRODUCT_FILES.values()),
             "Whole calls in each form and mode, and cuBLAS in FP32.", grid=(2, 2), size=(8, 3.25)),
    Overview("rectangles", "SGEMM of rectangles, ratio to cuBLAS in FP32", draw_rectangles,
             tuple(of[0] for of in PRODUCT_FILES.values()),
             "Where modes fall together, the strict kernel is the fastest in all.", size=(8, 7.5)),
    Overview("strict_map", "Strict SGEMM, random shapes, ratio to cuBLAS", draw_product_map("sgemm_strict_random"),
             ("sgemm_strict_random",), MAP_TEXT.format("cuBLAS"), grid=(1, 3), size=(8, 3.05)),
    Overview("fast_map", "Fast SGEMM, random shapes, ratio to cuBLAS in FP32", draw_product_map("sgemm_fast_random"),
             ("sgemm_fast_random",), MAP_TEXT.format("cuBLAS"), grid=(1, 3), size=(8, 3.05)),
    Overview("transpose_map", "Transposes, random shapes", draw_transpose_map, ("transpose_random",),
             MAP_TEXT.format("cublasSgeam or a copy"), grid=(1, 2), size=(8, 4.6)),
    Overview(
        "regret", "Regret of the selection", draw_regret, ("regret",),
        "What the chosen kernel takes longer than the fastest one, for calls that the model was not fitted to; on the right by set "
        "of calls. Written by `bench/fit.py --check --regret bench/results`.",
        grid=(1, 2), size=(8, 4), share_y=False,
    ),
    Overview(
        "accuracy", "Accuracy against speed", draw_accuracy,
        ("sgemm_accuracy", "sgemm_energy", *(of[0] for of in PRODUCT_FILES.values())),
        "Dots: uniform data; lines: from the best to the worst kind of data that the type can hold. Lower is more accurate.",
        needs=("sgemm_accuracy",),
    ),
    Overview("memory", "Ways to the GPU's memory", draw_memory, ("memory_product", "memory_vector"),
             "Data in host memory, brought to the GPU, worked on and brought back: [what to learn from it](memory.md).",
             grid=memory_grid, size=(8, 3.2), share_y=False),
    Overview("bandwidth", "Bandwidths", draw_bandwidths, tuple(part for part, _ in BANDWIDTHS),
             "Rates above a ceiling are of operands in the L2 cache.", grid=bandwidth_grid, size=(8, 3.6), share_y=False),
]  # fmt: skip
