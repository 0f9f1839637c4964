"""The roofline: rates of calls by their arithmetic intensity, below the GPU's ceilings."""

import math

from plots import COLOUR_OF, LINE, PRODUCT_FILES, TEXT, label_plainly, put_legend_below
from render import LADDERS, family_of
from rows import ceiling_of, rate, results_of

# Dense TFLOP/s of BF16 and FP16 on tensor cores in NVIDIA's data sheets of the H100 SXM and the
# H200 SXM (half of the figure "with sparsity"). A product of floats takes six or three of limbs.
DATA_SHEET_TFLOPS = 989.5
KNOWN_TENSOR_CORES = ("H100 80GB HBM3", "H200")
TENSOR_KERNELS = ("bf16", "fp16", "tf32", "emulated", "fast")  # beginnings of their names
LEAST_SHOWN = 0.05  # TFLOP/s; calls with less work wait for their launch

# Floating-point operations by bytes that have to be moved, of routines whose rows give GB/s.
FLOP_PER_BYTE = {
    "sum": 1 / 4, "asum": 1 / 4, "gemsum": 1 / 4, "dot": 2 / 8, "nrm2": 2 / 4, "axpy": 2 / 12,
    "scal": 1 / 8, "rot": 6 / 16, "rotm": 6 / 16, "gemv": 2 / 4, "ger": 2 / 8, "symv": 4 / 4,
    "syr": 1 / 4, "syr2": 2 / 4, "trmv": 2 / 4, "trsv": 2 / 4,
}  # fmt: skip


def product_intensity(entry):
    """Flop by the bytes of A, B and C, each moved once."""
    m, n, k = entry["m"], entry["n"], entry["k"]
    return 2 * m * n * k / (4 * (m * k + k * n + m * n))


def unique(points, digits=2):
    """Points without those that would lie on an earlier one."""
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
    """Places for labels, as near to the ascending values as the least distance between labels
    allows."""
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
    style = {"xytext": (-4, 6), "textcoords": "offset points", "rotation": 41, "ha": "center"}
    axis.annotate("memory, measured", (1, memory), **style)
    for roof, name in roofs:
        style = "-" if name.endswith("measured") else "--"
        axis.plot([roof / memory, x_range[1]], [roof, roof], style, color=TEXT, linewidth=1.2)
        axis.annotate(
            name, (x_range[0], roof), xytext=(5, 2), textcoords="offset points", fontsize="small"
        )
        axis.plot([x_range[0], roof / memory], [roof, roof], ":", color=LINE, linewidth=0.8)


def draw_roofline(axes, measured):
    axis, x_range = axes[0], (0.1, 6e4)
    for mode, parts in PRODUCT_FILES.items():
        points = [
            (product_intensity(entry), rate(entry))
            for entry in results_of(measured, *parts)
            # In the other modes, cases that strict kernels compute are left to the strict mode.
            if mode == "strict" or entry["kernel"].startswith(TENSOR_KERNELS)
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
            axis.text(2100, at, name, fontsize="small", va="center")
    label_plainly(axis.xaxis)
    label_plainly(axis.yaxis)
    put_legend_below(axis.figure, axis)
