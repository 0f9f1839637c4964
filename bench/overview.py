"""The plots that the performance page shows first for a GPU. They need several files of results.

A plot draws the results that exist. `draw` gets the axes and {part: results of its file} for the
measured parts.
"""

import collections.abc
import dataclasses

import engine_tables
from bandwidth_plots import BANDWIDTHS, bandwidth_grid, draw_bandwidths
from plots import PRODUCT_FILES
from product_plots import draw_accuracy, draw_rectangles, draw_regret, draw_squares
from ratio_maps import draw_product_map, draw_transpose_map
from roofline import draw_roofline


@dataclasses.dataclass
class Overview:
    """A picture from the results of `parts`, as far as they exist. Without all of `needs` there is
    no picture."""

    name: str
    caption: str
    draw: collections.abc.Callable
    parts: tuple
    text: str  # what to see in it
    needs: tuple = ()
    grid: object = (1, 1)  # rows and columns, or a function that computes them from the results
    size: tuple = (8, 4.5)  # inches: width, and height of a row of axes
    share_y: bool = True

    def layout(self, measured):
        """Rows and columns of axes, and inches."""
        grid = self.grid(measured) if callable(self.grid) else self.grid
        return grid, (self.size[0], self.size[1] * grid[0])

    def of(self, measured):
        """The parts of a GPU's results that it shows; nothing if it cannot be drawn."""
        found = {part: measured[part] for part in self.parts if part in measured}
        has_needs = found and all(part in found for part in self.needs)
        return found if has_needs and self.layout(found)[0][0] > 0 else {}


MAP_TEXT = (
    "Upper numbers: the geometric mean of the ratios in the cell; lower numbers: the least. Blue "
    "cells: this library is faster than {}, orange cells: slower."
)

PUBLIC = tuple(parts[0] for parts in PRODUCT_FILES.values())

OVERVIEWS = [
    Overview(
        "roofline",
        "Roofline",
        draw_roofline,
        ("ladder_sgemm", *sum(PRODUCT_FILES.values(), ()), "sum", "gemsum", "level1", "level2"),
        "Each dot is a call of a sweep; the dots with names are the rungs of [the "
        "ladder](ladder.md) at m = n = k = 4096. Dots above the slope have operands in the L2 "
        "cache. Calls below 0.05 TFLOP/s, most of whose time is the launch, are left out.",
        size=(8, 6),
    ),
    Overview("squares", "SGEMM of squares", draw_squares, PUBLIC,
             "Whole calls in each form and mode, and cuBLAS in FP32.", grid=(2, 2), size=(8, 3.25)),
    Overview("rectangles", "SGEMM of rectangles, ratio to cuBLAS in FP32", draw_rectangles,
             PUBLIC,
             "Where the dots of modes coincide, the modes take the same kernel.", size=(8, 7.5)),
    Overview("strict_map", "Strict SGEMM, random shapes, ratio to cuBLAS",
             draw_product_map("sgemm_strict_random"), ("sgemm_strict_random",),
             MAP_TEXT.format("cuBLAS"), grid=(1, 3), size=(8, 3.05)),
    Overview("fast_map", "Fast SGEMM, random shapes, ratio to cuBLAS in FP32",
             draw_product_map("sgemm_fast_random"), ("sgemm_fast_random",),
             MAP_TEXT.format("cuBLAS"), grid=(1, 3), size=(8, 3.05)),
    Overview("transpose_map", "Transposes, random shapes", draw_transpose_map,
             ("transpose_random",), MAP_TEXT.format("cublasSgeam or a copy"), grid=(1, 2),
             size=(8, 4.6)),
    Overview(
        "regret", "Regret of the selection", draw_regret, ("regret",),
        "How much longer the chosen kernel takes than the fastest one, for calls that the model "
        "was not fitted to; on the right by set of calls. Written by `bench/fit.py --check "
        "--regret bench/results`.",
        grid=(1, 2), size=(8, 4), share_y=False,
    ),
    Overview(
        "accuracy", "Accuracy against speed", draw_accuracy,
        ("sgemm_accuracy", "sgemm_energy", *PUBLIC),
        "Dots: uniform data; lines: from the best to the worst kind of data that the type can "
        "hold. Lower is more accurate.",
        needs=("sgemm_accuracy",),
    ),
    Overview("bandwidth", "Bandwidths", draw_bandwidths, tuple(part for part, _ in BANDWIDTHS),
             "Where a rate exceeds the dashed ceiling of GPU memory, the operands lie in the L2 "
             "cache.",
             grid=bandwidth_grid, size=(8, 3.6), share_y=False),
    Overview("engines", "Time of engines against the number of GPUs", engine_tables.draw_engines,
             ("engines",),
             "Under the preload libraries and without. Dashed: half of the time on twice as many "
             "GPUs.",
             grid=engine_tables.grid, size=(8, 2.4), share_y=False),
]  # fmt: skip
