#!/usr/bin/env python3
"""A product of NumPy's arrays by ctypes, with the types of the arguments declared.

usage: product.py [LIBMYBLAS]

LIBMYBLAS is the path of the library; by default the loader looks for libmyblas.so.1.
"""

import ctypes
import sys

import numpy

library = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else "libmyblas.so.1")
library.myblasGetStatusString.restype = ctypes.c_char_p
operation, size = ctypes.c_int, ctypes.c_int64
matrix = numpy.ctypeslib.ndpointer(numpy.float32, ndim=2, flags="F_CONTIGUOUS")
scalar = ctypes.POINTER(ctypes.c_float)
library.mysgemmHost_64.argtypes = [
    ctypes.c_void_p, operation, operation, size, size, size,
    scalar, matrix, size, matrix, size, scalar, matrix, size,
]  # fmt: skip


def check(status):
    if status != 0:
        raise RuntimeError(library.myblasGetStatusString(status).decode())


def multiply(handle, a, b):
    """a @ b; NumPy's arrays are stored by rows unless told otherwise, the library's by columns."""
    a, b = (numpy.asfortranarray(operand, dtype=numpy.float32) for operand in (a, b))
    (m, k), n = a.shape, b.shape[1]
    c = numpy.empty((m, n), dtype=numpy.float32, order="F")
    one, zero = ctypes.c_float(1), ctypes.c_float(0)
    no_transposition = 0  # MYBLAS_OP_N
    check(
        library.mysgemmHost_64(
            handle, no_transposition, no_transposition, m, n, k, one, a, m, b, k, zero, c, m
        )
    )
    return c


handle = ctypes.c_void_p()
check(library.myblasCreate(ctypes.byref(handle)))
generator = numpy.random.default_rng(1)
a, b = generator.standard_normal((300, 200)), generator.standard_normal((200, 100))
# The bound that myblas.h states for the strict mode, with both operands rounded to floats.
bound = (200 + 4 + 2) * 2.0**-24 * (abs(a) @ abs(b))
error = abs(multiply(handle, a, b) - a @ b)
check(library.myblasDestroy(handle))
print(f"300 x 200 times 200 x 100: at most {(error / bound).max():.3f} of the bound")
sys.exit(not (error <= bound).all())
