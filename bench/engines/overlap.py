"""Products in FP32 beside all-reduces by NCCL on a stream of its own, as in training: whether a
product lets communication have its multiprocessors.

usage: torchrun --nproc-per-node G overlap.py N ELEMENTS

A process for each GPU. Each of a few n x n products is followed by an all-reduce of a buffer of
ELEMENTS floats, which runs beside the next product. All of it is timed, and the products alone and
the all-reduces alone. Then the same with cublasSetSmCountTarget, which leaves some multiprocessors
free. The first process prints a line "RESULT {...}" of JSON for each. The last product and the
buffer are verified.
"""

import ctypes
import sys

import torch
import torch.distributed as dist
from torch_ranks import COUNT, DEVICE, HAS_GPU, RANK, errors, finish, milliseconds, say, start

PAIRS = 4
FREE_SMS = 20  # NCCL's kernels take about as many
VERIFIED_ROWS = 64


def set_sm_target(count):
    """On cuBLAS's handle of this thread and stream. 0: all of them."""
    everything = ctypes.CDLL(None)
    if not hasattr(everything, "cublasSetSmCountTarget"):  # no library of the program has it
        everything = ctypes.CDLL(f"libcublas.so.{torch.version.cuda.split('.')[0]}")
    handle = ctypes.c_void_p(torch.cuda.current_blas_handle())
    status = everything.cublasSetSmCountTarget(handle, ctypes.c_int(count))
    if status != 0:
        raise RuntimeError(f"cublasSetSmCountTarget({count}): status {status}")


def main():
    n, elements = int(sys.argv[1]), int(sys.argv[2])
    start("cpu:gloo,cuda:nccl")
    generator = torch.Generator(DEVICE).manual_seed(1 + RANK)
    a, b = (torch.randn(n, n, generator=generator, device=DEVICE) for _ in range(2))
    c = torch.empty(n, n, device=DEVICE)
    # The maximum of all processes stays the same when it is reduced again.
    buffer = (torch.arange(elements, device=DEVICE) % COUNT == RANK).float() + 1

    def multiply():
        torch.mm(a, b, out=c)

    def reduce():
        return dist.all_reduce(buffer, dist.ReduceOp.MAX, async_op=True)

    def products():
        for _ in range(PAIRS):
            multiply()

    def reductions():
        for work in [reduce() for _ in range(PAIRS)]:
            work.wait()

    def both():
        under_way = []
        for _ in range(PAIRS):
            multiply()
            under_way.append(reduce())
        for work in under_way:
            work.wait()

    gib = f"{PAIRS} all-reduces of {elements / 2**28:.3g} GiB"
    works = [(f"{PAIRS} products", products), (gib, reductions)]
    works.append((f"{PAIRS} products, {gib}", both))
    exact = a[:VERIFIED_ROWS].double() @ b.double()

    def measure(name, work):
        c.fill_(float("nan"))
        multiply()
        reduce().wait()
        ms, _ = milliseconds(work)
        finish()
        found = errors([(c[:VERIFIED_ROWS], exact), (buffer, torch.full_like(buffer, 2).double())])
        say("RESULT", work=name, n=n, ms=ms, **found)

    for name, work in works:
        measure(name, work)
    if HAS_GPU:
        count = torch.cuda.get_device_properties(DEVICE).multi_processor_count - FREE_SMS
        set_sm_target(count)
    for name, work in (works[0], works[2]):
        measure(f"{name}, {FREE_SMS} SMs free", work)
    dist.barrier()
    dist.destroy_process_group()


main()
