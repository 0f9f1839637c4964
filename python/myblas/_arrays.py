"""Arrays of other packages: where they are, their shapes and strides, and new ones of the same
kind.

NumPy, PyTorch and CuPy are known by name, since the results are arrays of theirs. Everything else
is read through __cuda_array_interface__ or DLPack, and answered with a `DeviceArray`. No package is
imported: an array of a package can only be here if the package is loaded.
"""

from __future__ import annotations

import ctypes
import functools
import math
import os
import sys

from ._library import HOST, device_of_pointer, handle_for, synchronize

LEGACY_STREAM = None  # CUDA's legacy default stream, which other blocking streams wait for


class View:
    """A float32 array: its address, shape, strides in elements, device and owner."""

    __slots__ = (
        "pointer",
        "shape",
        "strides",
        "device",
        "is_read_only",
        "owner",
        "kind",
        "stream",
        "is_borrowed",
    )

    def __init__(
        self,
        pointer,
        shape,
        strides,
        device,
        is_read_only,
        owner,
        kind,
        stream=LEGACY_STREAM,
        is_borrowed=False,
    ):
        self.pointer = pointer
        self.shape = shape
        self.strides = strides
        self.device = device
        self.is_read_only = is_read_only
        self.owner = owner  # keeps the memory alive
        self.kind = kind  # the functions of the package: _Numpy, _Torch, _Cupy or _Other
        self.stream = stream  # on which the work of the caller is enqueued
        self.is_borrowed = is_borrowed  # the owner's allocator does not know the stream

    def with_layout(self, shape, strides):
        """The same memory with another shape and other strides."""
        return View(
            self.pointer,
            tuple(shape),
            tuple(strides),
            self.device,
            self.is_read_only,
            self.owner,
            self.kind,
            self.stream,
            self.is_borrowed,
        )

    def extent(self):
        """The first address and the one after the last."""
        low = high = 0
        for size, stride in zip(self.shape, self.strides):
            if size == 0:
                return self.pointer, self.pointer
            if stride < 0:
                low += (size - 1) * stride
            else:
                high += (size - 1) * stride
        return self.pointer + 4 * low, self.pointer + 4 * (high + 1)

    def overlaps(self, other):
        (low, high), (other_low, other_high) = self.extent(), other.extent()
        return self.device == other.device and low < other_high and other_low < high


def place(device):
    return "host memory" if device == HOST else f"the memory of cuda:{device}"


@functools.lru_cache(maxsize=4096)
def contiguous_strides(shape):
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


def _wrong_dtype(function, name, dtype, shape):
    return TypeError(
        f"{function}: {name} is {dtype}, of shape {tuple(shape)}; myblas computes in float32 "
        "only: convert it first"
    )


@functools.lru_cache(maxsize=4096)
def _quarters(byte_strides, shape):
    """Strides in elements of 4 bytes; None: they are no multiples. Those of axes with one element
    are free.
    """
    if any([stride & 3 and size > 1 for stride, size in zip(byte_strides, shape)]):
        return None
    return tuple([stride >> 2 for stride in byte_strides])


def _elements(function, name, byte_strides, shape):
    """Strides in elements of a float32 array."""
    if byte_strides is None:
        return contiguous_strides(shape)
    strides = _quarters(tuple(byte_strides), tuple(shape))
    if strides is None:
        raise ValueError(
            f"{function}: the strides of {name}, {tuple(byte_strides)} bytes, are not "
            "multiples of 4: copy it first"
        )
    return strides


def _address(array):
    """Of a NumPy array."""
    try:
        # array.ctypes builds several objects; this is for writable contiguous arrays alone.
        return ctypes.addressof(ctypes.c_char.from_buffer(array))
    except (TypeError, ValueError, BufferError):
        return array.ctypes.data


