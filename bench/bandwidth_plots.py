"""Plots of the memory rates of routines that move data."""

import math

import rows
from plots import TEXT, draw_lines, gather
from rows import ceiling_of, form_of, incumbent_rate, is_square, rate, results_of

LEAST_BYTES = 1e5


def draw_rates(axis, entries, label, ceilings, measured):
    """Draws a line of our rates for each label, and the measured ceilings, with their texts."""
    entries = [entry for entry in entries if rows.moved_bytes(entry) >= LEAST_BYTES]
    series = gather(entries, label, rows.moved_bytes, rate)
    series = {name: dict(points).items() for name, points in series.items()}
    draw_lines(axis, series, "bytes read and written", has_legend=False, base=10)
    heights = {text: ceiling_of(measured, name) for name, text in ceilings.items()}
    heights = {text: height for text, height in heights.items() if height}
    for text, height in heights.items():
        axis.axhline(height, color=TEXT, linewidth=1.2, linestyle="--")
        # The text is above the highest line and below all others: lines may lie close together.
        is_highest = height == max(heights.values())
        up, alignment = (3, "bottom") if is_highest else (-4, "top")
        axis.annotate(
            text, (0.02, height), xycoords=("axes fraction", "data"), xytext=(0, up),
            textcoords="offset points", fontsize="small", va=alignment,
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
    """Whether the operands were aligned, and our call was timed."""
    return entry.get("offset", 0) == 0 and entry["time_us"] > 0


def draw_sums(axis, measured):
    entries = [e for e in results_of(measured, "sum") if is_our_row(e)]
    draw_rates(axis, entries, lambda e: e["routine"], READ, measured)
    of_sum = [e for e in entries if e["routine"] == "sum"]
    draw_incumbents(axis, of_sum, {"cub::DeviceReduce::Sum": "CUB", "cublasSasum": "cublasSasum"})
    axis.set_title("sums")


def is_aligned_square(e):
    is_aligned = e["n"] % 64 == 0 and e["lda"] == e["m"]
    return is_square(e) and is_aligned and e["elem_bytes"] == 4 and not e["in_place"]


def draw_transposes(axis, measured):
    entries = filter(is_our_row, results_of(measured, "transpose"))
    entries = list(filter(is_aligned_square, entries))
    draw_rates(axis, entries, lambda e: e["routine"], COPY, measured)
    draw_incumbents(axis, entries, {"cublasSgeam": "cublasSgeam", "device_copy": "copy"})
    axis.set_title("transposes of squares")


def draw_routines(part, routines, title):
    routines = routines.split()

    def draw(axis, measured):
        first = {}  # routine: its first form, the only one that is drawn
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
    ("level1", draw_routines("level1", "dot asum iamax axpy copy swap scal", "vectors")),
    ("level2", draw_routines("level2", "gemv ger symv syr trmv trsv", "matrix and vector")),
)


def bandwidth_grid(measured):
    return math.ceil(sum(part in measured for part, _ in BANDWIDTHS) / 2), 2


def draw_bandwidths(axes, measured):
    shown = [draw for part, draw in BANDWIDTHS if part in measured]
    for axis, draw in zip(axes, shown):
        draw(axis, measured)
        axis.set_ylim(0, 1.35 * axis.get_ylim()[1])  # room for the legend
        names = axis.get_legend_handles_labels()[1]
        if names:
            columns = 4 if max(map(len, names)) <= 6 else 2
            look = {"fontsize": "small", "frameon": False, "handlelength": 1, "columnspacing": 1}
            axis.legend(loc="upper left", ncols=columns, **look)
    for axis in axes[len(shown) :]:
        axis.set_axis_off()
    for axis in axes[::2]:
        axis.set_ylabel("GB/s")
