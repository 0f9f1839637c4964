"""The routines for arrays. Shapes are written as in NumPy: (rows, columns), batches in front.

The library's matrices are stored by columns, those of NumPy usually by rows. A matrix stored by
rows is its transpose stored by columns, so C = A B is computed as C^T = B^T A^T and nothing is
copied.
"""

from __future__ import annotations

import builtins
import functools
import itertools
import math
from typing import Any

from ._arrays import View, _Other, contiguous_strides, place, view
from ._library import HOST, MODES, handle_for, handle_for_large_host_products, scalar

# Array: anything that speaks NumPy's array interface, __cuda_array_interface__ or DLPack.
Array = Any

# A product of host matrices goes to the GPU from 2^30 multiply-adds on, if no side is so short that
# the copies take longer than the arithmetic.
LEAST_HOST_PRODUCT = 2**30
LEAST_HOST_SIDE = 256


def _mode(function, mode):
    if mode is not None and mode not in MODES:
        raise ValueError(
            f"{function}: mode is {mode!r}; it can be {', '.join(map(repr, MODES))} or None"
        )
    return MODES.get(mode)


def _same_device(function, views):
    (first_name, first), *others = views.items()
    for name, other in others:
        if other.device != first.device:
            raise ValueError(
                f"{function}: {first_name} is in {place(first.device)}, {name} in "
                f"{place(other.device)}"
            )


def _handle(views, mode=None, results_on_device=False):
    """The handle for the operands, set to the caller's stream."""
    first = views[0]
    handle = handle_for(first.device)
    for other in views[1:]:
        if other.stream != first.stream:  # what other streams computed is waited for
            handle.call("myblasStreamSynchronize", other.stream)
    return handle.prepare(first.stream, mode, results_on_device)


def _finish(handle, out, *operands):
    """Waits where nothing else would: memory that is lent by DLPack, a new DeviceArray, or arrays
    whose owners know other streams.
    """
    if out.device == HOST:
        return
    stream = operands[0].stream
    has_other_stream = any(v.stream != stream for v in (out, *operands))
    if out.kind is _Other or has_other_stream or any(v.is_borrowed for v in operands):
        handle.call("myblasStreamSynchronize", stream)


def _layout(shape, strides):
    """(whether a matrix is stored by rows, its leading dimension); None if neither axis is
    dense.
    """
    (rows, columns), (row_stride, column_stride) = shape, strides
    if rows == 0 or columns == 0:
        return True, max(1, columns)
    if (columns == 1 or column_stride == 1) and (rows == 1 or row_stride >= columns):
        return True, row_stride if rows > 1 else columns
    if (rows == 1 or row_stride == 1) and (columns == 1 or column_stride >= rows):
        return False, column_stride if columns > 1 else rows
    return None


def _merge(sizes, *strides_of_operands):
    """Joins neighbouring axes that every operand walks through with one stride: a list of (size,
    stride of the first operand, stride of the second, ...), without axes of size 1."""
    merged = []
    for size, *strides in zip(sizes, *strides_of_operands):
        if size == 1:
            continue
        if merged and all(outer == inner * size for outer, inner in zip(merged[-1][1:], strides)):
            merged[-1] = (merged[-1][0] * size, *strides)
        else:
            merged.append((size, *strides))
    return merged


def _offsets(axes, operands):
    """For axes as in _merge: the offsets in bytes of the operands, for each combination of
    indices.
    """
    for indices in itertools.product(*(range(axis[0]) for axis in axes)):
        yield [
            4 * builtins.sum(index * axis[1 + operand] for index, axis in zip(indices, axes))
            for operand in range(operands)
        ]


def _broadcast(function, batches, shapes):
    """The common shape of batches; `shapes`, of the whole operands by their names, is for the
    message.
    """
    common = []
    for sizes in itertools.zip_longest(*map(reversed, batches), fillvalue=1):
        distinct = {size for size in sizes if size != 1}
        if len(distinct) > 1:
            named = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
            raise ValueError(f"{function}: the batches do not fit together: {named}")
        common.append(distinct.pop() if distinct else 1)
    return tuple(reversed(common))


