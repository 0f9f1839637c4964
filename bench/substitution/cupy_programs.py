"""What programs do with CuPy in FP32, without knowing of myblas (see worker.py)."""

import cupy
import cupy.cublas
import cupyx.scipy.linalg
import programs

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


class Program(programs.Program):
    def error(self):
        exact = self.function(*[i.astype(cupy.float64) for i in self.inputs])
        return float(cupy.linalg.norm(self.run() - exact) / cupy.linalg.norm(exact))


def rank_k(a):
    """The lower triangle of A * A^T."""
    return cupy.tril(cupy.cublas.syrk("N", a, lower=True))


of = programs.maker(Program, random)

PROGRAMS = {
    "matmul 4096": of(cupy.matmul, (4096, 4096), (4096, 4096)),
    "matmul 512": of(cupy.matmul, (512, 512), (512, 512)),
    "matmul 1001 x 777 x 333": of(cupy.matmul, (1001, 333), (333, 777)),
    "matmul 64 x (300 x 200 x 150)": of(cupy.matmul, (64, 300, 150), (64, 150, 200)),
    "matmul 4096, 1": of(cupy.matmul, (4096, 4096), (4096,)),
    "dot 1000000": of(cupy.dot, (1000000,), (1000000,)),
    "tensordot 64 x 64 x 4096": of(
        lambda a, b: cupy.tensordot(a, b, axes=([1], [1])), (64, 64, 64), (64, 64, 64)
    ),
    "cublas.syrk 2048": lambda: Program(rank_k, cupy.asfortranarray(random(2048, 2048))),
    "linalg.cholesky 4096": lambda: Program(cupy.linalg.cholesky, positive_definite(4096)),
    "linalg.solve 4096": of(cupy.linalg.solve, lambda: positive_definite(4096), (4096, 64)),
    "linalg.inv 1024": lambda: Program(cupy.linalg.inv, positive_definite(1024)),
    "solve_triangular 4096, 512": of(
        lambda a, b: cupyx.scipy.linalg.solve_triangular(a, b, lower=True),
        lambda: positive_definite(4096),
        (4096, 512),
    ),
}