class _Numpy:
    @staticmethod
    def view(function, name, array, is_output):
        dtype, flags, numpy = array.dtype, array.flags, sys.modules["numpy"]
        if dtype.char != "f" or not dtype.isnative:
            raise _wrong_dtype(function, name, dtype, array.shape)
        if type(array) is not numpy.ndarray and isinstance(array, numpy.ma.MaskedArray):
            raise TypeError(
                f"{function}: {name} is a masked array; myblas has no masks: pass "
                f"{name}.filled(...) or {name}.data"
            )
        if not flags.aligned:
            if is_output:
                raise ValueError(f"{function}: {name} is not aligned to 4 bytes")
            array = array.copy()
        strides = _elements(function, name, array.strides, array.shape)
        return View(_address(array), array.shape, strides, HOST, not flags.writeable, array, _Numpy)

    @staticmethod
    def pointer(array):
        return _address(array)

    @staticmethod
    def empty(shape, view):
        return sys.modules["numpy"].empty(shape, "float32")

    @staticmethod
    def zeros(shape, view):
        return sys.modules["numpy"].zeros(shape, "float32")

    @staticmethod
    def result(array):
        return array if array.ndim else array[()]


class _Torch:
    @staticmethod
    def view(function, name, tensor, is_output):
        torch = sys.modules["torch"]
        if tensor.dtype != torch.float32:
            raise _wrong_dtype(function, name, tensor.dtype, tensor.shape)
        if tensor.layout != torch.strided or tensor.device.type not in ("cpu", "cuda"):
            raise TypeError(
                f"{function}: {name} is a tensor of layout {tensor.layout} on "
                f"{tensor.device}; dense tensors on cpu or cuda are taken"
            )
        if tensor.requires_grad and torch.is_grad_enabled():
            raise ValueError(
                f"{function}: {name}, of shape {tuple(tensor.shape)}, requires gradients, "
                "which this function does not record: "
                "use torch.matmul under myblas.torch.enable(), or pass a detached tensor"
            )
        if tensor.is_neg():
            if is_output:
                raise ValueError(
                    f"{function}: {name}, of shape {tuple(tensor.shape)}, is a view that negates "
                    "its memory (torch.Tensor.is_neg), which no product can be written to"
                )
            tensor = tensor.resolve_neg()
        if is_output:  # autograd then refuses graphs that saved the values before
            torch.autograd.graph.increment_version(tensor)
        device, stream = HOST, LEGACY_STREAM
        if tensor.is_cuda:
            device = tensor.device.index
            stream = torch.cuda.current_stream(device).cuda_stream or LEGACY_STREAM
        return View(
            tensor.data_ptr(),
            tuple(tensor.shape),
            tensor.stride(),
            device,
            False,
            tensor,
            _Torch,
            stream,
        )

    @staticmethod
    def pointer(array):
        return array.data_ptr()

    @staticmethod
    def empty(shape, view):
        torch = sys.modules["torch"]
        return torch.empty(shape, dtype=torch.float32, device=view.owner.device)

    @staticmethod
    def zeros(shape, view):
        torch = sys.modules["torch"]
        return torch.zeros(shape, dtype=torch.float32, device=view.owner.device)

    @staticmethod
    def result(array):
        return array


class _Cupy:
    @staticmethod
    def view(function, name, array, is_output):
        if array.dtype.char != "f":
            raise _wrong_dtype(function, name, array.dtype, array.shape)
        memory, get_stream = array.data, sys.modules["cupy"].cuda.get_current_stream
        device = memory.device_id
        stream = get_stream(device).ptr or LEGACY_STREAM
        strides = _elements(function, name, array.strides, array.shape)
        return View(memory.ptr, array.shape, strides, device, False, array, _Cupy, stream)

    @staticmethod
    def pointer(array):
        return array.data.ptr

    @staticmethod
    def _new(create, shape, view):
        if view.device == sys.modules["cupy"].cuda.runtime.getDevice():
            return create(shape, "f")
        with view.owner.device:
            return create(shape, "f")

    @staticmethod
    def empty(shape, view):
        return _Cupy._new(sys.modules["cupy"].empty, shape, view)

    @staticmethod
    def zeros(shape, view):
        return _Cupy._new(sys.modules["cupy"].zeros, shape, view)

    @staticmethod
    def result(array):
        return array


