"""What bench/engines/measure.py measured, as a part of docs/performance.md."""

import dataclasses
import math

from measurements import load, provenance, table
from plots import LINE, label_plainly, put_legend_below

PLAIN = "plain"
MODES = (PLAIN, "strict", "emulated", "fast")
COLOURS = {PLAIN: "C1", "strict": "C0", "emulated": "C2", "fast": "C3"}
ONE_GPU = "torch.mm"  # what cuBLASMp's products on several GPUs are compared with
BYTES = 4
# Of host matrices: bytes that go up and come down, divided by those of a square matrix.
MOVED = {"sgemm_": (2, 1), "ssyrk_": (1, 0.5), "strsm_": (1.5, 1)}


@dataclasses.dataclass
class Work:
    """A kind of work of one size, by the number of GPUs and the mode."""

    engine: str
    name: str
    n: int
    rows: dict = dataclasses.field(default_factory=dict)  # {(gpus, mode): row}; 0: without a GPU

    def gpus(self):
        return sorted({gpus for gpus, _ in self.rows if gpus} or {0})

    def modes(self):
        present = {mode for _, mode in self.rows}
        return [mode for mode in MODES if mode in present]

    def row(self, gpus, mode):
        return self.rows.get((gpus, mode)) or self.rows.get((0, mode))

    def ms(self, gpus, mode):
        row = self.row(gpus, mode)
        return row["ms"] if row else None

    def title(self):
        return f"{self.name}, {self.n}"


def works(measured):
    """In the order of the results. Products of cuBLASMp begin with what one GPU takes."""
    found = {}
    for row in measured.get("results", []):
        key = row["engine"], row["work"], row["n"]
        work = found.setdefault(key, Work(*key))
        work.rows[row["gpus"], row["mode"]] = row
    alone = {key: work for key, work in found.items() if key[1] == ONE_GPU}
    for engine, name, n in found:
        one = alone.get((engine, ONE_GPU, n))
        if one and name != ONE_GPU:
            work = found[engine, name, n]
            work.rows = one.rows | work.rows
    distributed = {(engine, n) for engine, name, n in found if name != ONE_GPU}
    kept = [w for key, w in found.items() if key not in alone or (w.engine, w.n) not in distributed]
    engines = list(dict.fromkeys(work.engine for work in kept))
    return sorted(kept, key=lambda work: (engines.index(work.engine), work.n))


def least_ms(measured, work, gpus):
    """That the links between host and GPUs take, if each matrix crosses them once."""
    links = next((row for row in measured.get("links", []) if row["gpus"] == gpus), None)
    if not links or work.name not in MOVED:
        return None
    up, down = (part * BYTES * work.n**2 for part in MOVED[work.name])
    seconds = max(up / links["up"], down / links["down"], (up + down) / links["both"]) / 1e9
    return 1e3 * seconds


def cell(work, gpus, mode):
    ms, plain = work.ms(gpus, mode), work.ms(gpus, PLAIN)
    if ms is None:
        return ""
    wrong = "" if work.row(gpus, mode)["is_right"] else ", WRONG"
    ratio = f" ({plain / ms:.2f} ×)" if plain and mode != PLAIN else ""
    count = work.row(gpus, mode).get("ranks")
    ranks = f", {count} ranks" if count else ""
    return f"{milliseconds(ms)}{ratio}{ranks}{wrong}"


def milliseconds(ms):
    return f"{ms:.0f}" if ms >= 1000 else f"{ms:.4g}"


def speed_up(work, gpus, mode):
    ms, alone = work.ms(gpus, mode), work.ms(1, mode)
    return f"{alone / ms:.2f}" if ms and alone and (gpus, mode) in work.rows else "–"


def error(work, gpus, mode):
    row = work.row(gpus, mode)
    return f"{row['error']:.1e}" if row else ""