def _batch_strides(shape, strides, batch):
    """Strides of a stack of matrices along the batch; 0 where it is repeated."""
    lead = len(batch) + 2 - len(shape)
    own = [0 if size == 1 else stride for size, stride in zip(shape[:-2], strides)]
    return (0,) * lead + tuple(own)


def _copy(handle, target, source):
    """target = source, for Views of one shape whose strides may be anything (source: also zero)."""
    shape, lead = target.shape, 2 - len(target.shape)
    if 0 in shape:
        return
    to, by = (1,) * lead + target.strides, (1,) * lead + source.strides
    rows, columns = ((1,) * lead + shape)[-2:]
    axes = _merge(shape[:-2], to[:-2], by[:-2]) if lead <= 0 else []

    inner = axes.pop() if axes else (1, 0, 0)
    to_layout, by_layout = (_layout((rows, columns), strides[-2:]) for strides in (to, by))
    if to_layout and by_layout and to_layout[0] != by_layout[0]:  # a transpose
        sizes = (columns, rows) if by_layout[0] else (rows, columns)
        for to_offset, by_offset in _offsets(axes, 2):
            handle.call(
                "mytransposeStridedBatched_64",
                *sizes,
                source.pointer + by_offset,
                by_layout[1],
                inner[2],
                target.pointer + to_offset,
                to_layout[1],
                inner[1],
                inner[0],
            )
        return

    # Lines of rows or of columns: transposes of 1 x n matrices, which may have gaps on one side.
    for along, across, length, lines in ((-1, -2, columns, rows), (-2, -1, rows, columns)):
        gathers, scatters = to[along] == 1 and by[along] >= 1, by[along] == 1 and to[along] >= 1
        if gathers or scatters:
            sizes = (1, length) if gathers else (length, 1)
            by_ld, to_ld = (by[along], length) if gathers else (length, to[along])
            for to_offset, by_offset in _offsets([*axes, inner], 2):
                handle.call(
                    "mytransposeStridedBatched_64",
                    *sizes,
                    source.pointer + by_offset,
                    by_ld,
                    by[across],
                    target.pointer + to_offset,
                    to_ld,
                    to[across],
                    lines,
                )
            return
    for to_offset, by_offset in _offsets([*axes, inner, (rows, to[-2], by[-2])], 2):
        starts = [
            operand.pointer
            + offset
            + 4 * min(0, (columns - 1) * strides[-1])  # BLAS: the lowest address
            for operand, offset, strides in ((source, by_offset, by), (target, to_offset, to))
        ]
        handle.call("myscopy_64", columns, starts[0], by[-1], starts[1], to[-1])


def _new(like, shape, zeros=False):
    """A new array of the package of `like`, on its device, and its View."""
    kind, shape = like.kind, tuple(shape)
    array = (kind.zeros if zeros else kind.empty)(shape, like)
    pointer, strides = kind.pointer(array), contiguous_strides(shape)
    return array, View(pointer, shape, strides, like.device, False, array, kind, like.stream)


def _packed(handle, operand):
    """The operand, or a contiguous copy if its matrices are stored neither by rows nor by
    columns.
    """
    if _layout(operand.shape[-2:], operand.strides[-2:]) is not None:
        return operand
    _, copy = _new(operand, operand.shape)
    _copy(handle, copy, operand)
    return copy


def _output(function, out, shape, like, beta=0.0, zeros=False):
    """The array of the result and its View."""
    if out is None:
        if beta != 0:
            raise ValueError(f"{function}: beta is {beta}, so out has to be given")
        return _new(like, shape, zeros)
    result = view(function, "out", out, is_output=True)
    if result.shape != tuple(shape):
        raise ValueError(f"{function}: out has shape {result.shape}; the result has {tuple(shape)}")
    if result.is_read_only:
        raise ValueError(f"{function}: out, of shape {result.shape}, cannot be written to")
    if 0 in result.strides and 0 not in result.shape and any(
        size > 1 and stride == 0 for size, stride in zip(result.shape, result.strides)
    ):
        raise ValueError(f"{function}: elements of out, of shape {result.shape}, share memory")
    if result.device != like.device:
        _same_device(function, {"the operands": like, "out": result})
    return out, result


