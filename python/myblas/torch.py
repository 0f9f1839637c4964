"""PyTorch's own FP32 products on myblas, in the running process.

    import myblas.torch
    myblas.torch.enable(mode="fast")        # or: with myblas.torch.enable(mode="fast"): ...

`enable` registers kernels for the operators that all products of matrices end in (aten::mm, bmm,
addmm, baddbmm and their forms with out= and in place) at PyTorch's dispatch key CUDA. `@`,
`torch.matmul`, `einsum`, `nn.Linear` and their gradients call these operators. Autograd, autocast
and torch.compile are layers above the key, so they work as before. A call that myblas does not
serve goes to PyTorch's own kernel.
"""

from __future__ import annotations

import collections
import ctypes
import functools
import threading
import warnings

import torch

from . import _compiled
from ._arrays import LEGACY_STREAM
from ._library import HOST, MODES, check, handle_for, scalar

_FUNCTIONS = ("mm", "bmm", "addmm", "baddbmm")  # the order of torch_kernels.cpp
_BIAS_OF_ROWS = 0


class _Epilogue(ctypes.Structure):  # myblasEpilogue_t
    _fields_ = [
        ("size_bytes", ctypes.c_size_t),
        ("activation", ctypes.c_int),
        ("bias_of", ctypes.c_int),
        ("bias", ctypes.c_void_p),
        ("aux", ctypes.c_void_p),
        ("ldaux", ctypes.c_int64),
        ("stride_bias", ctypes.c_int64),
        ("stride_aux", ctypes.c_int64),
    ]


_FLOAT = torch.float32
# The public functions for these build objects or ask the dispatcher, which costs microseconds.
_current_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None) or (
    lambda ordinal: torch.cuda.current_stream(ordinal).cuda_stream
)
_current_device = getattr(torch._C, "_cuda_getDevice", None)
_precision = getattr(torch._C, "_get_fp32_precision_getter", None) or (
    lambda *_: torch.backends.cuda.matmul.fp32_precision
)


try:
    _new = {
        "cpu": torch._C._dynamo.guards._empty_strided_cpu,
        "cuda": torch._C._dynamo.guards._empty_strided_cuda,  # on the current device
    }
except AttributeError:
    _new = {}


def _layout(rows, columns, strides):
    """(whether a matrix is stored by rows, leading dimension), or None: neither axis is dense."""
    row_stride, column_stride = strides[-2:]
    if (columns == 1 or column_stride == 1) and (rows == 1 or row_stride >= columns):
        return True, row_stride if rows > 1 else columns
    if (rows == 1 or row_stride == 1) and (columns == 1 or column_stride >= rows):
        return False, column_stride if columns > 1 else rows
    return None


@functools.lru_cache(maxsize=4096)
def _plan(rank, shape_a, strides_a, shape_b, strides_b, strides_c):
    """How a product is computed; strides_c is None for a new, contiguous result.

    A string says why it is left to PyTorch. Otherwise: the shape and the strides of the result,
    whether a and b have to be copied to be dense, whether they change places, and the arguments
    (transa, transb, m, n, k), lda, ldb, ldc, (stride of A, of B, of C, number) of the call by
    columns.
    """
    if len(shape_a) != rank or len(shape_b) != rank or shape_a[-1] != shape_b[-2]:
        return "shapes that do not fit"
    if rank == 3 and shape_a[0] != shape_b[0]:
        return "shapes that do not fit"
    if 0 in shape_a or 0 in shape_b:
        return "nothing to compute"
    if strides_c is not None and len(strides_c) != rank:
        return "out has another shape"
    *batch, m, k = shape_a
    n = shape_b[-1]
    if strides_c is None:
        strides_c = (m * n, n, 1)[-rank:]
    layout_a, layout_b = _layout(m, k, strides_a), _layout(k, n, strides_b)
    layout_c = _layout(m, n, strides_c)
    if layout_c is None or (rank == 3 and strides_c[0] == 0 and batch != [1]):
        return "out is not dense"
    copies_a, copies_b = layout_a is None, layout_b is None
    if copies_a:
        layout_a, strides_a = (True, k), (m * k, k, 1)[-rank:]
    if copies_b:
        layout_b, strides_b = (True, n), (k * n, n, 1)[-rank:]
    by_rows, ldc = layout_c
    x = int(layout_a[0] != by_rows), layout_a[1], strides_a[0]
    y = int(layout_b[0] != by_rows), layout_b[1], strides_b[0]
    shape = (*batch, m, n)
    if by_rows:  # C^T = B^T A^T
        x, y, m, n = y, x, n, m
    steps = (x[2], y[2], strides_c[0], *batch) if batch else None
    sizes = x[0], y[0], m, n, k
    return shape, strides_c, copies_a, copies_b, by_rows, sizes, x[1], y[1], ldc, steps