class _DLDevice(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("ordinal", ctypes.c_int)]


class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", _DLDevice),
        ("ndim", ctypes.c_int),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _DLManagedTensor(ctypes.Structure):
    pass


_DELETER = ctypes.CFUNCTYPE(None, ctypes.POINTER(_DLManagedTensor))
_DLManagedTensor._fields_ = [
    ("tensor", _DLTensor),
    ("context", ctypes.c_void_p),
    ("deleter", _DELETER),
]

_DL_CPU, _DL_CUDA, _DL_CUDA_HOST, _DL_CUDA_MANAGED, _DL_FLOAT = 1, 2, 3, 13, 2
_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype, _get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = (
    ctypes.py_object,
    [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p],
)

_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]
_DLTENSOR = b"dltensor"

# What consumers of exported memory hold, by the address of the structure that they were given:
# [capsule, what it refers to ...].
_exported = {}


@_DELETER
def _release_export(managed, exported=_exported, address_of=ctypes.addressof):
    exported.pop(address_of(managed.contents), None)


def _references(export):
    return sys.getrefcount(export[0])


_ALONE = _references([object()])  # where nothing but the list has it


def _drop_unclaimed():
    """Ends exports whose capsule was given up before a consumer took the memory, because it refused
    it, say. A destructor of the capsule could not do this in Python: it may run while an exception
    is on its way.
    """
    for address, export in list(_exported.items()):
        if _references(export) <= _ALONE and _is_valid(export[0], _DLTENSOR):
            _exported.pop(address, None)


# Arrays of other packages may outlive this module when Python exits, and use these then.
for kept in (_exported, _release_export, _DLTENSOR):
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))


class _Memory:
    """Memory of myblas. Some freed memory of GPUs is kept for later arrays of the same size, since
    the driver takes longer to free and allocate a matrix than the product takes.

    Nothing here takes a lock: an array may be freed while another one is allocated, by the garbage
    collector. Single operations of lists and dictionaries are atomic.
    """

    MOST_KEPT_BYTES = 1 << 30  # of each GPU

    def __init__(self):
        self.kept = {}  # {(device, bytes): [pointer, ...]}
        self.handle_for = handle_for  # when Python exits, globals may be gone
        os.register_at_fork(after_in_child=self.kept.clear)

    def allocate(self, device, size):
        try:
            pointer = self.kept[device, size].pop()
        except (KeyError, IndexError):
            pointer = self._allocate(device, size)
        else:
            synchronize(device)  # the last user's work may not have ended
        return pointer

    def _allocate(self, device, size):
        pointer = ctypes.c_void_p()
        handle = handle_for(device)
        try:
            handle.call("myblasMalloc", ctypes.byref(pointer), size)
        except MemoryError:
            self.release(device)
            handle.call("myblasMalloc", ctypes.byref(pointer), size)
        return pointer.value

    def free(self, device, size, pointer):
        if device >= 0:
            kept = 0
            for (owner, other), pointers in list(self.kept.items()):
                kept += other * len(pointers) if owner == device else 0
            if kept + size <= self.MOST_KEPT_BYTES:
                self.kept.setdefault((device, size), []).append(pointer)
                return
        # The last user may be another thread, so the handle is that of this one.
        self.handle_for(device).call("myblasFree", pointer)

    def release(self, device):
        """Frees what is kept of a GPU."""
        for owner, size in list(self.kept):
            if owner == device:
                for pointer in self.kept.pop((owner, size), ()):
                    self.handle_for(device).call("myblasFree", pointer)


_memory = _Memory()