class _Target:
    """What a routine writes: the result itself, or a temporary one that is copied to it at the end,
    if the result overlaps an operand or its matrices are stored neither by rows nor by columns."""

    def __init__(self, handle, result, operands, keeps_values, core=None):
        core = result if core is None else core  # the result as a stack of matrices
        self.handle, self.core, self.view = handle, core, core
        if _layout(core.shape[-2:], core.strides[-2:]) is None or any(
            core.overlaps(v) for v in operands
        ):
            _, self.view = _new(result, core.shape)
            if keeps_values:
                _copy(handle, self.view, core)

    def store(self):
        if self.view is not self.core:
            _copy(self.handle, self.core, self.view)


def _is_worth_a_gpu(_transa, _transb, m, n, k):
    return m * n * k >= LEAST_HOST_PRODUCT and min(m, n, k) >= LEAST_HOST_SIDE


def matmul(
    a: Array,
    b: Array,
    *,
    out: Array | None = None,
    mode: str | None = None,
    alpha: float = 1.0,
    beta: float = 0.0,
    backend: str | None = None,
) -> Array:
    """alpha * (a @ b) + beta * out, with the shapes of numpy.matmul.

    a        (..., m, k), or (k,), which counts as a row
    b        (..., k, n), or (k,), which counts as a column
    out      (..., m, n), without m or n where a or b is a vector; may overlap a and b (it is copied
             then). None: a new array of the package of a
    mode     "strict", "emulated", "fast" or "reproducible"; None: "strict", or what MYBLAS_MATH
             says
    backend  for arrays in host memory: "host", "cuda", or None, which takes the GPU, if there is
             one, for products of at least 2^30 multiply-adds and no side below 256; not for batches

    The batches (...) are broadcast. Arrays may have any strides; a matrix is copied only if neither
    its rows nor its columns are dense in memory. Arrays in GPU memory are computed on the caller's
    current stream, without waiting, except that arrays by DLPack (JAX) are waited for.

    Accuracy, u = 2^-24, |.| elementwise, as long as nothing underflows:
    strict    (k + 4) u (|alpha| |a| @ |b| + |beta| |out|)
    emulated  the same with max(k, 64) for k
    fast      that of emulated, plus (k + 31) 2^-36 |alpha| times the largest magnitudes in the row
              of a and in the column of b
    reproducible  as strict, and the same bits in any product, on every GPU and on the host
              (myblasMath_t in myblas.h)

    TypeError: not float32, or no array. ValueError: shapes, devices, modes. MemoryError.
    MyblasError.
    """
    x, y = view("matmul", "a", a), view("matmul", "b", b)
    if x.device != y.device:
        _same_device("matmul", {"a": x, "b": y})
    number = _mode("matmul", mode)
    if backend not in (None, "host", "cuda") or (backend == "host" and x.device != HOST):
        raise ValueError(f"matmul: backend is {backend!r}; the operands are in {place(x.device)}")
    batch, m, n, k, shape = _product_shape(x.shape, y.shape)
    array, result = _output("matmul", out, shape, x, beta)
    if 0 in shape:
        return array

    left, right, c = x, y, result
    is_row, is_column = len(x.shape) == 1, len(y.shape) == 1
    if is_row:
        left = x.with_layout((1, k), (1, *x.strides))
    if is_column:
        right = y.with_layout((k, 1), (*y.strides, 1))
    if is_row or is_column:
        strides, lead = result.strides, len(batch)
        row_stride = 1 if is_row else strides[lead]
        column_stride = 1 if is_column else strides[-1]
        c = result.with_layout((*batch, m, n), (*strides[:lead], row_stride, column_stride))
    handle = _handle((x, y, result), number)
    target = None
    if out is not None:
        target = _Target(handle, result, (x, y), beta != 0, c)
        c = target.view
    left, right = _packed(handle, left), _packed(handle, right)
    _multiply(handle, number, backend, batch, left, right, c, alpha, beta)
    if target is not None:
        target.store()
    _finish(handle, result, x, y)
    return result.kind.result(array)


