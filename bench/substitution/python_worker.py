"""python_worker.py PART: what python_package.py measures of the Python package myblas.

products     PyTorch's programs, plain and under myblas.torch.enable()
training     steps of a small GPT, plain and enabled; compiled: the same under torch.compile
calls        the time that small products of PyTorch take of the host
cupy, jax    myblas.matmul of their arrays, against the same call of the library by ctypes

Writes {"ready": true} when all is prepared, waits for a line, measures, and answers with one line
of JSON. Without the packages or without a GPU: {"absent": why}.
"""

import contextlib
import ctypes
import json
import os
import statistics
import sys
import time

from worker import one_line, seconds

MODES = ("strict", "emulated", "fast")
CONTENDERS = ("plain", *MODES, "plain again")
ROUNDS = 3
RUN_SECONDS = 0.02
PRODUCTS = [
    "mm 4096", "mm 512", "bmm 8 x (1024 x 1024 x 1024)", "bmm 64 x (300 x 200 x 150)",
    "baddbmm 16 x (256 x 256 x 128)", "einsum, attention 8 x 16 x 512 x 64", "Linear 4096",
    "Linear 4096, backward", "Linear 256, batch 256", "TransformerEncoder",
    "TransformerEncoder, backward",
]  # fmt: skip
SIZES = (1024, 2048, 4096, 8192)
CALLS = 1000


def digits(value, count=5):
    return float(f"{value:.{count}g}")


def enabled(name):
    """A context in which PyTorch computes as the contender of this name."""
    if name.startswith("plain"):
        return contextlib.nullcontext()
    import myblas.torch

    if name in ("python", "compiled"):
        return myblas.torch.enable("strict", compiled=name == "compiled")
    return myblas.torch.enable(name)  # compiled, if python_package.py could compile it


def in_turns(measure, contenders=CONTENDERS, rounds=ROUNDS):
    """{contender: the median of measure()}."""
    found = {name: [] for name in contenders}
    for _ in range(rounds):
        for name in contenders:
            with enabled(name):
                found[name].append(measure())
    return {name: statistics.median(values) for name, values in found.items()}


def with_ratios(taken):
    entry = {name: digits(taken[name]) for name in ("plain", *MODES)}
    entry |= {f"{mode}_ratio": round(taken["plain"] / taken[mode], 3) for mode in MODES}
    return entry | {"noise": round(abs(taken["plain"] / taken["plain again"] - 1), 3)}


def products():
    import myblas.torch
    import pytorch_programs as suite

    suite.start()
    programs = {name: suite.PROGRAMS[name]() for name in PRODUCTS}
    for program in programs.values():
        program.run()
    suite.finish()
    yield
    entries = []
    for name, program in programs.items():
        with enabled("strict"):
            program.run()
            lines = myblas.torch.report().splitlines()[1:]
        entry = {"program": name, "calls": ", ".join(" ".join(line.split()) for line in lines)}
        taken = in_turns(lambda: seconds(suite, program, RUN_SECONDS))  # noqa: B023
        entry |= with_ratios(taken)
        for contender in ("plain", *MODES):
            with enabled(contender):
                entry[f"{contender}_error"] = digits(program.error(), 3)
        entries.append(entry)
    yield {"suite": suite.NAME, "programs": entries}


def training(is_compiled=False):
    import gpt
    import torch

    trained = gpt.Training(is_compiled)
    trained.run()  # compiles
    yield
    answer = {"shape": gpt.SHAPE, "steps": gpt.STEPS}
    taken, losses = {}, {}
    for name in CONTENDERS:
        with enabled(name):
            trained.run()
            taken[name], losses[name] = trained.run()
    answer |= with_ratios(taken)
    exact = gpt.Training(False, torch.float64).run()[1]
    for name in ("plain", *MODES):
        errors = [abs(loss / right - 1) for loss, right in zip(losses[name], exact)]
        answer[f"{name}_error"] = digits(max(errors), 3)
    answer["losses"] = {name: losses[name] for name in ("plain", *MODES)} | {"FP64": exact}
    yield answer


def calls():
    """Under the preload library, which serves without `enable`, only the plain calls."""
    import torch

    contenders = ["plain"]
    if "LD_PRELOAD" not in os.environ:
        import myblas._compiled

        is_compiled = myblas._compiled.path().exists()
        contenders += ["python", *(["compiled"] if is_compiled else []), "plain again"]
    a, c = torch.randn(64, 64, device="cuda"), torch.randn(8, 64, 64, device="cuda")
    bias = torch.randn(64, device="cuda")
    work = {
        "mm 64": lambda: torch.mm(a, a),
        "Linear 64": lambda: torch.nn.functional.linear(a, a, bias),
        "bmm 8 x (64 x 64 x 64)": lambda: torch.bmm(c, c),
    }

    def microseconds(call):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(CALLS):
            call()
        taken = time.perf_counter() - begin
        torch.cuda.synchronize()
        return 1e6 * taken / CALLS

    with torch.no_grad():
        for call in work.values():
            for contender in contenders:
                with enabled(contender):
                    call()
            microseconds(call)
        yield
        answer = {}
        for call in work.values():  # the processor has slept
            microseconds(call)
        for name, call in work.items():
            taken = in_turns(lambda: microseconds(call), contenders, 7)  # noqa: B023
            answer[name] = {contender: round(value, 2) for contender, value in taken.items()}
        yield answer


