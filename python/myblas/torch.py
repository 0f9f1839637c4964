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
import threading

import torch

from ._arrays import LEGACY_STREAM
from ._library import HOST, MODES, handle_for

_FUNCTIONS = ("mm", "bmm", "addmm", "baddbmm")
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


_ZERO = ctypes.byref(ctypes.c_float(0))
_ONE = ctypes.byref(ctypes.c_float(1))


def _scalar(value):
    return _ONE if value == 1 else _ZERO if value == 0 else ctypes.byref(ctypes.c_float(value))


def _layout(tensor):
    """(whether the matrices are stored by rows, leading dimension), or None: neither is dense."""
    rows, columns = tensor.shape[-2:]
    row_stride, column_stride = tensor.stride()[-2:]
    if (columns == 1 or column_stride == 1) and (rows == 1 or row_stride >= columns):
        return True, row_stride if rows > 1 else columns
    if (rows == 1 or row_stride == 1) and (columns == 1 or column_stride >= rows):
        return False, column_stride if columns > 1 else rows
    return None


def _dense(tensor):
    """The tensor and its layout; a copy if its matrices are neither by rows nor by columns."""
    layout = _layout(tensor)
    if layout is not None:
        return tensor, layout
    return tensor.contiguous(), (True, tensor.shape[-1])


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

    def __init__(self, mode, device):
        self.mode = mode
        self.number = None if mode is None else MODES[mode]
        self.device = device
        self.key = device.upper()
        self.is_cuda = device == "cuda"
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
            for overload in self.originals:
                self.library.impl(overload, self._kernel(overload), self.key, with_keyset=True)
        except BaseException:
            self.library._destroy()
            raise

    def _kernel(self, overload):
        name = overload.split(".")[0].rstrip("_")
        compute = self._add if name in ("addmm", "baddbmm") else self._multiply
        rank = 3 if name in ("bmm", "baddbmm") else 2
        is_in_place = overload.endswith("_")
        original = self.originals[overload]

        def kernel(keys, *operands, out=None, **scalars):
            result = compute(rank, operands, operands[0] if is_in_place else out, scalars)
            refusal = result if type(result) is str else None
            with self.lock:
                self.calls[name, refusal] += 1
            if refusal is None:
                return result
            if out is not None:
                scalars["out"] = out
            return original.call_boxed(keys, *operands, **scalars)

        return kernel

    def _refusal(self, rank, a, b, out):
        """Why a call is left to PyTorch, or None."""
        if a.dtype != torch.float32 or b.dtype != torch.float32:
            return f"{str(a.dtype).replace('torch.', '')}, not float32"
        if a.dim() != rank or b.dim() != rank or a.shape[-1] != b.shape[-2]:
            return "shapes that do not fit"
        if rank == 3 and a.shape[0] != b.shape[0]:
            return "shapes that do not fit"
        if a.numel() == 0 or b.numel() == 0:
            return "nothing to compute"
        if a.device != b.device:
            return "operands on different devices"
        if self.is_cuda and torch.backends.cuda.matmul.fp32_precision == "tf32":
            return "TF32 is allowed"
        if out is None:
            return None
        shape = (*a.shape[:-1], b.shape[-1])
        if out.dtype != torch.float32 or out.shape != shape or out.device != a.device:
            return "out is another shape, type or device"
        if _layout(out) is None or (rank == 3 and out.stride(0) == 0 and len(out) > 1):
            return "out is not dense"
        if _overlap(out, a) or _overlap(out, b):
            return "out overlaps an operand"
        return None

    def _multiply(self, rank, operands, out, scalars):
        a, b = operands
        reason = self._refusal(rank, a, b, out)
        if reason:
            return reason
        if out is None:
            out = torch.empty((*a.shape[:-1], b.shape[-1]), dtype=torch.float32, device=a.device)
        self._launch(a, b, out, 1, 0)
        return out

    def _add(self, rank, operands, out, scalars):
        added, a, b = operands
        alpha, beta = scalars.get("alpha", 1), scalars.get("beta", 1)
        reason = self._refusal(rank, a, b, out)
        if reason:
            return reason
        shape = (*a.shape[:-1], b.shape[-1])
        if added.dtype != torch.float32 or added.device != a.device:
            return "the added tensor has another type or device"
        if isinstance(alpha, complex) or isinstance(beta, complex):
            return "complex scalars"
        try:
            expanded = added.expand(shape)
        except RuntimeError:
            return "shapes that do not fit"  # PyTorch's own kernel says it in its words
        in_place = out is not None and _is_same(out, added)
        if out is None:
            out = torch.empty(shape, dtype=torch.float32, device=a.device)
        elif beta != 0 and not in_place and _overlap(out, added):
            return "out overlaps an operand"
        # A bias of the columns, as of nn.Linear, is added in the launch of the product.
        is_bias = beta == 1 and rank == 2 and added.shape == shape[-1:] and added.is_contiguous()
        if is_bias and out.stride(-1) == 1 and shape[-1] > 1:
            self._launch(a, b, out, alpha, 0, bias=added)
            return out
        if beta != 0 and not in_place:
            out.copy_(expanded)
        self._launch(a, b, out, alpha, beta)
        return out

    def _launch(self, a, b, out, alpha, beta, bias=None):
        """out = alpha a b + beta out + bias, for matrices or stacks of them."""
        a, (a_by_rows, lda) = _dense(a)
        b, (b_by_rows, ldb) = _dense(b)
        by_rows, ldc = _layout(out)
        m, k = a.shape[-2:]
        n = b.shape[-1]
        device, stream = HOST, LEGACY_STREAM
        if self.is_cuda:
            device = a.device.index
            stream = torch.cuda.current_stream(device).cuda_stream or LEGACY_STREAM
        handle = handle_for(device).prepare(stream, self.number)
        x = (int(a_by_rows != by_rows), a, lda)
        y = (int(b_by_rows != by_rows), b, ldb)
        if by_rows:  # C^T = B^T A^T
            m, n, x, y = n, m, y, x
        product = (x[0], y[0], m, n, k, _scalar(alpha))
        first, second = (x[1].data_ptr(), x[2]), (y[1].data_ptr(), y[2])
        c, other = out.data_ptr(), _scalar(beta)
        if bias is not None:
            added = bias.data_ptr()
            epilogue = _Epilogue(ctypes.sizeof(_Epilogue), bias_of=_BIAS_OF_ROWS, bias=added)
            fused = (*product, *first, *second, _ZERO, None, ldc, c, ldc)
            handle.call("mysgemmFused_64", *fused, ctypes.byref(epilogue))
        elif a.dim() == 2:
            handle.call("mysgemm_64", *product, *first, *second, other, c, ldc)
        else:
            strides = (x[1].stride(0), y[1].stride(0))
            batch = (*first, strides[0], *second, strides[1], other, c, ldc, out.stride(0), len(a))
            handle.call("mysgemmStridedBatched_64", *product, *batch)


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


