"""libmyblas by ctypes: its functions, its errors as exceptions, and handles for threads and
devices.
"""

from __future__ import annotations

import ctypes
import os
import pathlib
import threading

library_path = str(pathlib.Path(__file__).resolve().parent / "lib" / "libmyblas.so.1")

MODES = {"strict": 0, "emulated": 1, "fast": 2, "reproducible": 3}
HOST = -1  # the device number of host memory; a GPU has its ordinal

_BACKEND_HOST, _BACKEND_CUDA = 1, 2
_NOT_INITIALIZED, _ALLOC_FAILED, _ARCH_MISMATCH = 1, 3, 8

_int, _size, _pointer = ctypes.c_int, ctypes.c_int64, ctypes.c_void_p
# The arguments of each function after the handle: i an enumerator or int, s a 64-bit size, p a
# pointer. ctypes checks and converts by these types, so that no size is cut off at 32 bits.
_SIGNATURES = {
    "mysgemm_64": "iissspp s p s p p s",
    "mysgemmHost_64": "iissspp s p s p p s",
    "mysgemmStridedBatched_64": "iisss p ps s ps s p ps s s",
    "mysgemmFused_64": "iisss p ps ps p ps ps p",
    "mysgemmFusedStridedBatched_64": "iisss p pss pss p pss pss p s",
    "myssyrk_64": "iiss p ps p ps",
    "mystrsmStridedBatched_64": "iiiiss p ps s ps s s",
    "mytransposeStridedBatched_64": "ss ps s ps s s",
    "mysgemsum_64": "iss ps p",
    "mysum_64": "s ps p",
    "mysdot_64": "s ps ps p",
    "mysscal_64": "s p ps",
    "myscopy_64": "s ps ps",
    "myblasSetStream": "p",
    "myblasSetMathMode": "i",
    "myblasGetMathMode": "p",
    "myblasSetPointerMode": "i",
    "myblasGetBackend": "p",
    "myblasStreamSynchronize": "p",
    "myblasMalloc": "ps",
    "myblasFree": "p",
    "myblasDestroy": "",
}


_ZERO, _ONE = (ctypes.byref(ctypes.c_float(value)) for value in (0, 1))


def scalar(value):
    """A pointer to a float."""
    return _ONE if value == 1 else _ZERO if value == 0 else ctypes.byref(ctypes.c_float(value))


class MyblasError(RuntimeError):
    """A call of the library failed; `status` is its number (myblasStatus_t)."""

    def __init__(self, function, status):
        name = library().myblasGetStatusName(status).decode()
        meaning = library().myblasGetStatusString(status).decode()
        super().__init__(f"{function}: {name}: {meaning} (MYBLAS_LOG=stderr says more)")
        self.status = status


def load():
    """The library, as ctypes has it, without declared types. The C header documents its
    functions.
    """
    return ctypes.CDLL(library_path)


_library = None


def library():
    """The library with declared argument types, loaded at the first call."""
    global _library
    if _library is None:
        loaded = ctypes.CDLL(library_path)
        types = {"i": _int, "s": _size, "p": _pointer}
        for name, signature in _SIGNATURES.items():
            getattr(loaded, name).argtypes = [_pointer] + [types[c] for c in signature if c != " "]
        loaded.myblasCreate.argtypes = [_pointer]
        loaded.myblasCreateOn.argtypes = [_pointer, _int]
        for name in ("myblasGetStatusName", "myblasGetStatusString"):
            getattr(loaded, name).argtypes = [_int]
            getattr(loaded, name).restype = ctypes.c_char_p
        _library = loaded
    return _library


def version():
    """The library's version, as in 1.0.0."""
    numbers = []
    for part in range(3):
        value = ctypes.c_int()
        library().myblasGetProperty(part, ctypes.byref(value))
        numbers.append(str(value.value))
    return ".".join(numbers)


def check(function, status):
    if status == 0:
        return
    if status == _ALLOC_FAILED:
        raise MemoryError(str(MyblasError(function, status)))
    raise MyblasError(function, status)


