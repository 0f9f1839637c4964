"""What programs do with JAX in FP32, without knowing of myblas (see worker.py)."""

import itertools
import os

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # other processes need memory, too

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import jax.scipy.linalg  # noqa: E402
import programs  # noqa: E402

NAME = f"JAX {jax.__version__}"


def start():
    jax.config.update("jax_enable_x64", True)  # for exact results
    jax.config.update("jax_default_matmul_precision", "float32")  # the default is TF32
    if jax.default_backend() != "gpu":
        raise ImportError("JAX has no GPU")
    finish()


def finish():
    Program.latest = jax.block_until_ready(Program.latest)


seeds = itertools.count()


def random(*shape):
    return jax.random.normal(jax.random.key(next(seeds)), shape, jnp.float32)


def positive_definite(n):
    a = random(n, n).astype(jnp.float64)
    return (a @ a.T / n + jnp.eye(n)).astype(jnp.float32)


class Program(programs.Program):
    latest = None  # results: all earlier work is complete when they are there

    def __init__(self, function, *inputs):
        super().__init__(jax.jit(function), *inputs)

    def run(self):
        Program.latest = super().run()
        return Program.latest

    def error(self):
        exact = self.function(*[i.astype(jnp.float64) for i in self.inputs])
        pairs = list(zip(jax.tree.leaves(self.run()), jax.tree.leaves(exact)))
        lost = sum(jnp.sum((a - b) ** 2) for a, b in pairs)
        return float(jnp.sqrt(lost / sum(jnp.sum(b**2) for _, b in pairs)))


def layers(x, first, second):
    return jnp.sum(jax.nn.gelu(x @ first) @ second)


of = programs.maker(Program, random)

PROGRAMS = {
    "matmul 4096": of(jnp.matmul, (4096, 4096), (4096, 4096)),
    "matmul 1001 x 777 x 333": of(jnp.matmul, (1001, 333), (333, 777)),
    "matmul 16 x (512 x 512 x 64)": of(jnp.matmul, (16, 512, 64), (16, 64, 512)),
    "two layers 1024, backward": of(
        jax.grad(layers, argnums=(0, 1, 2)), (1024, 1024), (1024, 4096), (4096, 1024)
    ),
    "cholesky 4096": lambda: Program(jnp.linalg.cholesky, positive_definite(4096)),
    "solve_triangular 4096, 512": of(
        lambda a, b: jax.scipy.linalg.solve_triangular(a, b, lower=True),
        lambda: positive_definite(4096),
        (4096, 512),
    ),
}  # fmt: skip