def _set(device, mode_or_none):
    """Replaces the registration of a device; mode_or_none: (mode,) or None for PyTorch's own."""
    with _lock:
        current = _active.pop(device, None)
        if current is not None:
            current.library._destroy()
            _last_calls[device] = current.calls
        if mode_or_none is not None:
            _active[device] = _Served(mode_or_none[0], device)
            if current is not None:
                _active[device].calls.update(current.calls)
        return (current.mode,) if current is not None else None


def enable(mode: str | None = None, *, device: str = "cuda") -> _Enabled:
    """PyTorch's FP32 products run on myblas from now on, in all threads of this process.

    mode     "strict", "emulated", "fast" or "reproducible", as for myblas.matmul; None: "strict",
             or what MYBLAS_MATH says
    device   "cuda", or "cpu": the same for tensors in host memory, by the host backend

    The result is a context manager: `with enable(...):` restores at its end what was before.
    Calling `enable` again changes the mode. Served are float32 products of dense tensors; while
    PyTorch may use TF32 (torch.backends.cuda.matmul.allow_tf32), its calls on CUDA go on as before,
    and so does everything else.

    ValueError: mode or device. RuntimeError: this PyTorch has no torch.library.get_kernel, without
    which calls that are not served could not go on; or it has no CUDA.
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
    return _Enabled(device, _set(device, (mode,)))


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
        lines.append(f"{device}: {state}")
        calls = active.calls if active else _last_calls[device]
        for (name, reason), count in sorted(
            calls.items(), key=lambda item: (item[0][0], item[0][1] or "")
        ):
            lines.append(
                f"  {name:8} {count:10}  {'served' if reason is None else 'PyTorch: ' + reason}"
            )
    return "\n".join(lines) if lines else "myblas.torch was not enabled in this process"
