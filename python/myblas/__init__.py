"""myblas: a single-precision BLAS for NVIDIA GPUs, for arrays of NumPy, PyTorch, CuPy, JAX and
others.

    import myblas
    c = myblas.matmul(a, b, mode="fast")

`matmul`, `dot`, `transpose`, `sum`, `syrk` and `solve_triangular` take float32 arrays. Arrays in
host memory are computed on the host; large products go to the GPU, if there is one. Arrays in GPU
memory are computed where they are, on the caller's stream.

`myblas.torch.enable()` puts PyTorch's own products on myblas. `load()` gives the C library by
ctypes.
"""

from ._arrays import DeviceArray
from ._library import MyblasError, library_path, load
from ._numpy import enable
from ._routines import dot, matmul, solve_triangular, sum, syrk, transpose

__all__ = [
    "DeviceArray",
    "MyblasError",
    "dot",
    "enable",
    "library_path",
    "load",
    "matmul",
    "solve_triangular",
    "sum",
    "syrk",
    "transpose",
]


def __getattr__(name):
    if name == "__version__":
        from ._library import version

        return version()
    if name == "torch":  # loads PyTorch, so only if it is asked for
        import importlib

        return importlib.import_module(".torch", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