class Handle:
    """A handle of the library. Only the thread that created it uses it."""

    def __init__(self, create, *arguments):
        self.pointer = None
        self.functions = library()  # the destructor may run after the module's globals are gone
        handle = ctypes.c_void_p()
        check(create, getattr(self.functions, create)(ctypes.byref(handle), *arguments))
        self.pointer = handle.value
        self._stream = None
        mode = ctypes.c_int()
        self.call("myblasGetMathMode", ctypes.byref(mode))
        self._mode = self._default_mode = mode.value
        self._results_on_device = False
        self.epilogue = None  # of torch.py: one structure for all calls

    def __del__(self):
        if self.pointer is not None:
            self.functions.myblasDestroy(self.pointer)

    def call(self, function, *arguments):
        """Calls a function of the library; a status other than success becomes an exception."""
        status = getattr(self.functions, function)(self.pointer, *arguments)
        if status != 0:
            check(function, status)

    def is_cuda(self):
        backend = ctypes.c_int()
        self.call("myblasGetBackend", ctypes.byref(backend))
        return backend.value == _BACKEND_CUDA

    def prepare(self, stream, mode, results_on_device=False):
        """Sets the stream, the math mode (None: the default) and where scalar results are."""
        # cudaStreamPerThread is 2: the same value, but another stream in each thread. A handle
        # belongs to a thread, so equal values are equal streams here.
        if stream != self._stream:
            self.call("myblasSetStream", stream)
            self._stream = stream
        mode = self._default_mode if mode is None else mode
        if mode != self._mode:
            self.call("myblasSetMathMode", mode)
            self._mode = mode
        if results_on_device != self._results_on_device:
            self.call("myblasSetPointerMode", int(results_on_device))
            self._results_on_device = results_on_device
        return self


class _current_device:
    """The device's primary context is current inside: a handle belongs to the current device."""

    def __init__(self, ordinal):
        self.ordinal = ordinal

    def __enter__(self):
        driver, device, context = cuda_driver(), ctypes.c_int(), ctypes.c_void_p()
        self.failed = (
            driver.cuDeviceGet(ctypes.byref(device), self.ordinal)
            or driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
            or driver.cuCtxPushCurrent_v2(context)
        )
        if self.failed:
            raise RuntimeError(
                f"the context of cuda:{self.ordinal} cannot be made current (CUDA error "
                f"{self.failed})"
            )

    def __exit__(self, *_):
        # The primary context stays retained: the process has memory on the device.
        cuda_driver().cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))


_driver = None


def cuda_driver():
    """libcuda by ctypes. Whoever asks has CUDA memory, so the driver is there and initialised."""
    global _driver
    if _driver is None:
        driver = ctypes.CDLL("libcuda.so.1")
        driver.cuCtxPushCurrent_v2.argtypes = [_pointer]
        driver.cuPointerGetAttribute.argtypes = [_pointer, _int, _pointer]
        driver.cuInit(0)
        _driver = driver
    return _driver


def synchronize(device):
    """Waits for everything that was enqueued on a GPU, in all streams."""
    with _current_device(device):
        error = cuda_driver().cuCtxSynchronize()
    if error:
        raise RuntimeError(f"work on cuda:{device} failed (CUDA error {error})")


def device_of_pointer(pointer):
    """The ordinal of the GPU whose memory a pointer points to."""
    device_ordinal = 9  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
    ordinal = ctypes.c_int()
    error = cuda_driver().cuPointerGetAttribute(ctypes.byref(ordinal), device_ordinal, pointer)
    if error:
        raise ValueError(f"{pointer:#x} is not a CUDA pointer (CUDA error {error})")
    return ordinal.value


class _Handles(threading.local):
    def __init__(self):
        self.of_device = {}
        self.auto = None


_handles = _Handles()
_has_no_gpu = False


def _forget_handles():
    # A handle on a GPU does not survive a fork; destroying one in the child does nothing.
    global _handles
    _handles = _Handles()


os.register_at_fork(after_in_child=_forget_handles)


def handle_for(device):
    """This thread's handle for the memory of a device: HOST or the ordinal of a GPU."""
    found = _handles.of_device.get(device)
    if found is None:
        if device == HOST:
            found = Handle("myblasCreateOn", _BACKEND_HOST)
        else:
            with _current_device(device):
                found = Handle("myblasCreateOn", _BACKEND_CUDA)
        _handles.of_device[device] = found
    return found


def handle_for_large_host_products():
    """This thread's handle on the current GPU, or None: no GPU, or MYBLAS_BACKEND says host."""
    global _has_no_gpu
    if _handles.auto is None and not _has_no_gpu:
        try:
            handle = Handle("myblasCreate")
        except MyblasError as error:
            if error.status not in (_NOT_INITIALIZED, _ARCH_MISMATCH):
                raise
            handle = None
        if handle is None or not handle.is_cuda():
            _has_no_gpu = True
        else:
            _handles.auto = handle
    return _handles.auto