def library_call(n, mode, stream, pointers):
    """What multiplies by the library itself, by rows: C^T = B^T A^T."""
    from myblas._library import MODES as numbers
    from myblas._library import handle_for

    one, zero = (ctypes.byref(ctypes.c_float(value)) for value in (1, 0))
    a, b, c = pointers
    handle = handle_for(0)

    def call():
        handle.prepare(stream, numbers[mode])
        handle.call("mysgemm_64", 0, 0, n, n, n, one, b, n, a, n, zero, c, n)

    return call


def arrays(name, make, error_of, stream, pointer_of, finish, waits):
    """waits: each call of myblas.matmul ends when the product is complete, and so does each call
    of the library then."""
    import myblas

    operands = {n: (make(n), make(n), make(n)) for n in SIZES}
    myblas.matmul(*operands[SIZES[0]][:2])
    finish()
    yield
    rows = []
    for n, (a, b, c) in operands.items():
        for mode in MODES:
            pointers = [pointer_of(array) for array in (a, b, c)]
            plain = library_call(n, mode, stream, pointers)
            contenders = {
                "library": (lambda: (plain(), finish())) if waits else plain,  # noqa: B023
                "matmul": lambda: myblas.matmul(a, b, mode=mode),  # noqa: B023
            }
            taken = {contender: [] for contender in contenders}
            for call in contenders.values():
                call()
            for _ in range(5):
                for contender, call in contenders.items():
                    finish()
                    repeats = max(3, int(0.01 * 4e13 / n**3 / 2))
                    begin = time.perf_counter()
                    for _ in range(repeats):
                        call()
                    finish()
                    taken[contender].append((time.perf_counter() - begin) / repeats)
            row = {"n": n, "mode": mode}
            medians = {key: statistics.median(values) for key, values in taken.items()}
            row |= {key: digits(1e6 * value) for key, value in medians.items()}
            row["ratio"] = round(medians["library"] / medians["matmul"], 3)
            if n == SIZES[0]:
                row["error"] = digits(error_of(a, b, myblas.matmul(a, b, mode=mode)), 3)
            rows.append(row)
    yield {"package": name, "microseconds": rows}


def cupy():
    import cupy

    def error_of(a, b, c):
        exact = a.astype(cupy.float64) @ b.astype(cupy.float64)
        return float(cupy.linalg.norm(c - exact) / cupy.linalg.norm(exact))

    return arrays(
        f"CuPy {cupy.__version__}",
        lambda n: cupy.random.standard_normal((n, n), dtype=cupy.float32),
        error_of,
        None,
        lambda array: array.data.ptr,
        cupy.cuda.Device().synchronize,
        False,
    )


def jax():
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import itertools

    import jax
    import numpy
    from myblas._library import handle_for

    if jax.default_backend() != "gpu":
        raise ImportError("JAX has no GPU")
    keys = itertools.count()

    def make(n):
        array = jax.random.normal(jax.random.key(next(keys)), (n, n), jax.numpy.float32)
        return jax.block_until_ready(array)

    def error_of(a, b, c):
        exact = numpy.asarray(a, "f8") @ numpy.asarray(b, "f8")
        lost = numpy.asarray(jax.dlpack.from_dlpack(c), "f8") - exact
        return numpy.linalg.norm(lost) / numpy.linalg.norm(exact)

    def finish():
        handle_for(0).call("myblasStreamSynchronize", None)

    name = f"JAX {jax.__version__}"
    return arrays(name, make, error_of, None, lambda x: x.unsafe_buffer_pointer(), finish, True)


PARTS = {
    "products": products,
    "training": training,
    "compiled": lambda: training(True),
    "calls": calls,
    "cupy": cupy,
    "jax": jax,
}


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer

    def answer(value):
        answers.write(json.dumps(value) + "\n")
        answers.flush()

    try:
        part = PARTS[sys.argv[1]]()
        next(part)
    except ImportError as error:
        answer({"absent": one_line(error)})
        return
    answer({"ready": True})
    sys.stdin.readline()
    answer(next(part))


if __name__ == "__main__":
    main()
