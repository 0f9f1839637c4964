"""D = A^T B by NVIDIA's cuBLASMp in FP32, called by nvmath-python, with matrices distributed over
GPUs.

usage: torchrun --nproc-per-node G cublasmp_products.py N...

A process for each GPU. AG+GEMM: A and B are distributed by columns and D by rows, so each GPU
gathers B. GEMM+RS: A and B are distributed by rows and D by columns, so sums are reduced. One
process computes the product by torch.mm, which is what there is to compare with. The first process
prints a line "RESULT {...}" of JSON for each product. Some rows or columns of D in each process are
compared with those in double precision.

cuBLASMp 0.8 and newer need NCCL 2.29, which PyTorch 2.11 does not bring. ENGINES_LIBRARIES names a
folder with libnccl.so.2 and libcublasmp.so.0 that are loaded in place of those of Python packages.
Processes find each other by gloo; MPI is not needed. Without a GPU, gloo and PyTorch take
cuBLASMp's place: a rehearsal.
"""

import ctypes
import gc
import os
import sys


def load(library):
    folder = os.environ.get("ENGINES_LIBRARIES")
    if folder:
        ctypes.CDLL(os.path.join(folder, library), ctypes.RTLD_GLOBAL)


load("libnccl.so.2")  # before PyTorch, which then takes it, too

import numpy  # noqa: E402
import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
from torch_ranks import (  # noqa: E402
    COUNT,
    DEVICE,
    HAS_GPU,
    LOCAL_RANK,
    RANK,
    errors,
    milliseconds,
    say,
    start,
)

A, B = 1, 2
CHUNK = 4096  # rows of an operand that are there in double precision


def block(operand, owner, rows, columns):
    """The part of an operand that a process has: the same in whichever process makes it."""
    generator = torch.Generator(DEVICE).manual_seed(1000 * operand + owner)
    return torch.randn(rows, columns, generator=generator, device=DEVICE)


class Product:
    """One way to distribute A, B and D, n x n matrices. Operands are kept as their transposes, as
    cuBLASMp wants matrices by columns."""

    def __init__(self, n):
        self.n, self.part = n, n // COUNT
        self.picked = torch.tensor([0, 1, self.part // 2, self.part - 1], device=DEVICE)

    def operand(self, which, owner):
        return block(which, owner, *self.shape())


class AllGather(Product):
    work = "AG+GEMM"

    def shape(self):
        return self.part, self.n

    def distributions(self, rows, columns):
        return [columns, columns, rows]

    def rehearse(self, a, b):
        parts = [torch.empty_like(b.T) for _ in range(COUNT)]
        dist.all_gather(parts, b.T.contiguous())
        return a.T @ torch.cat(parts).T

    def pairs(self, d):
        left = self.operand(A, RANK)[self.picked].double()
        columns = [
            left @ chunk.double().T
            for owner in range(COUNT)
            for chunk in self.operand(B, owner).split(CHUNK)
        ]
        return [(d[self.picked], torch.cat(columns, 1))]


class ReduceScatter(Product):
    work = "GEMM+RS"

    def shape(self):
        return self.n, self.part

    def distributions(self, rows, columns):
        return [rows, rows, columns]

    def rehearse(self, a, b):
        whole = a.T @ b
        dist.all_reduce(whole)
        return whole[:, RANK * self.part : (RANK + 1) * self.part]

    def pairs(self, d):
        exact = 0
        for owner in range(COUNT):
            right = self.operand(B, owner)[RANK * self.part + self.picked].double().T
            chunks = self.operand(A, owner).split(CHUNK)
            exact = exact + torch.cat([chunk.double() @ right for chunk in chunks])
        return [(d[:, self.picked], exact)]


def in_memory_of_nccl(tensor):
    """A copy that NCCL may register, which makes AG+GEMM faster."""
    from nccl.core.buffer import mem_alloc

    memory = torch.from_dlpack(mem_alloc(tensor.nbytes, LOCAL_RANK)).view(torch.float32)
    copy = memory[: tensor.numel()].view(tensor.shape)
    copy.copy_(tensor)
    return copy


def by_cublasmp(product):
    """The median time, D, and what became of it."""
    from nvmath.distributed.distribution import BlockNonCyclic, ProcessGrid
    from nvmath.distributed.linalg.advanced import Matmul, matrix_qualifiers_dtype

    transposed = numpy.zeros(3, dtype=matrix_qualifiers_dtype)
    transposed[0]["is_transpose"] = True
    rows = BlockNonCyclic(ProcessGrid(shape=(COUNT, 1)))
    columns = BlockNonCyclic(ProcessGrid(shape=(1, COUNT)))
    a, b = product.operand(A, RANK), in_memory_of_nccl(product.operand(B, RANK))
    with Matmul(
        a.T, b.T, distributions=product.distributions(rows, columns), qualifiers=transposed
    ) as matmul:
        matmul.plan()
        return milliseconds(matmul.execute)


def by_torch(function):
    def measured(product):
        a, b = product.operand(A, RANK).T, product.operand(B, RANK).T
        return milliseconds(lambda: function(a, b))

    return measured


def measure(product, work, multiply):
    ms, d = multiply(product)
    n = product.n
    found = errors(product.pairs(d))
    say("RESULT", work=work, n=n, ms=ms, tflops=2e-9 * n**3 / ms, **found)
    del d
    gc.collect()
    if HAS_GPU:
        torch.cuda.empty_cache()


def start_cublasmp():
    load("libcublasmp.so.0")  # it needs cuBLAS, which PyTorch has loaded
    import nvmath.distributed
    from nvmath.bindings import cublasMp

    group = nvmath.distributed.TorchProcessGroup(device_id="cpu")
    nvmath.distributed.initialize(LOCAL_RANK, group, backends=["nccl"])
    nccl = ctypes.c_int()
    ctypes.CDLL("libnccl.so.2").ncclGetVersion(ctypes.byref(nccl))
    say("VERSIONS", cuBLASMp=dotted(cublasMp.get_version(), 1000),
        **{"nvmath-python": nvmath.__version__, "NCCL of cuBLASMp": dotted(nccl.value, 10000)},
        PyTorch=torch.__version__)  # fmt: skip


def dotted(version, of_major):
    """0.9.1 of 901, 2.29.7 of 22907."""
    return f"{version // of_major}.{version % of_major // 100}.{version % 100}"


def main():
    start("gloo")
    sizes = [int(n) for n in sys.argv[1:]]
    if COUNT == 1:
        for n in sizes:
            measure(AllGather(n), "torch.mm", by_torch(lambda a, b: torch.mm(a.T, b)))
    else:
        distributed_products(sizes)
    dist.destroy_process_group()


def distributed_products(sizes):
    if HAS_GPU:
        start_cublasmp()
    for n in sizes:
        for kind in (AllGather, ReduceScatter):
            product = kind(n)
            measure(product, kind.work, by_cublasmp if HAS_GPU else by_torch(product.rehearse))
    dist.barrier()
    if HAS_GPU:
        import nvmath.distributed

        nvmath.distributed.finalize()


main()
