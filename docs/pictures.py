#!/usr/bin/env python3
"""Draws docs/pictures/*.svg from the kernels' own constants.

usage: docs/pictures.py LIBMYBLAS [--check]

LIBMYBLAS is a build with CUDA; no GPU is needed. Block tiles and numbers of threads come from the
library's list of kernels, warp and thread tiles and pairs of limbs from the kernels' sources.
--check changes nothing and fails if a picture is out of date.
"""

import argparse
import ctypes
import pathlib
import re
import sys
from xml.sax.saxutils import escape

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bench"))
from theme import COLOURS, DARK, LIGHT  # noqa: E402

DOCS = pathlib.Path(__file__).resolve().parent
SGEMM = DOCS.parent / "src/kernels/sgemm"
FOLDER = DOCS / "pictures"

SCALE = 0.7  # of a picture on a page; its texts can be read at half of its full size


# ---- Constants -----------------------------------------------------------------------------------


class KernelInfo(ctypes.Structure):
    """The beginning of myblasKernelInfo_t."""

    _fields_ = [
        ("size_bytes", ctypes.c_size_t),
        ("name", ctypes.c_char_p),
        ("description", ctypes.c_char_p),
        ("archs", ctypes.c_int * 2),
        ("block_m", ctypes.c_int),
        ("block_n", ctypes.c_int),
        ("block_k", ctypes.c_int),
        ("threads", ctypes.c_int),
        ("stages", ctypes.c_int),
        ("smem_bytes", ctypes.c_size_t),
        ("rest", ctypes.c_int * 3),
    ]


def kernels_of(library):
    """{name: KernelInfo} of the SGEMM kernels on CUDA."""
    cuda, sgemm = 2, 0  # MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_SGEMM
    functions = ctypes.CDLL(str(library.resolve()))
    count = ctypes.c_int()
    functions.myblasGetKernelCount(cuda, sgemm, ctypes.byref(count))
    found = {}
    for index in range(count.value):
        info = KernelInfo(size_bytes=ctypes.sizeof(KernelInfo))
        if functions.myblasGetKernelInfo(cuda, sgemm, index, ctypes.byref(info)) != 0:
            sys.exit(f"pictures.py: {library} does not describe kernel {index}")
        found[info.name.decode()] = info
    if not found:
        sys.exit(f"pictures.py: {library} has no CUDA kernels")
    return found


def numbers(file, pattern):
    """The numbers that the groups of the pattern match in a source."""
    match = re.search(pattern, (SGEMM / file).read_text())
    if not match:
        sys.exit(f"pictures.py: {file} has nothing like {pattern}")
    return [int(group) for group in match.groups()]


class Tiles:
    """A kernel's tiles, each (rows, columns): of a block, of a warp or warpgroup, of a thread."""

    def __init__(self, info, warp, thread, note, unit="warp"):
        self.name = info.name.decode()
        self.block = (info.block_m, info.block_n)
        self.warp, self.thread, self.note, self.unit = warp, thread, note, unit
        self.threads, self.stages, self.block_k = info.threads, info.stages, info.block_k

    def lines(self):
        thread = [f"thread {self.thread[0]} x {self.thread[1]}"] if self.thread else []
        return [
            f"block {self.block[0]} x {self.block[1]}, slabs of {self.block_k}",
            f"{self.unit} {self.warp[0]} x {self.warp[1]}",
            *thread,
            f"{self.threads} threads, {self.stages} stages",
            *self.note,
        ]


