"""What bench/substitution/python_package.py measured, as parts of docs/python.md and
docs/porting.md."""

from measurements import provenance, table

MODES = ("strict", "emulated", "fast")
PART = "python"
TRAININGS = {"training": "a step", "compiled": "a step under `torch.compile`"}


def milliseconds(seconds):
    return f"{1e3 * seconds:.4g}"


def ratios(entry):
    return [f"{entry[f'{mode}_ratio']:.2f}" for mode in MODES]


def products(measured):
    heads = [measured["suite"], "plain, ms:", *(f"{mode}:" for mode in MODES), "noise:",
             "error, plain:", "strict:", "fast:"]  # fmt: skip
    rows = [
        (
            entry["program"],
            milliseconds(entry["plain"]),
            *ratios(entry),
            f"{entry['noise']:.3f}",
            *(f"{entry[f'{name}_error']:.1e}" for name in ("plain", "strict", "fast")),
        )
        for entry in measured["programs"]
    ]
    return [
        "Programs with PyTorch in FP32 without TF32, plain and under `myblas.torch.enable()`: the "
        "time of plain PyTorch, and how many times as fast it is in each mode. Noise: by how much "
        "a second measurement of plain PyTorch differs from the first. Errors are relative to the "
        "norm of the results, against FP64:",
        "",
        *table(heads, rows),
        "",
    ]


def training(measured):
    parts = [part for part in TRAININGS if part in measured]
    first = measured[parts[0]]
    rows = [
        (
            TRAININGS[part],
            milliseconds(entry["plain"]),
            *ratios(entry),
            f"{entry['noise']:.3f}",
            *(f"{entry[f'{name}_error']:.1e}" for name in ("plain", *MODES)),
        )
        for part in parts
        for entry in [measured[part]]
    ]
    heads = ["", "plain, ms:", *(f"{mode}:" for mode in MODES), "noise:", "loss, plain:",
             *(f"{mode}:" for mode in MODES)]  # fmt: skip
    return [
        f"Training of a GPT in FP32 with {first['shape']}. Loss: the largest relative difference "
        f"of the losses of {first['steps']} steps from those of a training in FP64:",
        "",
        *table(heads, rows),
        "",
    ]


CONTENDERS = {"plain": "plain", "preload": "under the preload library", "python": "`enable()`",
              "compiled": "`enable(compiled=True)`"}  # fmt: skip


def calls(measured):
    names = [name for name in CONTENDERS if all(name in entry for entry in measured.values())]
    rows = [
        (program, *(f"{entry[name]:.1f}" for name in names)) for program, entry in measured.items()
    ]
    return [
        "Microseconds that a small product of PyTorch takes of the host, with the kernels in "
        "Python and with the compiled ones:",
        "",
        *table(["", *(f"{CONTENDERS[name]}:" for name in names)], rows),
        "",
    ]


def arrays(measured):
    packages = [measured[part] for part in ("cupy", "jax") if part in measured]
    cells = {}
    for place, package in enumerate(packages):
        for row in package["microseconds"]:
            pair = cells.setdefault((row["n"], row["mode"]), [""] * (2 * len(packages)))
            pair[2 * place : 2 * place + 2] = [f"{row['matmul']:.0f}", f"{row['ratio']:.2f}"]
    heads = ["n", "mode"]
    for package in packages:
        heads += [f"{package['package']}, µs:", "of the C call:"]
    return [
        "`myblas.matmul(a, b)` of n × n arrays in GPU memory, one call after the other, and the "
        "speed relative to `mysgemm` with a result that is already there. With JAX, both wait for "
        "each product:",
        "",
        *table(heads, [(*key, *cell) for key, cell in cells.items()]),
        "",
    ]


def of_package(files):
    """The lines for docs/python.md; files: {part: results} of a GPU."""
    if PART not in files:
        return []
    measured = files[PART]
    lines = []
    if "products" in measured:
        lines += products(measured["products"])
    if any(part in measured for part in TRAININGS):
        lines += training(measured)
    if "calls" in measured:
        lines += calls(measured["calls"])
    if "cupy" in measured or "jax" in measured:
        lines += arrays(measured)
    return [*lines, provenance(measured["context"]), ""]


def request_row(entry):
    own = [f"{1e-3 * entry['us']:.2f}", f"{entry['ratio']:.2f}", f"{entry['error']:.1e}"]
    cublas = ["refused", ""]
    if "cublas_us" in entry:
        cublas = [f"{1e-3 * entry['cublas_us']:.2f}", f"{entry['cublas_error']:.1e}"]
    return (f"`{entry['request']}`", *cublas, *own)


def of_emulation(files):
    """The lines for docs/porting.md."""
    measured = files.get(PART, {})
    if "emulation" not in measured:
        return []
    n = measured["emulation"]["n"]
    heads = ["Asked for by", "cuBLAS, ms:", "error:", "preload library, ms:",
             "times as fast as cuBLAS in FP32:", "error:"]  # fmt: skip
    rows = [request_row(entry) for entry in measured["emulation"]["requests"]]
    return [
        f"A program that asks for products of {n} × {n} matrices, without and under the preload "
        "library; errors are relative to the norm of a smaller product:",
        "",
        *table(heads, rows),
        "",
        provenance(measured["context"]),
        "",
    ]
