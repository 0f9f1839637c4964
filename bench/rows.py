"""Reads rows of results: the work and rates of one row, and the ratios of many, by incumbent and
class of work."""

import math
import statistics

# Classes of work, the last one open: (upper limit in operations or bytes moved, name).
PRODUCTS = [
    (1e7, "under 10 MFLOP"),
    (1e8, "10 to 100 MFLOP"),
    (1e9, "100 MFLOP to 1 GFLOP"),
    (1e10, "1 to 10 GFLOP"),
    (math.inf, "above 10 GFLOP"),
]
MOVES = [
    (1e6, "under 1 MB"),
    (1e7, "1 to 10 MB"),
    (1e8, "10 to 100 MB"),
    (1e9, "100 MB to 1 GB"),
    (math.inf, "above 1 GB"),
]
ALL = "all"


# The fields that make a form, in the order of BLAS's arguments.
FORM = ("side", "uplo", "transa", "transb", "trans", "diag")
# Passes over the payload. For other routines that move data, the work follows from the rate.
PASSES = {"transpose": 2, "sum": 1, "asum": 1, "dsum": 1, "gemsum": 1, "histogram": 1}


def counts_flops(entry):
    return "k" in entry or "gflops" in entry


def flops(entry):
    if "batch" in entry:
        return 2 * entry["m"] * entry["n"] * entry["k"] * entry["batch"]
    return entry["gflops"] * entry["time_us"] * 1e3


def payload_bytes(entry):
    return entry.get("m", 1) * entry["n"] * entry["elem_bytes"]


def moved_bytes(entry):
    """A transpose reads and writes, sums only read."""
    if entry["routine"] in PASSES:
        return PASSES[entry["routine"]] * payload_bytes(entry)
    return entry["gbps"] * entry["time_us"] * 1e3


def form_of(entry):
    return "".join(entry[part] for part in FORM if part in entry)


def sizes_of(entry):
    return [str(entry[size]) for size in "mnk" if size in entry]


def name_of(entry):
    return f"{form_of(entry)} {' × '.join(sizes_of(entry))}".strip()


def is_square(entry):
    return len(set(sizes_of(entry))) == 1


def against_cublas(entry):
    return entry["incumbent"].startswith(("cublas", "cblas"))


def rate(entry, time="time_us"):
    """TFLOP/s of a product, else GB/s."""
    if counts_flops(entry):
        return flops(entry) / entry[time] / 1e6
    return moved_bytes(entry) / entry[time] / 1e3


def incumbent_rate(entry):
    return rate(entry, "incumbent_us")


def case_name(entry):
    """The text of the summary of myblas-bench, for a case with tight leading dimensions and
    increments of one."""
    sizes = "x".join(sizes_of(entry)) if "lda" in entry or "m" in entry else f"n={entry['n']}"
    batch = f" batch={entry['batch']}" if entry.get("batch", 1) != 1 else ""
    passing = " pointers" if entry.get("pointer_array") else ""
    activation = f" {entry['activation']}" if entry.get("activation", "none") != "none" else ""
    scalars = "".join(f" {name}={entry[name]:g}" for name in ("alpha", "beta") if name in entry)
    options = f"{activation}{scalars}{batch}{passing}"
    return f"{form_of(entry)} {sizes}{options} {entry['kernel']}".strip()


def by_incumbent(entries):
    """{(routine, incumbent): entries that have a ratio}"""
    groups = {}
    for entry in entries:
        if entry["ratio"]:
            groups.setdefault((entry["routine"], entry["incumbent"]), []).append(entry)
    return groups


def class_of(entry):
    limits, work = (PRODUCTS, flops(entry)) if counts_flops(entry) else (MOVES, moved_bytes(entry))
    return next(name for limit, name in limits if work < limit)


def by_class(entries):
    """{class: entries} for those classes that have any, and all of them at the end."""
    groups = {name: [] for _, name in (PRODUCTS if counts_flops(entries[0]) else MOVES)}
    for entry in entries:
        groups[class_of(entry)].append(entry)
    return {name: group for name, group in groups.items() if group} | {ALL: entries}


class Summary:
    """The number of cases, the geometric mean of their ratios, the 5th percentile, and the worst
    case."""

    def __init__(self, entries):
        ratios = [entry["ratio"] for entry in entries]
        self.cases = len(ratios)
        self.mean = statistics.geometric_mean(ratios)
        # Interpolates linearly between neighbours. A single case is its own neighbour.
        several = ratios if len(ratios) > 1 else 2 * ratios
        self.fifth = statistics.quantiles(several, n=20, method="inclusive")[0]
        self.worst = min(entries, key=lambda entry: entry["ratio"])


def results_of(measured, *parts):
    return [entry for part in parts if part in measured for entry in measured[part]["results"]]


def ceiling_of(measured, name):
    """The largest ceiling that a run of these results measured, or None."""
    found = [of["context"].get("ceilings", {}).get(name) for of in measured.values()]
    return max((value for value in found if value), default=None)
