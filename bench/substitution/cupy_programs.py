"""What programs do with CuPy in FP32, without knowing of myblas (see worker.py)."""

import cupy
import cupy.cublas
import cupyx.scipy.linalg

NAME = f"CuPy {cupy.__version__}"


def start():
    cupy.random.seed(1)
    finish()


def finish():
    cupy.cuda.Device().synchronize()


def random(*shape):
    return cupy.random.standard_normal(shape, dtype=cupy.float32)


def positive_definite(n):
    a = random(n, n).astype(cupy.float64)
    return (a @ a.T / n + cupy.eye(n)).astype(cupy.float32)


class Program:
    """run() enqueues the work once; error() is that of its results relative to their norm, from the same in FP64."""

    def __init__(self, function, *inputs):
        self.function, self.inputs = function, inputs

    def run(self):
        return self.function(*self.inputs)

    def error(self):
        exact = self.function(*[i.astype(cupy.float64) for i in self.inputs])
        return float(cupy.linalg.norm(self.run() - exact) / cupy.linalg.norm(exact))


def rank_k(a):
    """The lower triangle of A * A^T."""
    return cupy.tril(cupy.cublas.syrk("N", a, lower=True))


PROGRAMS = {
    "matmul 4096": lambda: Program(cupy.matmul, random(4096, 4096), random(4096, 4096)),
    "matmul 512": lambda: Program(cupy.matmul, random(512, 512), random(512, 512)),
    "matmul 1001 x 777 x 333": lambda: Program(cupy.matmul, random(1001, 333), random(333, 777)),
    "matmul 64 x (300 x 200 x 150)": lambda: Program(cupy.matmul, random(64, 300, 150), random(64, 150, 200)),
    "matmul 4096, 1": lambda: Program(cupy.matmul, random(4096, 4096), random(4096)),
    "dot 1000000": lambda: Program(cupy.dot, random(1000000), random(1000000)),
    "tensordot 64 x 64 x 4096": lambda: Program(
        lambda a, b: cupy.tensordot(a, b, axes=([1], [1])), random(64, 64, 64), random(64, 64, 64)
    ),
    "cublas.syrk 2048": lambda: Program(rank_k, cupy.asfortranarray(random(2048, 2048))),
    "linalg.cholesky 4096": lambda: Program(cupy.linalg.cholesky, positive_definite(4096)),
    "linalg.solve 4096": lambda: Program(cupy.linalg.solve, positive_definite(4096), random(4096, 64)),
    "linalg.inv 1024": lambda: Program(cupy.linalg.inv, positive_definite(1024)),
    "solve_triangular 4096, 512": lambda: Program(
        lambda a, b: cupyx.scipy.linalg.solve_triangular(a, b, lower=True), positive_definite(4096), random(4096, 512)
    ),
}