@functools.lru_cache(maxsize=4096)
def _product_shape(a, b):
    """(batch, m, n, k, shape of the result) of a product of arrays of these shapes."""
    if not a or not b:
        raise ValueError(f"matmul: a has shape {a} and b {b}; a matrix or a vector is needed")
    (m, k), n = ((1, *a) if len(a) == 1 else a)[-2:], 1 if len(b) == 1 else b[-1]
    rows_of_b = b[0] if len(b) == 1 else b[-2]
    if rows_of_b != k:
        raise ValueError(f"matmul: a has shape {a} and b {b}: {k} is not {rows_of_b}")
    batch = _broadcast("matmul", (a[:-2], b[:-2]), {"a": a, "b": b})
    shape = batch + (() if len(a) == 1 else (m,)) + (() if len(b) == 1 else (n,))
    return batch, m, n, k, shape


@functools.lru_cache(maxsize=4096)
def _product_call(batch, left, right, c):
    """How c = left right is called for. Arguments: the batch; shapes and strides of matrices that
    are stored by rows or by columns.

    (outer axes as of _merge, whether left and right change places, (transa, transb, m, n, k),
    (ld, stride) of the first, of the second and of the result, number of products in a call).
    """
    (m, k), n = left[0][-2:], right[0][-1]
    left_by_rows, left_ld = _layout((m, k), left[1][-2:])
    right_by_rows, right_ld = _layout((k, n), right[1][-2:])
    c_by_rows, c_ld = _layout((m, n), c[1][-2:])
    axes = _merge(batch, *[_batch_strides(*operand, batch) for operand in (left, right, c)])

    # A batch that shares b, and whose rows are one after the other, is one matrix.
    if axes and left_by_rows and c_by_rows and axes[-1][2] == 0:
        size, left_stride, _, c_stride = axes[-1]
        if m == 1 and left_stride >= max(1, k) and c_stride >= n:
            m, left_ld, c_ld = size, left_stride, c_stride
            axes = axes[:-1]
        elif left_stride == m * left_ld and c_stride == m * c_ld:
            m *= size
            axes = axes[:-1]

    count, left_stride, right_stride, c_stride = axes[-1] if axes else (1, 0, 0, 0)
    # Without swapping, a matrix by rows is a transposed one; with swapping, one by columns is.
    operations = int(left_by_rows != c_by_rows), int(right_by_rows != c_by_rows)
    first, second = (left_ld, left_stride), (right_ld, right_stride)
    if c_by_rows:  # C^T = B^T A^T
        m, n, first, second, operations = n, m, second, first, operations[::-1]
    sizes = (*operations, m, n, k)
    return axes[:-1], c_by_rows, sizes, first, second, (c_ld, c_stride), count


