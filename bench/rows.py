"""What rows of results say: of one its work and rates, of many their ratios, by incumbent and class of work."""

import math
import statistics

# Classes of work, the last one open: (upper limit in floating-point operations or bytes moved, name).
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


def flops(entry):
    return 2 * entry["m"] * entry["n"] * entry["k"] * entry["batch"]


def payload_bytes(entry):
    return entry.get("m", 1) * entry["n"] * entry["elem_bytes"]


def moved_bytes(entry):
    """A transpose reads and writes, sums only read."""
    return (2 if entry["routine"] == "transpose" else 1) * payload_bytes(entry)


def form_of(entry):
    return entry["transa"] + entry["transb"]


def name_of(entry):
    if "k" in entry:
        return f"{form_of(entry)} {entry['m']} × {entry['n']} × {entry['k']}"
    return f"{entry['m']} × {entry['n']}"


def is_square(entry):
    return entry["m"] == entry["n"] == entry["k"]


def rate(entry, time="time_us"):
    """TFLOP/s of a product, else GB/s."""
    if "k" in entry:
        return flops(entry) / entry[time] / 1e6
    return moved_bytes(entry) / entry[time] / 1e3


def incumbent_rate(entry):
    return rate(entry, "incumbent_us")


def case_name(entry):
    """As the summary of myblas-bench has it, of a case with tight leading dimensions."""
    sizes = "x".join(str(entry[size]) for size in "mnk" if size in entry)
    form = f"{form_of(entry)} " if "k" in entry else ""
    batch = f" batch={entry['batch']}" if entry.get("batch", 1) != 1 else ""
    passing = " pointers" if entry.get("pointer_array") else ""
    return f"{form}{sizes}{batch}{passing} {entry['kernel']}"


def by_incumbent(entries):
    """{(routine, incumbent): entries that have a ratio}"""
    groups = {}
    for entry in entries:
        if entry["ratio"]:
            groups.setdefault((entry["routine"], entry["incumbent"]), []).append(entry)
    return groups


def classes_of(entries):
    """The names of the classes for such entries, in order."""
    limits = PRODUCTS if "k" in entries[0] else MOVES
    return [name for _, name in limits]


def class_of(entry):
    limits, work = (PRODUCTS, flops(entry)) if "k" in entry else (MOVES, moved_bytes(entry))
    return next(name for limit, name in limits if work < limit)


def by_class(entries):
    """{class: entries} for those classes that have any, and all of them at the end."""
    groups = {name: [] for name in classes_of(entries)}
    for entry in entries:
        groups[class_of(entry)].append(entry)
    return {name: group for name, group in groups.items() if group} | {ALL: entries}


class Summary:
    """Cases, the geometric mean of their ratios, the 5th percentile, and the case of the worst."""

    def __init__(self, entries):
        ratios = [entry["ratio"] for entry in entries]
        self.cases = len(ratios)
        self.mean = math.exp(statistics.fmean(map(math.log, ratios)))
        # Between neighbours, linearly.
        is_one = len(ratios) == 1
        self.fifth = ratios[0] if is_one else statistics.quantiles(ratios, n=20, method="inclusive")[0]
        self.worst = min(entries, key=lambda entry: entry["ratio"])
