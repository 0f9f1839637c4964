"""C = A B by JAX in FP32 on all GPUs of the process. A and C are sharded by rows, and every GPU has
a copy of B.

usage: jax_products.py N...

Prints a line "RESULT {...}" of JSON for each size N of the matrices. Some rows of C are compared
with those in double precision.
"""

import json
import os
import statistics
import sys
import time

# FP32 and not TF32, by cuBLAS and not by kernels of XLA's own.
os.environ.setdefault("JAX_DEFAULT_MATMUL_PRECISION", "float32")
os.environ["XLA_FLAGS"] = f"--xla_gpu_enable_triton_gemm=false {os.environ.get('XLA_FLAGS', '')}"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402

BATCHES = 3
BATCH_SECONDS = 0.3  # longer, if one call takes longer
CHUNK = 4096  # rows of B that are there in double precision

jax.config.update("jax_enable_x64", True)  # for what is exact
devices = jax.devices()
mesh = Mesh(numpy.array(devices), ("gpus",))
by_rows = NamedSharding(mesh, PartitionSpec("gpus", None))
everywhere = NamedSharding(mesh, PartitionSpec(None, None))


def random(seed, n, sharding):
    def make():
        return jax.random.normal(jax.random.key(seed), (n, n), jnp.float32)

    return jax.jit(make, out_shardings=sharding)()


def milliseconds(work):
    """The median of some batches, after calls that are not timed."""

    def timed(calls):
        begin = time.perf_counter()
        for _ in range(calls):
            result = work()
        result.block_until_ready()
        return 1e3 * (time.perf_counter() - begin) / calls

    timed(1)
    calls = 1 + int(1e3 * BATCH_SECONDS / timed(1))
    return statistics.median(timed(calls) for _ in range(BATCHES))


def exact_rows(a, b, rows):
    left = numpy.asarray(a[rows]).astype(numpy.float64)
    exact = 0
    for k in range(0, b.shape[0], CHUNK):
        exact += jnp.matmul(left[:, k : k + CHUNK], b[k : k + CHUNK].astype(jnp.float64))
    return numpy.asarray(exact)


def measure(n):
    a, b = random(1, n, by_rows), random(2, n, everywhere)
    product = jax.jit(jnp.matmul, out_shardings=by_rows)
    ms = milliseconds(lambda: product(a, b))
    # The first and the last row of each GPU.
    count = len(devices)
    rows = numpy.array([i * n // count - j for i in range(count + 1) for j in (1, 0)][1:-1])
    exact = exact_rows(a, b, rows)
    difference = numpy.abs(numpy.asarray(product(a, b)[rows]) - exact)
    mean_square = (exact**2).mean()
    row = {
        "work": "product, sharded by rows",
        "n": n,
        "ms": ms,
        "tflops": 2e-9 * n**3 / ms,
        "error": float(numpy.sqrt((difference**2).mean() / mean_square)),
        "largest_error": float(difference.max() / numpy.sqrt(mean_square)),
    }
    print("RESULT", json.dumps(row), flush=True)


print("VERSIONS", json.dumps({"JAX": jax.__version__}), flush=True)
for size in sys.argv[1:]:
    measure(int(size))