def engine_table(measured, of_engine):
    modes = [mode for mode in MODES if any(mode in work.modes() for work in of_engine)]
    links = any(least_ms(measured, work, gpus) for work in of_engine for gpus in work.gpus())
    rows = []
    for work in of_engine:
        for gpus in work.gpus():
            least = least_ms(measured, work, gpus)
            rows.append((
                work.name, work.n, gpus, *(cell(work, gpus, mode) for mode in modes),
                ", ".join(speed_up(work, gpus, mode) for mode in modes) if gpus > 1 else "",
                *([milliseconds(least) if least else ""] if links else []),
                *(error(work, gpus, mode) for mode in modes),
            ))  # fmt: skip
    first, *others = modes
    heads = ["", "n:", "GPUs:", *(f"{mode}, ms:" for mode in modes), "times one GPU:"]
    heads += ["links, ms:"] if links else []
    heads += [f"error, {first}:", *(f"{mode}:" for mode in others)]
    return table(heads, rows)


def calls_table(measured):
    """Of the runs on the most GPUs: what the reports of all processes say."""
    rows = []
    for job in measured.get("jobs", []):
        most = max(j["gpus"] for j in measured["jobs"] if j["part"] == job["part"])
        if job["gpus"] == most and "served" in job:
            forwarded = f"{job['forwarded']} ({job['reasons']})" if job["forwarded"] else "none"
            kernels = job["kernels"] or "none"
            run = job["part"] + (f", {job['ranks']} ranks" if "ranks" in job else "")
            rows.append((run, job["gpus"], job["mode"], kernels, forwarded))
    heads = ["Run", "GPUs:", "Mode", "Kernels (calls served)", "Forwarded"]
    return table(heads, rows) if rows else []


EXPLANATION = (
    "Programs that know nothing of myblas, plain and under the preload libraries, one process for "
    "each GPU where not told otherwise. In brackets: how many times as fast as plain on as many "
    "GPUs. *Times one GPU*: the time on one GPU, divided by this time, in the same mode, for the "
    "modes in their order. Errors are relative to the norm of the result, against double "
    "precision. For products of cuBLASMp, one GPU computes the whole product by `torch.mm`. Plain "
    "host matrices and ScaLAPACK are computed by OpenBLAS on all cores, without a GPU. *links*: "
    "the time that copies of the matrices take if each crosses the links between host and GPUs "
    "once, at the rates of the first table."
)


def links_table(measured):
    names = {"up": "host to GPUs:", "down": "GPUs to host:", "both": "both at once:",
             "ring": "GPU to GPU, in a ring:"}  # fmt: skip
    links = sorted(measured.get("links", []), key=lambda row: row["gpus"])
    if not links:
        return []
    rows = [(row["gpus"], *(row.get(key, "") for key in names)) for row in links]
    return ["GB/s of all GPUs together:", "", *table(["GPUs:", *names.values()], rows), ""]


def failures(measured):
    failed = [
        f"{job['part']}, {job['mode']}, {job['gpus']} GPUs ({job['status']})"
        for job in measured.get("jobs", [])
        if job["status"] != "ended"
    ]
    text = f"Runs that failed, were left out or cut off: {'; '.join(failed)}."
    return [text, ""] if failed else []


def render(measured):
    lines = ["### Engines and host matrices on several GPUs", "", EXPLANATION, ""]
    lines += links_table(measured)
    by_engine = {}
    for work in works(measured):
        by_engine.setdefault(work.engine, []).append(work)
    for engine, of_engine in by_engine.items():
        lines += [f"{engine}:", "", *engine_table(measured, of_engine), ""]
    calls = calls_table(measured)
    lines += ["Calls by the report of the preload libraries:", "", *calls, ""] if calls else []
    lines += failures(measured)
    versions = measured["context"].get("versions", {})
    shown = ", ".join(f"{name} {version}" for name, version in versions.items())
    return [*lines, *([f"With {shown}.", ""] if shown else []), provenance(measured["context"]), ""]


def machines(results):
    """What the folders of results hold of engines: that of the most GPUs first."""
    files = [folder / "engines.json" for folder in results]
    return sorted((load(file) for file in files if file.exists()), key=most_gpus, reverse=True)


