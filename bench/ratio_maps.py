"""Maps of ratios over size and shape. Each cell has the mean and the least ratio of random
shapes."""

import math
import statistics

import rows
from rows import results_of
from theme import RATIO_FILLS

BINS = 5


def bin_of(value, factor):
    return min(int(math.log(value, factor) + 1e-9), BINS - 1)


def draw_cells(axis, cells, factor):
    """cells: {(across, up): ratios}"""
    from matplotlib.patches import Rectangle

    for _, fill in RATIO_FILLS:
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
                    cell = tuple(bin_of(side, 8) for side in sides)
                    cells.setdefault(cell, []).append(entry["ratio"])
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
