"""The part of docs/performance.md with the results of bench/substitution/measure.py."""

from measurements import provenance, table


def calls(measured):
    rows = [
        (f"`{name.removesuffix('_nothing')}`", f"{e['forwarded']:.0f}", f"{e['served']:.0f}")
        for name, e in measured["overhead_nanoseconds"].items()
    ]
    return [
        "Cost of the preload library in nanoseconds, for calls of cuBLAS with nothing to compute: "
        "of a forwarded call, compared with a call without the preload library; of a served call, "
        "compared with the same call of libmyblas:",
        "",
        *table(["", "forwarded:", "served:"], rows),
        "",
    ]


LEAST_RATIO = 0.97


def calls_of(entry):
    """The calls of one run, from the report of the preload library."""
    if "served" not in entry:
        return "not counted"
    calls = [entry["served"]] if entry["served"] else []
    if entry["forwarded"]:
        calls.append(f"forwarded: {entry['forwarded']} ({entry['reasons']})")
    return "; ".join(calls) or "none"


MODES = ("strict", "emulated", "fast")


def program_row(entry):
    def number(key, form):
        return format(entry[key], form) if key in entry else ""

    plain_ms = f"{1e3 * entry['plain']:.4g}"
    ratios = [number(f"{mode}_ratio", ".2f") for mode in MODES]
    errors = [number(f"{name}_error", ".1e") for name in ("plain", *MODES)]
    return entry["program"], calls_of(entry), plain_ms, *ratios, number("noise", ".3f"), *errors


def programs(measured):
    modes = [f"{mode}:" for mode in MODES]
    heads = ["", "Calls", "plain, ms:", *modes, "noise:", "error, plain:", *modes]
    lines = [
        "Programs as they are, in FP32 without TF32, under the cuBLAS preload library. Calls: "
        "what one run calls of cuBLAS, by the library's report. Plain: one run after the other "
        "without the preload library. Strict, emulated and fast: how many times as fast it is in "
        "these modes. Noise: by how much a second plain process differs from the first. Errors are "
        "relative to the norm of the results, against FP64. The rest of a solver's time passes in "
        "cuSOLVER's own kernels, which a preload library for cuBLAS does not reach.",
        "",
    ]
    by_suite = {}
    for entry in measured:
        by_suite.setdefault(entry["suite"], []).append(entry)
    for suite, entries in sorted(by_suite.items(), key=lambda item: -len(item[1])):
        lines += [f"{suite}:", "", *table(heads, map(program_row, entries)), ""]
    slower = [
        f"{entry['program']} {mode} {ratio:.2f} (noise {entry['noise']:.2f})"
        for entry in measured
        for mode in MODES
        if (ratio := entry.get(f"{mode}_ratio", 1)) < LEAST_RATIO
    ]
    if slower:
        lines += [f"Slower than plain by more than 3%: {', '.join(slower)}.", ""]
    return lines


def blas(measured):
    rows = []
    parts = {
        "one thread": "`sgemm_`, one thread", "all threads": "`sgemm_`", "ssyrk": "`ssyrk_`",
        "strsm": "`strsm_`",
    }  # fmt: skip
    for part, calls in parts.items():
        for size, entry in measured.get(part, {}).items():
            rows.append(
                (calls, size, f"{1e6 * entry['blas']:.4g}", f"{1e6 * entry['program']:.4g}",
                 f"{entry['ratio']:.3f}", f"{entry['noise']:.3f}")
            )  # fmt: skip
    transfer = measured["transfer"]
    shares = ", ".join(
        f"{mode} {1e3 * entry['seconds']:.1f} ms ({100 * entry['share']:.0f}%)"
        for mode, entry in transfer.items()
        if isinstance(entry, dict) and "share" in entry
    )
    return [
        "Calls of a CPU program with square matrices, which is linked to OpenBLAS, under the BLAS "
        "preload library, in turn with OpenBLAS itself, with all threads unless told. *noise* is "
        "the relative difference between two measurements of OpenBLAS:",
        "",
        *table(
            ["", "n:", "OpenBLAS, µs:", "with the preload library, µs:", "times as fast:",
             "noise:"],
            rows,
        ),  # fmt: skip
        "",
        f"The lowest is {measured['least_ratio']:.3f}.",
        "",
        f"For n = {transfer['n']}, copying the operands and the result from and to pinned memory "
        f"takes {1e3 * transfer['seconds_of_copies']:.1f} ms, one after the other. The whole "
        f"`sgemm_`, from and to the program's own memory, takes (in brackets, the copies as a "
        f"percentage of it): {shares}.",
        "",
    ]


def render(measured):
    lines = ["### Programs that know nothing of it", ""]
    for part, present in (("calls", calls), ("programs", programs), ("blas", blas)):
        if part in measured:
            lines += present(measured[part])
    return [*lines, provenance(measured["context"]), ""]