def _extent(tensor):
    start = tensor.data_ptr()
    steps = zip(tensor.shape, tensor.stride())  # PyTorch's strides are never negative
    return start, start + 4 * (1 + sum([(size - 1) * stride for size, stride in steps]))


def _overlap(one, other):
    (low, high), (other_low, other_high) = _extent(one), _extent(other)
    return low < other_high and other_low < high


def _is_same(one, other):
    return (
        one.data_ptr() == other.data_ptr()
        and one.shape == other.shape
        and one.stride() == other.stride()
    )


class _Served:
    """What `enable` sets up and `disable` takes back."""

    def __init__(self, mode, device, compiled):
        self.mode, self.options = mode, (mode, compiled)
        self.compiled = None
        self.number = None if mode is None else MODES[mode]
        self.device = device
        self.key = device.upper()
        self.is_cuda = device == "cuda"
        self.new = _new.get(device)
        self.keys = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, self.key))
        self.calls = collections.Counter()  # by function and the reason not to serve it, or None
        self.lock = threading.Lock()
        self.originals = {}
        self.library = torch.library.Library("aten", "IMPL")
        try:
            for name in _FUNCTIONS:
                in_place = [f"{name}_"] if name in ("addmm", "baddbmm") else []
                for overload in (name, f"{name}.out", *in_place):
                    # Taken before the registration: the computed kernel of today is PyTorch's own.
                    self.originals[overload] = torch.library.get_kernel(
                        f"aten::{overload}", self.key
                    )
            with warnings.catch_warnings():  # kernels are replaced on purpose
                warnings.filterwarnings("ignore", ".*previously registered kernel", UserWarning)
                warnings.filterwarnings("ignore", "Warning only once for all operators")
                for overload in self.originals:
                    self.library.impl(overload, self._kernel(overload), self.key)
            kernels = _compiled.load(compiled) if compiled is not False else None
            if kernels is not None:
                _compiled.enable(kernels, self.is_cuda, self.number)
                self.compiled = kernels
        except BaseException:
            self.library._destroy()
            raise

    def end(self):
        if self.compiled is not None:
            self.compiled.myblas_torch_disable(int(self.is_cuda))
        self.library._destroy()
        self.calls, self.compiled = self.counts(), None

    def counts(self):
        """{(function, reason not to serve it or None): calls}."""
        counts = collections.Counter(self.calls)
        if self.compiled is not None:
            for number, name in enumerate(_FUNCTIONS):
                served = self.compiled.myblas_torch_served(int(self.is_cuda), number)
                if served:
                    counts[name, None] += served
        return counts

    def _kernel(self, overload):
        name = overload.split(".")[0].rstrip("_")
        compute = self._add if name in ("addmm", "baddbmm") else self._multiply
        rank = 3 if name in ("bmm", "baddbmm") else 2
        is_in_place = overload.endswith("_")
        original, calls, lock = self.originals[overload], self.calls, self.lock
        served, keys = (name, None), self.keys

        def kernel(*operands, out=None, **scalars):
            result = compute(rank, *operands, operands[0] if is_in_place else out, **scalars)
            if type(result) is not str:
                with lock:
                    calls[served] += 1
                return result
            with lock:
                calls[name, result] += 1
            if out is not None:
                scalars["out"] = out
            return original.call_boxed(keys, *operands, **scalars)

        return kernel

    def _refusal(self, a, b, out):
        """Why operands of these types, in these places, are left to PyTorch, or None."""
        if a.dtype is not _FLOAT or b.dtype is not _FLOAT:
            return f"{str(a.dtype).replace('torch.', '')}, not float32"
        if a.get_device() != b.get_device():
            return "operands on different devices"
        if self.is_cuda and _precision("cuda", "matmul") == "tf32":
            return "TF32 is allowed"
        if out is not None and (out.dtype is not _FLOAT or out.device != a.device):
            return "out is another type or device"
        return None

    def _plan_of(self, rank, a, b, out):
        """The plan of a product, or why it is left to PyTorch."""
        reason = self._refusal(a, b, out)
        if reason is not None:
            return reason
        strides_c = None if out is None else out.stride()
        plan = _plan(rank, a.shape, a.stride(), b.shape, b.stride(), strides_c)
        if out is not None and type(plan) is not str:
            if out.shape != plan[0]:
                return "out has another shape"
            if _overlap(out, a) or _overlap(out, b):
                return "out overlaps an operand"
        return plan

    def _empty(self, plan, a):
        """A new result, on the device of a."""
        if self.new is None or (self.is_cuda and a.get_device() != _current_device()):
            return a.new_empty(plan[0])
        return self.new(plan[0], plan[1], _FLOAT)

    def _multiply(self, rank, a, b, out):
        plan = self._plan_of(rank, a, b, out)
        if type(plan) is str:
            return plan
        if out is None:
            out = self._empty(plan, a)
        self._launch(plan, a, b, out, scalar(1), scalar(0))
        return out

    def _add(self, rank, added, a, b, out, alpha=1, beta=1):
        plan = self._plan_of(rank, a, b, out)
        if type(plan) is str:
            return plan
        shape = plan[0]
        if added.dtype is not _FLOAT or added.get_device() != a.get_device():
            return "the added tensor has another type or device"
        if type(alpha) is complex or type(beta) is complex:
            return "complex scalars"
        shape_added = added.shape
        is_bias = rank == 2 and shape_added == shape[-1:]
        if shape_added != shape:
            try:
                expanded = added.expand(shape)
            except RuntimeError:
                return "shapes that do not fit"  # PyTorch's own kernel says it in its words
        else:
            expanded = added
        in_place = out is not None and _is_same(out, added)
        if out is None:
            out = self._empty(plan, a)
        elif beta != 0 and not in_place and _overlap(out, added):
            return "out overlaps an operand"
        # A bias of the columns, as of nn.Linear, is added in the launch of the product.
        swaps = plan[4]
        if is_bias and beta == 1 and swaps and shape[1] > 1 and added.stride(0) == 1:
            self._launch(plan, a, b, out, scalar(alpha), scalar(0), bias=added)
            return out
        if beta != 0 and not in_place:
            strides = expanded.stride()
            layout = _layout(shape[-2], shape[-1], strides)
            if layout is not None and layout[0] == swaps:
                other = expanded, layout[1], strides[0]
                self._launch(plan, a, b, out, scalar(alpha), scalar(beta), other=other)
                return out
            out.copy_(expanded)
        self._launch(plan, a, b, out, scalar(alpha), scalar(beta))
        return out

    def _launch(self, plan, a, b, out, alpha, beta, bias=None, other=None):
        """out = alpha a b + beta C + bias, for matrices or stacks of them. C is out, or `other`: a
        tensor, its leading dimension and the stride of its batch.
        """
        _, _, copies_a, copies_b, swaps, sizes, lda, ldb, ldc, steps = plan
        if copies_a:
            a = a.contiguous()
        if copies_b:
            b = b.contiguous()
        if self.is_cuda:
            device = a.get_device()
            stream = _current_stream(device) or LEGACY_STREAM
        else:
            device, stream = HOST, LEGACY_STREAM
        handle = handle_for(device).prepare(stream, self.number)
        functions, pointer = handle.functions, handle.pointer
        if swaps:
            a, b = b, a
        first, second, c = a.data_ptr(), b.data_ptr(), out.data_ptr()
        if bias is not None or other is not None:
            epilogue = handle.epilogue
            if epilogue is None:
                epilogue = handle.epilogue = _Epilogue(
                    ctypes.sizeof(_Epilogue), bias_of=_BIAS_OF_ROWS
                )
            epilogue.bias = None if bias is None else bias.data_ptr()
            added, ld, step = (None, ldc, 0) if other is None else other
            added = None if added is None else added.data_ptr()
            last = ctypes.byref(epilogue)
            if steps is None:
                function = functions.mysgemmFused_64
                end = (beta, added, ld, c, ldc, last)
                status = function(pointer, *sizes, alpha, first, lda, second, ldb, *end)
            else:
                function = functions.mysgemmFusedStridedBatched_64
                left, right = (first, lda, steps[0]), (second, ldb, steps[1])
                end = (beta, added, ld, step, c, ldc, steps[2], last, steps[3])
                status = function(pointer, *sizes, alpha, *left, *right, *end)
        elif steps is None:
            function = functions.mysgemm_64
            status = function(pointer, *sizes, alpha, first, lda, second, ldb, beta, c, ldc)
        else:
            step_a, step_b, step_c, count = steps
            function = functions.mysgemmStridedBatched_64
            left, right = (first, lda, step_a), (second, ldb, step_b)
            end = (beta, c, ldc, step_c, count)
            status = function(pointer, *sizes, alpha, *left, *right, *end)
        if status != 0:
            check(function.__name__, status)