def _multiply(handle, mode, backend, batch, left, right, c, alpha, beta):
    """c = alpha left right + beta c, for matrices stored by rows or by columns."""
    axes, swaps, sizes, first, second, (c_ld, c_stride), count = _product_call(
        batch, (left.shape, left.strides), (right.shape, right.strides), (c.shape, c.strides)
    )
    one, other = scalar(alpha), scalar(beta)

    used, function = handle, "mysgemm_64"
    if c.device == HOST and backend != "host" and (backend == "cuda" or _is_worth_a_gpu(*sizes)):
        on_gpu = handle_for_large_host_products() if count == 1 else None
        if on_gpu is not None:
            used, function = on_gpu.prepare(None, mode), "mysgemmHost_64"
        elif backend == "cuda":
            raise RuntimeError(
                "matmul: backend is 'cuda', but there is no usable GPU (python -m myblas doctor "
                "says why)"
                if count == 1
                else "matmul: backend is 'cuda', which multiplies no batches of host matrices"
            )

    for left_offset, right_offset, c_offset in _offsets(axes, 3) if axes else ((0, 0, 0),):
        a, b, to = left.pointer + left_offset, right.pointer + right_offset, c.pointer + c_offset
        if swaps:
            a, b = b, a
        if count > 1:
            batched = "mysgemmStridedBatched_64"
            handle.call(
                batched, *sizes, one, a, *first, b, *second, other, to, c_ld, c_stride, count
            )
        else:
            used.call(function, *sizes, one, a, first[0], b, second[0], other, to, c_ld)


def dot(a: Array, b: Array, *, out: Array | None = None) -> Array:
    """The sum of a[i] * b[i]: both (k,), the result is a scalar, for NumPy a numpy.float32.

    out      (), in the memory of a; None: a new one. In GPU memory nothing waits for it, except
             that arrays by DLPack (JAX) are waited for.

    Accuracy: u |result| + k 2^-53 (|a| . |b|) + 2^-150, u = 2^-24: products and sums are in double.

    TypeError: not float32, or no array. ValueError: shapes, devices. MyblasError.
    """
    x, y = view("dot", "a", a), view("dot", "b", b)
    if len(x.shape) != 1 or x.shape != y.shape:
        raise ValueError(
            f"dot: a has shape {x.shape} and b {y.shape}; two vectors of one length are "
            "needed (matmul multiplies matrices)"
        )
    _same_device("dot", {"a": x, "b": y})
    array, result = _output("dot", out, (), x)
    handle = _handle((x, y, result), results_on_device=True)
    (size,) = x.shape
    starts = [
        v.pointer + 4 * min(0, (size - 1) * v.strides[0]) for v in (x, y)
    ]  # BLAS: the lowest address
    handle.call("mysdot_64", size, starts[0], x.strides[0], starts[1], y.strides[0], result.pointer)
    _finish(handle, result, x, y)
    return result.kind.result(array)


def transpose(a: Array, *, out: Array | None = None) -> Array:
    """The last two axes exchanged, as a new array in memory (numpy.transpose only makes a view).

    a        (..., m, n), any strides
    out      (..., n, m), may overlap a; None: a new contiguous array of the package of a

    Exact. TypeError: not float32, or no array. ValueError: shapes, devices. MemoryError.
    MyblasError.
    """
    x = view("transpose", "a", a)
    if len(x.shape) < 2:
        raise ValueError(f"transpose: a has shape {x.shape}; matrices are needed")
    swapped = x.with_layout(
        (*x.shape[:-2], *x.shape[:-3:-1]), (*x.strides[:-2], *x.strides[:-3:-1])
    )
    array, result = _output("transpose", out, swapped.shape, x)
    handle = _handle((x, result))
    if result.overlaps(x):
        _, copy = _new(x, swapped.shape)
        _copy(handle, copy, swapped)
        swapped = copy
    _copy(handle, result, swapped)
    _finish(handle, result, x)
    return array


