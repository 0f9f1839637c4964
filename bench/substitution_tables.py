"""What bench/substitution/measure.py measured, as a part of docs/performance.md."""


def table(heads, rows):
    line = "| " + " | ".join(heads) + " |"
    rule = "| --- |" + " ---: |" * (len(heads) - 1)
    return [line, rule, *("| " + " | ".join(row) + " |" for row in rows), ""]


def calls(measured):
    rows = [
        (f"`{name.removesuffix('_nothing')}`", f"{entry['forwarded']:.0f}", f"{entry['served']:.0f}")
        for name, entry in measured["overhead_nanoseconds"].items()
    ]
    return [
        "A call of cuBLAS with nothing to compute takes so many nanoseconds more when it is forwarded than "
        "without the preload library, and when it is served than the same call of libmyblas:",
        "",
        *table(["", "forwarded", "served"], rows),
    ]


def pytorch(measured):
    rows = []
    for mode, sizes in measured.items():
        for size, entry in sizes.items():
            speedup = f"{entry['speedup']:.2f}" if "speedup" in entry else ""
            rows.append((f"{mode}, {size}", f"{1e3 * entry['seconds']:.2f}", speedup, f"{entry['error']:.1e}"))
    return [
        "`torch.mm` of square FP32 matrices, from the call to the result; plain is PyTorch by itself, the "
        "rest are modes of `MYBLAS_MATH`; errors are relative to the norms:",
        "",
        *table(["mode, size", "ms", "times as fast", "error"], rows),
    ]


def blas(measured):
    rows = []
    for name, times in measured.items():
        if name == "transfer":
            continue
        for size in times["plain"]:
            plain, preloaded = times["plain"][size], times["preloaded"][size]
            rows.append(
                (f"{size}{', one thread' if 'one thread' in name else ''}", f"{1e6 * plain:.4g}",
                 f"{1e6 * preloaded:.4g}", f"{times['ratio'][size]:.3f}")
            )  # fmt: skip
    transfer = measured["transfer"]
    shares = ", ".join(
        f"{mode} {1e3 * entry['seconds']:.1f} ms ({100 * entry['share']:.0f}%)"
        for mode, entry in transfer.items()
        if isinstance(entry, dict) and "share" in entry
    )
    lines = [
        "`sgemm_` of a CPU program with square matrices, linked to OpenBLAS:",
        "",
        *table(["n", "OpenBLAS, µs", "with the preload library, µs", "times as fast"], rows),
    ]
    return (lines if rows else []) + [
        f"To copy the operands and the result of n = {transfer['n']} from and to pinned memory takes "
        f"{1e3 * transfer['seconds_of_copies']:.1f} ms, one after the other. `sgemm_`, from and to the program's "
        f"own memory, and the share of the copies in that: {shares}.",
        "",
    ]


def render(measured):
    context = measured["context"]
    lines = ["## Programs that know nothing of it", ""]
    for part, present in (("calls", calls), ("pytorch", pytorch), ("blas", blas)):
        if part in measured:
            lines += present(measured[part])
    lines += [
        f"{context['gpu']}, driver {context['driver']}, {context['cpu']}; commit {context['commit']}, "
        f"{context['date'][:10]}: `{context['command']}`",
        "",
    ]
    return lines