_lock = threading.Lock()
_active = {}
_last_calls = {}  # of devices that were disabled


class _Enabled:
    """What `enable` returns: a context manager, whose end restores what was before."""

    def __init__(self, device, before):
        self._device = device
        self._before = before

    def __enter__(self):
        return self

    def __exit__(self, *_):
        _set(self._device, self._before)


def _set(device, options):
    """Replaces the registration of a device; options: (mode, compiled), or None for PyTorch's own
    kernels.
    """
    with _lock:
        current = _active.pop(device, None)
        if current is not None:
            current.end()
            _last_calls[device] = current.calls

        def serve(mode, compiled):
            _active[device] = _Served(mode, device, compiled)
            if current is not None:
                _active[device].calls.update(current.calls)

        try:
            if options is not None:
                serve(*options)
        except BaseException:  # perhaps no compiler: what was before stays
            if current is not None:
                serve(*current.options)
            raise
        return current.options if current is not None else None


def enable(
    mode: str | None = None, *, device: str = "cuda", compiled: bool | None = None
) -> _Enabled:
    """PyTorch's FP32 products run on myblas from now on, in all threads of this process.

    mode     "strict", "emulated", "fast" or "reproducible", as for myblas.matmul; None: "strict",
             or what MYBLAS_MATH says
    device   "cuda", or "cpu": the same for tensors in host memory, by the host backend
    compiled True: kernels in C++ serve the usual products, with less time for each call; at the
             first time a C++ compiler compiles them, which takes a minute. None: the same if they
             have been compiled (also by `python -m myblas build-torch`). False: kernels in Python

    The result is a context manager: `with enable(...):` restores at its end what was before.
    Calling `enable` again changes the mode. Served are float32 products of dense tensors; while
    PyTorch may use TF32 (torch.backends.cuda.matmul.allow_tf32), its calls on CUDA go on as before,
    and so does everything else.

    ValueError: mode or device. RuntimeError: this PyTorch has no torch.library.get_kernel, without
    which calls that are not served could not go on; or it has no CUDA; or, with compiled=True, the
    kernels cannot be compiled.
    """
    if mode is not None and mode not in MODES:
        raise ValueError(f"mode is {mode!r}; it can be {', '.join(map(repr, MODES))} or None")
    if device not in ("cuda", "cpu"):
        raise ValueError(f"device is {device!r}; it can be 'cuda' or 'cpu'")
    if not hasattr(torch.library, "get_kernel"):
        raise RuntimeError(
            f"PyTorch {torch.__version__} has no torch.library.get_kernel, which myblas needs; "
            "start the program with myblas-run instead"
        )
    if device == "cuda" and not torch.cuda.is_available():
        raise RuntimeError("PyTorch finds no GPU; device='cpu' serves tensors in host memory")
    return _Enabled(device, _set(device, (mode, compiled)))


def disable(*, device: str | None = None) -> None:
    """PyTorch's own kernels compute again. Without a device, those of all."""
    for each in list(_active) if device is None else [device]:
        _set(each, None)


def report() -> str:
    """The calls since `enable`, as text: how many were served, and why others were not."""
    lines = []
    for device in sorted({*_active, *_last_calls}):
        active = _active.get(device)
        state = f"enabled, {active.mode or 'default'} mode" if active else "disabled"
        if active and active.compiled is not None:
            state += ", compiled"
        lines.append(f"{device}: {state}")
        calls = active.counts() if active else _last_calls[device]
        for (name, reason), count in sorted(
            calls.items(), key=lambda item: (item[0][0], item[0][1] or "")
        ):
            lines.append(
                f"  {name:8} {count:10}  {'served' if reason is None else 'PyTorch: ' + reason}"
            )
    return "\n".join(lines) if lines else "myblas.torch was not enabled in this process"