def sum(a: Array, axis: int | None = None, *, out: Array | None = None) -> Array:
    """The sum of all elements (axis None) or along one axis.

    a        any shape; axis counts from the end if negative
    out      the shape of a without the axis, or (); None: a new array of the package of a

    Accuracy, u = 2^-24, S the sum of the magnitudes that are added: (log2(size) + 16) u S for all
    elements, 12 u S along an axis.

    TypeError: not float32, or no array. ValueError: axis, shapes, devices. MemoryError.
    MyblasError.
    """
    x = view("sum", "a", a)
    rank = len(x.shape)
    if axis is not None and not -rank <= axis < rank:
        raise ValueError(f"sum: axis is {axis}; a has shape {x.shape}")
    if axis is None:
        array, result = _output("sum", out, (), x)
        handle = _handle((x, result), results_on_device=True)
        axes = [] if 0 in x.shape else _merge(x.shape, x.strides)
        if len(axes) > 1 or (axes and axes[0][1] <= 0):
            _, x_dense = _new(x, x.shape)
            _copy(handle, x_dense, x)
            axes = _merge(x.shape, x_dense.strides)
        else:
            x_dense = x
        size, step = axes[0] if axes else (0 if 0 in x.shape else 1, 1)
        handle.call("mysum_64", size, x_dense.pointer, step, result.pointer)
        _finish(handle, result, x)
        return result.kind.result(array)

    axis %= rank
    others = [i for i in range(rank) if i != axis]
    order = [*others, axis]
    x = x.with_layout([x.shape[i] for i in order], [x.strides[i] for i in order])
    lines, length = x.shape[:-1], x.shape[-1]
    array, result = _output("sum", out, lines, x)
    if 0 in lines:
        return array
    handle = _handle((x, result))
    source, layout = x, None
    axes = _merge(lines, x.strides[:-1])
    if len(axes) <= 1:
        count, step = axes[0] if axes else (1, 1)
        layout = _layout((count, length), (step, x.strides[-1]))
    if layout is None:
        _, source = _new(x, x.shape)
        _copy(handle, source, x)
        count, layout = math.prod(lines), (True, max(1, length))
    by_rows, ld = layout
    target = result
    if result.strides != contiguous_strides(lines) or result.overlaps(x):
        _, target = _new(result, lines)
    operation, m, n = (1, length, count) if by_rows else (0, count, length)
    handle.call("mysgemsum_64", operation, m, n, source.pointer, ld, target.pointer)
    if target is not result:
        _copy(handle, result, target)
    _finish(handle, result, x)
    return result.kind.result(array)


def syrk(
    a: Array,
    *,
    lower: bool = True,
    trans: bool = False,
    out: Array | None = None,
    mode: str | None = None,
    alpha: float = 1.0,
    beta: float = 0.0,
) -> Array:
    """One triangle of alpha * a @ a.T + beta * out (trans: of alpha * a.T @ a + beta * out).

    a        (n, k), or (k, n) with trans
    out      (n, n); only its lower or its upper triangle is read and written; may overlap a. None:
             a new array, with zeros in the other triangle
    mode     as for matmul

    Accuracy (strict), u = 2^-24: (k + 5) u (|alpha| |a| @ |a.T| + |beta| |out|). The other modes
    are described at myssyrk in myblas.h.

    TypeError: not float32, or no array. ValueError: shapes, devices, modes. MemoryError.
    MyblasError.
    """
    x = view("syrk", "a", a)
    if len(x.shape) != 2:
        raise ValueError(f"syrk: a has shape {x.shape}; a matrix is needed")
    number = _mode("syrk", mode)
    n, k = reversed(x.shape) if trans else x.shape
    array, result = _output("syrk", out, (n, n), x, beta, zeros=True)
    if n == 0:
        return array
    handle = _handle((x, result), number)
    # The other triangle stays as it is, so a temporary result begins as a copy.
    target = _Target(handle, result, (x,), keeps_values=True)
    source = _packed(handle, x)
    by_rows, ld = _layout(source.shape, source.strides)
    c_by_rows, c_ld = _layout((n, n), target.view.strides)
    upper = lower == c_by_rows  # by rows, the lower triangle is the upper one of the transpose
    handle.call(
        "myssyrk_64",
        int(upper),
        int(by_rows != trans),
        n,
        k,
        scalar(alpha),
        source.pointer,
        ld,
        scalar(beta),
        target.view.pointer,
        c_ld,
    )
    target.store()
    _finish(handle, result, x)
    return array