class DeviceArray:
    """A contiguous float32 array in memory of myblas: the result for arrays of packages whose
    arrays myblas cannot create. Other packages take it without a copy, by DLPack or
    __cuda_array_interface__: jax.dlpack.from_dlpack(c), numba.cuda.as_cuda_array(c),
    numpy.from_dlpack(c) for host memory. The memory lives as long as anything that uses it. Up to
    1 GiB of each GPU is kept for later arrays of the same sizes.
    """

    def __init__(self, shape, device):
        self.shape = tuple(shape)
        self.device = device
        self.pointer = 0
        _drop_unclaimed()
        self._bytes = 4 * max(1, math.prod(self.shape))
        self.pointer = _memory.allocate(device, self._bytes)

    def __del__(self, memory=_memory):  # a default: globals may be gone at the end
        if self.pointer:
            memory.free(self.device, self._bytes, self.pointer)

    def __repr__(self):
        return f"myblas.DeviceArray(shape={self.shape}, dtype=float32, in {place(self.device)})"

    @property
    def __cuda_array_interface__(self):
        if self.device == HOST:
            raise AttributeError("the array is in host memory")
        return {
            "shape": self.shape,
            "typestr": "<f4",
            "data": (self.pointer, False),
            "strides": None,
            "version": 3,
        }

    @property
    def __array_interface__(self):
        if self.device != HOST:
            raise AttributeError(f"the array is in {place(self.device)}")
        return {
            "shape": self.shape,
            "typestr": "<f4",
            "data": (self.pointer, False),
            "strides": None,
            "version": 3,
        }

    def __dlpack_device__(self):
        return (_DL_CPU, 0) if self.device == HOST else (_DL_CUDA, self.device)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        # The values are complete (finish() in _routines.py), so no stream has to wait.
        if copy or dl_device not in (None, self.__dlpack_device__()):
            raise BufferError("myblas.DeviceArray is exported without a copy, where it is")
        managed, ndim = _DLManagedTensor(), len(self.shape)
        shape, strides = (
            (ctypes.c_int64 * max(ndim, 1))(*values)
            for values in (self.shape, contiguous_strides(self.shape))
        )
        managed.tensor = _DLTensor(
            self.pointer,
            _DLDevice(*self.__dlpack_device__()),
            ndim,
            _DL_FLOAT,
            32,
            1,
            shape,
            strides,
            0,
        )
        managed.deleter = _release_export
        address = ctypes.addressof(managed)
        capsule = _new_capsule(address, _DLTENSOR, None)
        _exported[address] = [capsule, managed, shape, strides, self]
        return capsule


