"""What the links of a host carry, in GB/s of all GPUs together: copies from pinned host memory to
1, 2, 4 GPUs at once and so on, back, both at once, and copies around a ring of GPUs.

usage: links.py

Prints a line "LINKS {...}" of JSON for each number of GPUs. It needs the CUDA driver alone.
"""

import ctypes
import json
import time

BYTES = 512 << 20
COPIES = 4
POINTER = ctypes.c_void_p


class Driver:
    """The functions of the CUDA driver. They raise an error for a status that is not 0."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")

    def __getattr__(self, name):
        function = getattr(self.library, name)

        def call(*arguments):
            status = function(*arguments)
            if status != 0:
                raise RuntimeError(f"{name}: status {status}")

        return call


driver = Driver()


def made(function, *arguments, kind=POINTER):
    """What a function stores through its first argument."""
    value = kind()
    function(ctypes.byref(value), *arguments)
    return value


class Gpu:
    def __init__(self, number):
        device = made(driver.cuDeviceGet, number, kind=ctypes.c_int)
        self.context = made(driver.cuDevicePrimaryCtxRetain, device)
        self.enter()
        self.memory = [made(driver.cuMemAlloc_v2, ctypes.c_size_t(BYTES)) for _ in range(2)]
        self.host = [made(driver.cuMemHostAlloc, ctypes.c_size_t(BYTES), 0) for _ in range(2)]
        self.streams = [made(driver.cuStreamCreate, 1) for _ in range(2)]

    def enter(self):
        driver.cuCtxSetCurrent(self.context)

    def up(self):
        driver.cuMemcpyHtoDAsync_v2(
            self.memory[0], self.host[0], ctypes.c_size_t(BYTES), self.streams[0]
        )

    def down(self):
        driver.cuMemcpyDtoHAsync_v2(
            self.host[1], self.memory[1], ctypes.c_size_t(BYTES), self.streams[1]
        )

    def both(self):
        self.up()
        self.down()

    def to(self, other):
        driver.cuMemcpyPeerAsync(
            other.memory[0],
            other.context,
            self.memory[1],
            self.context,
            ctypes.c_size_t(BYTES),
            self.streams[0],
        )

    def wait(self):
        self.enter()
        driver.cuCtxSynchronize()


def rate(gpus, copy, copies_of_each=1):
    """GB/s of all, of the quickest of some runs."""
    best = 0
    for _ in range(3):
        for gpu in gpus:
            gpu.wait()
        begin = time.perf_counter()
        for _ in range(COPIES):
            for gpu in gpus:
                gpu.enter()
                copy(gpu)
        for gpu in gpus:
            gpu.wait()
        seconds = time.perf_counter() - begin
        best = max(best, 1e-9 * COPIES * copies_of_each * len(gpus) * BYTES / seconds)
    return round(best, 1)


def open_peers(gpus):
    """Lets GPUs read each other's memory; where they cannot, copies pass through the host."""
    for gpu in gpus:
        gpu.enter()
        for other in gpus:
            if other is not gpu:
                driver.library.cuCtxEnablePeerAccess(other.context, 0)


def main():
    driver.cuInit(0)
    gpus = [Gpu(i) for i in range(made(driver.cuDeviceGetCount, kind=ctypes.c_int).value)]
    open_peers(gpus)
    count = 1
    while count <= len(gpus):
        used = gpus[:count]
        row = {
            "gpus": count,
            "up": rate(used, Gpu.up),
            "down": rate(used, Gpu.down),
            "both": rate(used, Gpu.both, 2),
        }
        if count > 1:
            following = dict(zip(used, used[1:] + used[:1]))
            row["ring"] = rate(used, lambda gpu, ring=following: gpu.to(ring[gpu]))
        print("LINKS", json.dumps(row), flush=True)
        count *= 2


main()