def solve_triangular(
    a: Array,
    b: Array,
    *,
    lower: bool = False,
    trans: bool = False,
    unit_diagonal: bool = False,
    left: bool = True,
    out: Array | None = None,
    mode: str | None = None,
    alpha: float = 1.0,
) -> Array:
    """Solves a @ x = alpha * b for x; with trans, a.T @ x = alpha * b; with left=False, x @ a =
    alpha * b.

    a        (..., d, d): its upper triangle is read, or its lower one; with unit_diagonal, its
             diagonal counts as ones and is not read. It is not checked for zeros, which give Inf
             and NaN
    b        (..., d, n), or (d,), which counts as a column; left=False: (..., n, d), no vector
    out      the shape of x; may be b, which saves a copy. None: a new array of the package of b
    mode     as for matmul

    The batches (...) are broadcast.

    Accuracy (strict), u = 2^-24: |a @ x - alpha b| <= (d + 3 log2(d) + 4) u (|a| @ |x| + |alpha|
    |b|). The other modes are described at mystrsm in myblas.h; "reproducible" is refused
    (MyblasError).

    TypeError: not float32, or no array. ValueError: shapes, devices, modes. MemoryError.
    MyblasError.
    """
    x, y = view("solve_triangular", "a", a), view("solve_triangular", "b", b)
    is_column = len(y.shape) == 1
    if len(x.shape) < 2 or x.shape[-1] != x.shape[-2] or not y.shape or (is_column and not left):
        raise ValueError(
            f"solve_triangular: a has shape {x.shape} and b {y.shape}; square matrices and "
            "matrices are needed"
        )
    _same_device("solve_triangular", {"a": x, "b": y})
    number = _mode("solve_triangular", mode)
    order = x.shape[-1]
    right_side = y.with_layout((*y.shape, 1), (*y.strides, 1)) if is_column else y
    if right_side.shape[-2 if left else -1] != order:
        raise ValueError(
            f"solve_triangular: a has shape {x.shape} and b {y.shape}: "
            f"{right_side.shape[-2 if left else -1]} is not {order}"
        )
    batch = _broadcast(
        "solve_triangular",
        (x.shape[:-2], right_side.shape[:-2]),
        {"a": x.shape, "b": right_side.shape},
    )
    m, n = right_side.shape[-2:]
    shape = (*batch, m) if is_column else (*batch, m, n)
    array, result = _output("solve_triangular", out, shape, y)
    if 0 in shape:
        return array

    core = result.with_layout((*batch, m, n), (*result.strides, 1)) if is_column else result
    handle = _handle((x, y, result), number)
    # b may be the result itself; any other overlap needs a temporary result.
    is_in_place = (
        core.pointer == right_side.pointer
        and core.shape == right_side.shape
        and core.strides == right_side.strides
    )
    target = _Target(handle, result, (x,) if is_in_place else (x, y), False, core)
    if not is_in_place or target.view is not core:
        own = right_side.strides
        repeated = _batch_strides(right_side.shape, own, batch) + own[-2:]
        _copy(handle, target.view, right_side.with_layout((*batch, m, n), repeated))
    source = _packed(handle, x)
    by_rows, ld = _layout((order, order), source.strides[-2:])
    c_by_rows, c_ld = _layout((m, n), target.view.strides[-2:])
    source_strides = _batch_strides(source.shape, source.strides, batch)
    axes = _merge(batch, source_strides, target.view.strides[:-2])
    count, stride, c_stride = axes[-1] if axes else (1, 0, 0)
    rows, columns = (
        (n, m) if c_by_rows else (m, n)
    )  # x by rows: the transposed equation, from the other side
    for offset, c_offset in _offsets(axes[:-1], 2):
        handle.call(
            "mystrsmStridedBatched_64",
            int(left == c_by_rows),
            int(lower == by_rows),
            int(trans ^ by_rows ^ c_by_rows),
            int(unit_diagonal),
            rows,
            columns,
            scalar(alpha),
            source.pointer + offset,
            ld,
            stride,
            target.view.pointer + c_offset,
            c_ld,
            c_stride,
            count,
        )
    target.store()
    _finish(handle, result, x, y)
    return array