def most_gpus(measured):
    return max((row["gpus"] for row in measured.get("results", [])), default=0)


def summary(measured, engines=None):
    """Of each work its largest size, on the fewest GPUs that were measured and on the most."""
    largest = {}
    for work in works(measured):
        if engines is None or work.engine in engines:
            largest[work.engine, work.name] = work  # in the order of sizes
    modes = [mode for mode in MODES if any(mode in work.modes() for work in largest.values())]
    rows = [
        (work.engine, work.name, work.n, gpus, *(cell(work, gpus, mode) for mode in modes))
        for work in largest.values()
        for gpus in dict.fromkeys((work.gpus()[0], work.gpus()[-1]))
    ]
    heads = ["Engine", "Work", "n:", "GPUs:", *(f"{mode}, ms:" for mode in modes)]
    return table(heads, rows)


ALL_REDUCES = 4  # of 1 GiB, timed together by overlap.py


def reduce_scatter(measured):
    """What GEMM+RS takes on two GPUs if nothing overlaps: half of the product, and a reduce-scatter
    at the rate of the measured all-reduce, which moves twice as much."""
    ms = {}
    for row in measured.get("results", []):
        ms[row["work"], row["n"], row["gpus"], row["mode"]] = row["ms"]
    reduced = [t for (work, *_), t in ms.items() if work == f"{ALL_REDUCES} all-reduces of 1 GiB"]
    if not reduced:
        return []
    ms_of_gib = min(reduced) / ALL_REDUCES / 2
    rows = []
    for (work, n, gpus, mode), found in ms.items():
        alone, plain = ms.get((ONE_GPU, n, 1, mode)), ms.get((work, n, gpus, PLAIN))
        if work != "GEMM+RS" or gpus != 2 or not alone:
            continue
        scatter = ms_of_gib * BYTES * n**2 / 2**30
        least = alone / 2 + scatter
        ratio = f"{plain / least:.2f}" if plain and mode != PLAIN else ""
        rows.append((mode, n, *map(milliseconds, (alone / 2, scatter, least, found)), ratio,
                     f"{alone / least:.2f}"))  # fmt: skip
    heads = ["", "n:", "product, ms:", "reduce-scatter, ms:", "both, ms:", "measured, ms:",
             "both, times plain:", "both, times one GPU:"]  # fmt: skip
    return table(heads, rows) if rows else []


# ---- The plot ------------------------------------------------------------------------------------

COLUMNS = 3


def drawn(measured):
    """Works that more than one number of GPUs was measured of."""
    return [work for work in works(measured["engines"]) if len(work.gpus()) > 1]


def grid(measured):
    return math.ceil(len(drawn(measured)) / COLUMNS), COLUMNS


def draw_engines(axes, measured):
    """Time against GPUs; dashed: the time on the fewest GPUs, divided among more."""
    shown = drawn(measured)
    for axis, work in zip(axes, shown):
        for mode in MODES:
            points = [(g, ms) for g in work.gpus() if (ms := work.ms(g, mode)) is not None]
            if not points:
                continue
            axis.plot(*zip(*points), marker="o", markersize=3, color=COLOURS[mode], label=mode)
            (least, ms), (most, _) = points[0], points[-1]
            if (most, mode) in work.rows:
                axis.plot([least, most], [ms, ms * least / most], "--", color=LINE, linewidth=0.8)
        axis.set_title(f"{work.engine}\n{work.title()}", fontsize=9)
        axis.set_xscale("log", base=2)
        axis.set_yscale("log")
        axis.set_xticks(work.gpus(), labels=map(str, work.gpus()))
        axis.minorticks_off()
        label_plainly(axis.yaxis)
    for axis in axes[len(shown) :]:
        axis.set_visible(False)
    axes[0].set(xlabel="GPUs", ylabel="ms")
    put_legend_below(axes[0].figure, axes[0])
