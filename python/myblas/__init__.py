"""The shared library of myblas, a single-precision BLAS for NVIDIA GPUs, to be called by ctypes.

    import ctypes, myblas
    library = myblas.load()
    handle = ctypes.c_void_p()
    library.myblasCreate(ctypes.byref(handle))
"""

import ctypes
import pathlib

library_path = str(pathlib.Path(__file__).resolve().parent / "lib" / "libmyblas.so.1")


def load():
    """The library, as ctypes has it. The C header documents its functions."""
    return ctypes.CDLL(library_path)