def warp_tile_of(kernels, name):
    block_m, block_n = name.split("/")[1].split("x")
    row = rf"warp_tile_shape<{block_m}, *{block_n}, *\d+, *(\d+), *(\d+), *(\d+), *\d+[,>]"
    warp_m, warp_n, lanes_m = numbers("simt/warp_tile.cu", row)
    thread = (warp_m // lanes_m, warp_n // (32 // lanes_m))
    return Tiles(kernels[name], (warp_m, warp_n), thread, ())


def double_buffered_of(kernels):
    file = "ladder/vector_slab.cuh"
    warp = numbers(file, r"warp_m = (\d+), warp_n = (\d+)")
    groups = numbers(file, r"quadrant_m = warp_m / (\d+), quadrant_n = warp_n / (\d+)")
    return Tiles(kernels["double_buffered"], warp, [4 * count for count in groups], ())


def stream_k_of(kernels):
    warp = numbers("simt/stream_k.cuh", r"warp_m = (\d+), warp_n = (\d+);")
    lanes = numbers("simt/stream_k.cuh", r"lanes_m = (\d+), lanes_n = (\d+), lanes_k = (\d+)")
    thread = (warp[0] // lanes[0], warp[1] // lanes[1])
    note = (f"{lanes[2]} lanes share a thread tile,", f"each takes every {lanes[2]}th k")
    return Tiles(kernels["stream_k/128x64"], warp, thread, note)


def small_tile_of(kernels):
    row = (
        r"tile_32x32_k16 = variant<small_tile_shape<small_tile_parameters{\s*"
        r"\.groups = (\d+), \.thread_m = (\d+), \.thread_n = (\d+), \.lanes_m = (\d+),"
    )
    groups, thread_m, thread_n, lanes_m = numbers("simt/small_tile.cu", row)
    warp = (lanes_m * thread_m, 32 // lanes_m * thread_n)
    note = (f"{groups} warps compute the same tile,", "each over slabs of its own")
    return Tiles(kernels["small_tile/32x32_k16"], warp, (thread_m, thread_n), note)


def short_k_of(kernels):
    row = r"using {} =\s+short_k_shape<short_k_parameters{{\.lanes_m = (\d+), \.thread_m = (\d+),"
    columns = r"thread_m = of\.thread_m, thread_n = (\d+);\s+static constexpr int warps = (\d+),"
    thread_n, warps = numbers("simt/short_k.cu", columns)
    blocks = []
    for shape in ("narrow", "tall", "square"):
        lanes_m, thread_m = numbers("simt/short_k.cu", row.format(shape))
        warp = (lanes_m * thread_m, 32 // lanes_m * thread_n)
        blocks.append(f"{warp[0]} x {warp[1] * warps}")
    note = (f"other blocks: {blocks[0]}", f"and {blocks[1]}")
    return Tiles(kernels["short_k"], warp, (thread_m, thread_n), note)


def limb_product_of(kernels, name):
    (groups,) = numbers("tensor/product.cuh", r"warpgroups = (\d+), halves = halves_")
    info = kernels[name]
    note = (f"{groups} warpgroups multiply,", "one copies or packs")
    return Tiles(info, (info.block_m // groups, info.block_n), None, note, "warpgroup")


def tf32x3_of(kernels, name):
    rows, columns = numbers(
        "tensor/tf32x3.cuh", r"block_m = (\d+) \* warpgroups_m, block_n = (\d+) \* warpgroups_n"
    )
    info = kernels[name]
    groups = info.threads // 128 * rows * columns // (info.block_m * info.block_n)
    return Tiles(
        info,
        (rows, columns),
        None,
        (f"{groups} warpgroups for each tile,", "each over slabs of its own"),
        "warpgroup",
    )


def pairs_of_limbs():
    """{scheme: [(limb of A, limb of B)] in the order in which they are added}"""
    text = (SGEMM / "tensor/limbs.cuh").read_text()
    found = {}
    for count, pairs in re.findall(r"limb_pairs<(\d)> pairs\{\{(.*?)\}\};", text):
        found[int(count)] = [(int(a), int(b)) for a, b in re.findall(r"\{(\d), (\d)\}", pairs)]
    if sorted(found) != [3, 6] or any(len(pairs) != count for count, pairs in found.items()):
        sys.exit("pictures.py: limbs.cuh does not list 3 and 6 pairs of limbs")
    return found


# ---- Drawing -------------------------------------------------------------------------------------


class Picture:
    def __init__(self, width, height, title):
        self.size, self.title, self.lines = (width, height), title, []

    def box(self, x, y, width, height, kind, radius=0):
        rounded = f' rx="{radius}"' if radius else ""
        self.lines.append(
            f'<rect class="{kind}" x="{x:g}" y="{y:g}" '
            f'width="{width:g}" height="{height:g}"{rounded}/>'
        )

    def text(self, x, y, words, kind="", anchor="start"):
        kind = f' class="{kind}"' if kind else ""
        anchor = f' text-anchor="{anchor}"' if anchor != "start" else ""
        self.lines.append(f'<text{kind} x="{x:g}" y="{y:g}"{anchor}>{escape(words)}</text>')

    def arrow(self, path):
        self.lines.append(f'<path class="arrow" marker-end="url(#head)" d="{path}"/>')

    def svg(self):
        def style(colours):
            background, text, line, quiet = colours
            return [
                f".back{{fill:{background}}}text{{fill:{text}}}.inside{{fill:#fff}}",
                f".quiet{{fill:{quiet};stroke:{line}}}"
                f".frame{{fill:none;stroke:{text};stroke-width:2}}",
                f".arrow{{fill:none;stroke:{line};stroke-width:3}}.head{{fill:{line}}}",
            ]

        width, height = self.size
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{SCALE * width:g}" '
                f'viewBox="0 0 {width} {height}">',
                f"<title>{escape(self.title)}</title>",
                "<style>",
                "text{font:22px 'DejaVu Sans',Verdana,Arial,sans-serif}.small{font-size:19px}",
                ".bold{font-weight:bold}"
                ".mono{font-family:'DejaVu Sans Mono',Menlo,monospace;font-size:20px}",
                *style(LIGHT),
                "".join(f".t{i}{{fill:{colour}}}" for i, colour in enumerate(COLOURS)),
                "@media (prefers-color-scheme:dark){",
                *style(DARK),
                "}",
                "</style>",
                '<marker id="head" markerWidth="5" markerHeight="5" refX="3" refY="2.5" '
                'orient="auto">'
                '<path class="head" d="M0 0L5 2.5L0 5z"/></marker>',
                f'<rect class="back" width="{width}" height="{height}"/>',
                *self.lines,
                "</svg>",
                "",
            ]
        )


def draw_tiles(picture, x, y, tiles):
    scale = 1.25  # pixels an element
    picture.text(x, y - 24, tiles.name, "bold")
    rows, columns = (scale * extent for extent in tiles.block)
    picture.box(x, y, columns, rows, "quiet")
    picture.box(x, y, scale * tiles.warp[1], scale * tiles.warp[0], "t0")
    if tiles.thread:
        picture.box(x, y, scale * tiles.thread[1], scale * tiles.thread[0], "t1")
    for i in range(0, tiles.block[0], tiles.warp[0]):
        for j in range(0, tiles.block[1], tiles.warp[1]):
            sizes = scale * tiles.warp[1], scale * tiles.warp[0]
            picture.box(x + scale * j, y + scale * i, *sizes, "frame")
    for number, line in enumerate(tiles.lines()):
        picture.text(x, y + rows + 30 + 27 * number, line, "small")


def draw_legend(picture, x, y, entries):
    for kind, words in entries:
        picture.box(x, y - 20, 26, 26, kind)
        picture.text(x + 38, y, words)
        x += 330


COLUMN = 330  # of a picture of tiles


def tiles_picture(kernels):
    shown = {
        (0, 0): double_buffered_of(kernels),
        (1, 0): warp_tile_of(kernels, "warp_tile/256x128"),
        (2, 0): warp_tile_of(kernels, "warp_tile/64x64"),
        (0, 1): small_tile_of(kernels),
        (1, 1): short_k_of(kernels),
        (2, 1): stream_k_of(kernels),
    }
    left, top = 20, 64
    picture = Picture(COLUMN * 3 + left, 990, "Block, warp and thread tiles of SGEMM kernels")
    for (across, down), tiles in shown.items():
        draw_tiles(picture, left + COLUMN * across, top + 500 * down, tiles)
    legend = (("quiet", "block tile"), ("t0", "tile of one warp"), ("t1", "tile of one thread"))
    draw_legend(picture, left, 930, legend)
    picture.text(
        left,
        968,
        "Sizes are to scale. The elements of a thread are apart in C, in groups of four.",
        "small",
    )
    return picture


def tensor_tiles_picture(kernels):
    shown = [
        limb_product_of(kernels, "fp16x3/256x128"),
        limb_product_of(kernels, "bf16x6/128x128"),
        tf32x3_of(kernels, "tf32x3/128x64"),
    ]
    left, top = 20, 64
    picture = Picture(
        COLUMN * 3 + left, 600, "Block and warpgroup tiles of the kernels on tensor cores"
    )
    for across, tiles in enumerate(shown):
        draw_tiles(picture, left + COLUMN * across, top, tiles)
    draw_legend(
        picture, left, 570, (("quiet", "block tile"), ("t0", "tile of one warpgroup (128 threads)"))
    )
    return picture


def stream_k_picture(kernels):
    info = kernels["stream_k/128x64"]
    tiles, slabs, workers = 8, 6, 6
    size, left, gap = 44, 100, 8
    title = f"{tiles} tiles of {info.block_m} x {info.block_n} on {workers} multiprocessors (SM)"
    picture = Picture(left + 2 * slabs * size + 40, 880, title)
    picture.text(20, 36, f"{title}, k = {slabs * info.block_k}:")
    picture.text(20, 64, f"each tile is {slabs} slabs of {info.block_k}. A colour is a tile.")

    def rows(top, heading, first_slab_of, count):
        picture.text(20, top, heading, "bold")
        for worker in range(workers):
            y = top + 18 + worker * (size + gap)
            picture.text(20, y + 29, f"SM {worker + 1}", "small")
            for at, slab in enumerate(first_slab_of(worker)):
                kind = "quiet" if slab is None else f"t{slab // slabs}"
                picture.box(left + at * size, y, size - 3, size - 3, kind)
        y = top + 18 + workers * (size + gap) + 14
        picture.text(left, y, count, "small")

    def one_block_a_tile(worker):
        first = list(range(worker * slabs, (worker + 1) * slabs))
        tile = worker + workers
        second = list(range(tile * slabs, (tile + 1) * slabs)) if tile < tiles else [None] * slabs
        return first + second

    share, longer = divmod(tiles * slabs, workers)  # as stream_k_plan deals them out

    def equal_shares(worker):
        begin = worker * share + min(worker, longer)
        return range(begin, begin + share + (worker < longer))

    rows(
        112,
        "One block for each tile",
        one_block_a_tile,
        f"{2 * slabs} steps; in the second round four idle",
    )
    rows(
        500,
        "Stream-K: equal shares of all slabs",
        equal_shares,
        f"{share} steps; a tile that is in two rows is",
    )
    picture.text(
        left,
        500 + 18 + workers * (size + gap) + 41,
        "finished by adding its parts in a fixed order",
        "small",
    )
    return picture


def stages_picture(kernels):
    """What happens when in the buffers of a block, with 1 stage and with more."""
    shown = ["shared_tile", "double_buffered", "warp_tile/256x128"]
    copy, steps = 3, 16  # multiplications that take as long as a copy; steps of time that are shown
    step, height, gap, left, top = 52, 38, 6, 110, 150
    counts = [kernels[name].stages for name in shown]
    width = left + step * steps + 20
    picture = Picture(
        width,
        top + sum(96 + count * (height + gap) for count in counts) - 10,
        "Stages of shared memory",
    )
    picture.text(
        20, 36, "A slab is copied to a stage of shared memory, then multiplied. A number is a slab."
    )
    picture.text(20, 64, f"Drawn for a copy that takes as long as {copy} multiplications.")
    for x, kind, words in ((20, "quiet", "copy"), (160, "t0", "multiplication")):
        picture.box(x, 84, 26, 26, kind)
        picture.text(x + 38, 104, words)
    y = top
    for name, stages in zip(shown, counts):
        plural = "" if stages == 1 else "s"
        free = [0] * stages  # the time from which each stage can take the next slab
        multiplied, finished, slab = 0, 0, 0
        picture.text(20, y, f"{name}, {stages} stage{plural}", "bold")
        while free[slab % stages] < steps:
            stage = slab % stages
            row = y + 16 + stage * (height + gap)
            begin = free[stage]
            ready = max(begin + copy, multiplied)  # multiplications are in turn
            for kind, at, end in (("quiet", begin, begin + copy), ("t0", ready, ready + 1)):
                if end <= steps:
                    picture.box(left + step * at, row, step * (end - at) - 4, height, kind)
                    middle = left + step * (at + end) / 2 - 2
                    inside = "small inside" if kind == "t0" else "small"
                    picture.text(middle, row + 26, str(slab + 1), inside, "middle")
            multiplied = free[stage] = ready + 1
            finished += multiplied <= steps
            slab += 1
        for stage in range(stages):
            picture.text(20, y + 42 + stage * (height + gap), f"stage {stage + 1}", "small")
        y += 16 + stages * (height + gap)
        picture.text(left, y + 24, f"{finished} slabs in {steps} steps", "small")
        y += 80
    return picture


def limbs_picture():
    pairs = pairs_of_limbs()
    schemes = [
        ("bf16x6, emulated", [("8 bits", 8)] * 3, pairs[6], "all 24 bits of a float"),
        ("fp16x3, fast", [("11 bits", 11)] * 2, pairs[3], "22 to 23 bits, scaled"),
        ("tf32x3, emulated and fast", [("11 bits", 11)] * 2, pairs[3], "22 to 23 bits, no scales"),
    ]
    column, left = 350, 20
    picture = Picture(column * 3 + left, 450, "Floats as limbs, and the products that are computed")
    for number, (name, limbs, computed, holds) in enumerate(schemes):
        x = left + column * number
        picture.text(x, 36, name, "bold")
        at = x
        for limb, (words, bits) in enumerate(limbs):
            picture.box(at, 56, 12 * bits - 4, 40, f"t{limb}")
            picture.text(at + 6 * bits - 2, 83, words, "small inside", "middle")
            at += 12 * bits
        picture.text(x, 128, holds, "small")
        cell, top = 62, 180
        side = len(limbs)
        picture.text(x + 70, top - 14, "limbs of B", "small")
        for a in range(side):
            picture.text(x, top + cell * a + 40, "of A" if a == 0 else "", "small")
            for b in range(side):
                place = (x + 70 + cell * b, top + cell * a, cell - 4, cell - 4)
                if (a, b) in computed:
                    picture.box(*place, f"t{a + b}")
                    order = str(computed.index((a, b)) + 1)
                    picture.text(place[0] + 29, place[1] + 38, order, "inside bold", "middle")
                else:
                    picture.box(*place, "quiet")
        y = top + cell * side + 30
        picture.text(x, y, f"{len(computed)} products, in this order,", "small")
        picture.text(x, y + 27, "the least significant first", "small")
    return picture


def call_picture():
    steps = [
        ("mysgemm()", "myblas.h", "arguments"),
        ("check", "src/api", "problem"),
        ("select", "src/select", "kernel"),
        ("launch", "src/kernels", "work"),
        ("GPU", "the stream", ""),
    ]
    width, height, gap, left, top = 156, 92, 70, 20, 60
    step = width + gap
    picture = Picture(left * 2 + step * len(steps) - gap, 260, "The way of a call")
    for number, (name, place, passes) in enumerate(steps):
        x = left + step * number
        picture.box(x, top, width, height, "quiet", 10)
        picture.text(x + width / 2, top + 40, name, "bold", "middle")
        picture.text(x + width / 2, top + 70, place, "small", "middle")
        if passes:
            picture.arrow(f"M{x + width + 6} {top + height / 2}H{x + step - 12}")
            picture.text(x + width + gap / 2, top - 18, passes, "small", "middle")
    y = top + height + 50
    picture.arrow(
        f"M{left + step * 3 + width / 2} {top + height + 6}"
        f"V{y}H{left + width / 2}V{top + height + 14}"
    )
    picture.text(
        left + step * 1.5 + width / 2,
        y + 32,
        "only a status comes back, before the GPU is done",
        "small",
        "middle",
    )
    return picture


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("library", type=pathlib.Path, help="libmyblas.so with CUDA kernels")
    parser.add_argument("--check", action="store_true", help="fail if a picture is out of date")
    arguments = parser.parse_args()
    kernels = kernels_of(arguments.library)
    pictures = {
        "tiles": tiles_picture(kernels),
        "tensor_tiles": tensor_tiles_picture(kernels),
        "stream_k": stream_k_picture(kernels),
        "stages": stages_picture(kernels),
        "limbs": limbs_picture(),
        "call": call_picture(),
    }
    status = 0
    for name, picture in pictures.items():
        file = FOLDER / f"{name}.svg"
        if not arguments.check:
            FOLDER.mkdir(exist_ok=True)
            file.write_text(picture.svg())
        elif not file.exists() or file.read_text() != picture.svg():
            print(f"{file} is out of date: run docs/pictures.py {arguments.library}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