class _Other:
    @staticmethod
    def view(function, name, array, is_output):
        if isinstance(array, DeviceArray):
            return View(
                array.pointer,
                array.shape,
                contiguous_strides(array.shape),
                array.device,
                False,
                array,
                _Other,
            )
        for attribute in ("__cuda_array_interface__", "__array_interface__"):
            interface = getattr(array, attribute, None)
            if interface is not None:
                # Before version 3 it names no stream. DLPack waits for what computes the array.
                on_gpu = attribute == "__cuda_array_interface__"
                if on_gpu and interface["version"] < 3 and hasattr(array, "__dlpack__"):
                    break
                return _Other._by_interface(function, name, array, interface, attribute)
        if hasattr(array, "__dlpack__"):
            return _Other._by_dlpack(function, name, array)
        raise TypeError(
            f"{function}: {name} is a {type(array).__name__}; NumPy arrays are taken, and "
            "arrays with DLPack or __cuda_array_interface__"
        )

    @staticmethod
    def _by_interface(function, name, array, interface, attribute):
        shape = tuple(interface["shape"])
        if interface["typestr"] not in ("<f4", "=f4"):
            raise _wrong_dtype(function, name, interface["typestr"], shape)
        if interface.get("mask") is not None:
            raise TypeError(f"{function}: {name} has a mask; myblas has no masks")
        memory = interface.get("data")
        if not isinstance(memory, (tuple, list)):  # a buffer, or the object itself is one
            raise TypeError(
                f"{function}: {name} shows its memory as a buffer, without an address; "
                "pass a NumPy array of it"
            )
        pointer, is_read_only = memory
        strides = _elements(function, name, interface.get("strides"), shape)
        device, stream = HOST, LEGACY_STREAM
        if attribute == "__cuda_array_interface__":
            stream = interface.get("stream") or LEGACY_STREAM
            stream = (
                LEGACY_STREAM if stream == 1 else stream
            )  # 1: the legacy default stream by another name
            # An empty array may have no pointer. It is on no device then, and nothing is read.
            device = device_of_pointer(pointer) if pointer else 0
        return View(pointer or 0, shape, strides, device, is_read_only, array, _Other, stream)

    @staticmethod
    def _by_dlpack(function, name, array):
        kind, _ = array.__dlpack_device__()
        if kind not in (_DL_CPU, _DL_CUDA, _DL_CUDA_HOST, _DL_CUDA_MANAGED):
            raise TypeError(
                f"{function}: {name} is on DLPack's device type {kind}; host and CUDA memory "
                "are taken"
            )
        on_gpu = kind in (_DL_CUDA, _DL_CUDA_MANAGED)
        # Stream 1 is the legacy default stream: it waits for what computes the array.
        capsule = array.__dlpack__(stream=1) if on_gpu else array.__dlpack__()
        tensor = ctypes.cast(
            _get_pointer(capsule, b"dltensor"), ctypes.POINTER(_DLManagedTensor)
        ).contents.tensor
        shape = tuple(tensor.shape[axis] for axis in range(tensor.ndim))
        if (tensor.code, tensor.bits, tensor.lanes) != (_DL_FLOAT, 32, 1):
            raise _wrong_dtype(function, name, getattr(array, "dtype", "not float32"), shape)
        strides = (
            tuple(tensor.strides[axis] for axis in range(tensor.ndim))
            if tensor.strides
            else contiguous_strides(shape)
        )
        device = HOST if not on_gpu else tensor.device.ordinal
        # DLPack does not say whether memory may be written, so it is never an output. The capsule
        # is not renamed: when it goes, it releases the memory.
        return View(
            (tensor.data or 0) + tensor.byte_offset,
            shape,
            strides,
            device,
            True,
            capsule,
            _Other,
            is_borrowed=True,
        )

    @staticmethod
    def pointer(array):
        return array.pointer

    @staticmethod
    def empty(shape, view):
        return DeviceArray(shape, view.device)

    @staticmethod
    def zeros(shape, view):
        array = DeviceArray(shape, view.device)
        count = 1
        for extent in shape:
            count *= extent
        if (
            count
        ):  # fresh memory may hold NaN, which a product with zero keeps: alpha = 0 stores zeros
            handle = handle_for(view.device).prepare(view.stream, None)
            zero = ctypes.byref(ctypes.c_float(0))
            handle.call(
                "mysgemm_64",
                0,
                0,
                count,
                1,
                0,
                zero,
                None,
                count,
                None,
                1,
                zero,
                array.pointer,
                count,
            )
        return array

    @staticmethod
    def result(array):
        return array


_KINDS = ((_Numpy, "numpy", "ndarray"), (_Torch, "torch", "Tensor"), (_Cupy, "cupy", "ndarray"))

_kind_of = {}  # by type


def view(function, name, array, is_output=False):
    """The View of an array. `function` and `name` are for messages."""
    kind = _kind_of.get(type(array))
    if kind is None:
        kind = _Other
        for known, module, type_name in _KINDS:
            loaded = sys.modules.get(module)  # a module that is being imported may lack the type
            if loaded is not None and isinstance(array, getattr(loaded, type_name, ())):
                kind = _kind_of[type(array)] = known
                break
        else:
            numpy = sys.modules.get("numpy")
            if isinstance(array, getattr(numpy, "generic", ())):  # a scalar has no memory to show
                if is_output:
                    raise TypeError(f"{function}: {name} is a NumPy scalar: pass an array")
                kind, array = _Numpy, numpy.asarray(array)
    return kind.view(function, name, array, is_output)
