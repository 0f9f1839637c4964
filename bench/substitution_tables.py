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
        "Cost of the preload library in nanoseconds, for calls of cuBLAS with nothing to compute: of a forwarded call, compared "
        "with a call without the preload library; of a served call, compared with the same call of libmyblas:",
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
        "`torch.mm` of square FP32 matrices, from the call to the result. *plain* is PyTorch without myblas, the "
        "others are modes of `MYBLAS_MATH`. Errors are relative to the norms:",
        "",
        *table(["mode, size", "ms", "times as fast", "error"], rows),
    ]


def blas(measured):
    rows = []
    for threads in ("one thread", "all threads"):
        for size, entry in measured[threads].items():
            rows.append(
                (f"{size}, {threads}", f"{1e6 * entry['blas']:.4g}", f"{1e6 * entry['program']:.4g}",
                 f"{entry['ratio']:.3f}", f"{entry['noise']:.3f}")
            )  # fmt: skip
    transfer = measured["transfer"]
    shares = ", ".join(
        f"{mode} {1e3 * entry['seconds']:.1f} ms ({100 * entry['share']:.0f}%)"
        for mode, entry in transfer.items()
        if isinstance(entry, dict) and "share" in entry
    )
    return [
        "`sgemm_` of a CPU program with square matrices, which is linked to OpenBLAS, under the BLAS preload library, in "
        "turn with OpenBLAS itself. *noise* is the relative difference between two measurements of OpenBLAS:",
        "",
        *table(["n", "OpenBLAS, µs", "with the preload library, µs", "times as fast", "noise"], rows),
        f"The lowest is {measured['least_ratio']:.3f}.",
        "",
        f"For n = {transfer['n']}, copying the operands and the result from and to pinned memory takes "
        f"{1e3 * transfer['seconds_of_copies']:.1f} ms, one after the other. The whole `sgemm_`, from and to the program's "
        f"own memory, takes (in brackets, the copies as a percentage of it): {shares}.",
        "",
    ]


def render(measured):
    context = measured["context"]
    lines = ["### Programs that know nothing of it", ""]
    for part, present in (("calls", calls), ("pytorch", pytorch), ("blas", blas)):
        if part in measured:
            lines += present(measured[part])
    lines += [
        f"{context['gpu']}, driver {context['driver']}, CUDA {context['cuda']}, {context['cpu']}; commit "
        f"{context['commit']}, "
        f"{context['date'][:10]}: `{context['command']}`",
        "",
    ]
    return lines
