"""What programs do with PyTorch in FP32, without knowing of myblas (see worker.py): layers of
torch.nn, the solvers of torch.linalg, products of every kind, CUDA graphs, streams, and
torch.compile. The calls of faiss and of llama.cpp are replayed on cuBLAS itself."""

import copy
import ctypes
import math

import programs
import torch
from torch import nn

NAME = f"PyTorch {torch.__version__.split('+')[0]}"

FP32 = 0  # CUDA_R_32F
COMPUTE_FP32 = 68  # CUBLAS_COMPUTE_32F
ANY_ALGORITHM = -1  # CUBLAS_GEMM_DEFAULT


def start():
    torch.backends.cudnn.allow_tf32 = False  # the default for matrix products
    torch.manual_seed(1)
    torch.zeros(1, device="cuda")
    torch.cuda.synchronize()


def finish():
    torch.cuda.synchronize()


# ---- Inputs --------------------------------------------------------------------------------------
# Their products are made in FP64, so that they add no calls in FP32 to the counts.


def random(*shape):
    return torch.randn(*shape, device="cuda")


def random_double(*shape):
    return torch.randn(*shape, device="cuda", dtype=torch.float64)


def positive_definite(n, *batch):
    """A matrix with a condition number of about 5."""
    a = random_double(*batch, n, n)
    return (a @ a.mT / n + torch.eye(n, device="cuda", dtype=torch.float64)).float()


def triangle(n, *batch):
    """A well-conditioned lower triangle."""
    strict_part = random(*batch, n, n).tril(-1) * (0.5 / math.sqrt(n))
    return strict_part + torch.eye(n, device="cuda")


# ---- Programs ------------------------------------------------------------------------------------


def tensors(outputs):
    if isinstance(outputs, torch.Tensor):
        return [outputs]
    parts = outputs if isinstance(outputs, (list, tuple)) else []
    return [t for part in parts for t in tensors(part)]


def relative_error(outputs, exact):
    pairs = list(zip(tensors(outputs), tensors(exact), strict=True))
    lost = sum((a.double() - b).square().sum() for a, b in pairs)
    whole = sum(b.square().sum() for _, b in pairs)
    return (lost / whole).sqrt().item()


class Program(programs.Program):
    def in_double(self):
        inputs = [i.double() if isinstance(i, torch.Tensor) else i for i in self.inputs]
        return self.function(*inputs)

    def error(self):
        return relative_error(self.run(), self.in_double())


class Decomposition(Program):
    """The error is that of the product of the factors, because equally good factors may differ."""

    def __init__(self, function, product, matrix):
        super().__init__(function, matrix)
        self.product = product

    def error(self):
        factors = [t.double() if t.is_floating_point() else t for t in tensors(tuple(self.run()))]
        return relative_error(self.product(*factors), self.inputs[0].double())


class Layer(Program):
    """A module whose results are used or trained on."""

    def __init__(self, module, *inputs, trains=False):
        super().__init__(None, *inputs)
        self.module = module.cuda()
        if not trains:
            self.module.eval()
        self.trains = trains

    def of(self, module, inputs):
        if not self.trains:
            with torch.no_grad():
                return module(*inputs)
        wanted = [i.requires_grad_() for i in inputs] + list(module.parameters())
        results = tensors(module(*inputs))
        return torch.autograd.grad(results, wanted, [torch.ones_like(r) for r in results])

    def run(self):
        return self.of(self.module, self.inputs)

    def in_double(self):
        inputs = [i.detach().double() for i in self.inputs]
        return self.of(copy.deepcopy(self.module).double(), inputs)


class Graph(Program):
    """Another program, captured and replayed."""

    def __init__(self, program):
        self.program = program
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            program.run()
        torch.cuda.synchronize()
        self.capture()

    def capture(self):
        """Only the capture calls cuBLAS; a replay does not."""
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.results = self.program.run()

    def run(self):
        self.graph.replay()
        return self.results

    def in_double(self):
        return self.program.in_double()


class Streams(Program):
    """Products on two streams at once."""

    def __init__(self, count, *operands):
        super().__init__(torch.mm, *operands)
        self.count = count
        self.streams = [torch.cuda.Stream() for _ in range(2)]

    def run(self):
        results = []
        main = torch.cuda.current_stream()
        for stream in self.streams:
            stream.wait_stream(main)
            with torch.cuda.stream(stream):
                results += [torch.mm(*self.inputs) for _ in range(self.count)]
        for stream in self.streams:
            main.wait_stream(stream)
        for result in results:
            result.record_stream(main)
        return results

    def in_double(self):
        return [super().in_double()] * (2 * self.count)


def encoder():
    layer = nn.TransformerEncoderLayer(1024, 16, 4096, dropout=0, batch_first=True)
    return nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)


def tokens():
    return random(8, 512, 1024)


def unfolded_convolution(x, weight):
    """3 x 3, as a product."""
    columns = nn.functional.unfold(x, 3, padding=1)
    return (weight.flatten(1) @ columns).unflatten(2, x.shape[2:])


def attention(q, k, v):
    weights = torch.einsum("bhqd,bhkd->bhqk", q, k).mul(1 / math.sqrt(q.shape[-1])).softmax(-1)
    return torch.einsum("bhqk,bhkd->bhqd", weights, v)


def attention_by_products(q, k, v):
    with nn.attention.sdpa_kernel(nn.attention.SDPBackend.MATH):
        return nn.functional.scaled_dot_product_attention(q, k, v)


class Attention(nn.MultiheadAttention):
    def __init__(self, size, heads, need_weights=False):
        super().__init__(size, heads, batch_first=True)
        self.need_weights = need_weights  # if so, PyTorch computes by products of its own

    def forward(self, x):
        return super().forward(x, x, x, need_weights=self.need_weights)[0]


class Convolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(128, 64, 3, 3))

    def forward(self, x):
        return unfolded_convolution(x, self.weight)


def two_layers(n):
    return nn.Sequential(nn.Linear(n, 4 * n), nn.GELU(), nn.Linear(4 * n, n))


def compiled(module, inputs, **options):
    program = Layer(module, inputs)
    plain = program.module
    program.module = torch.compile(plain, **options)
    program.in_double = lambda: Layer.of(program, copy.deepcopy(plain).double(), [inputs.double()])
    return program


def qr_product(q, r):
    return q @ r


def lu_product(lu, pivots):
    p, lower, upper = torch.lu_unpack(lu, pivots)
    return p @ lower @ upper


def lu_solver(n):
    def solve(a, b):
        return torch.linalg.lu_solve(*torch.linalg.lu_factor(a), b)

    return Program(solve, positive_definite(n), random(n, 64))


def with_factor(function, n, columns):
    """Solves with a matrix whose Cholesky factor is known."""
    factor = torch.linalg.cholesky(positive_definite(n).double()).float()
    return Program(function, factor, random(n, columns))


# ---- Calls of cuBLAS itself ----------------------------------------------------------------------


def cublas_function(name):
    """A function of the cuBLAS that a program would get that is linked to it."""
    with open("/proc/self/maps") as maps:
        path = next(line.split()[-1] for line in maps if "/libcublas.so" in line)
    ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
    return getattr(ctypes.CDLL(None), name)


def pointer(tensor):
    return ctypes.c_void_p(tensor.data_ptr())


def pointers(batch):
    """Pointers to the matrices of a batch, on the device."""
    step = batch.stride(0) * batch.element_size()
    return torch.tensor([batch.data_ptr() + i * step for i in range(len(batch))], device="cuda")


class CublasProduct(Program):
    """C = alpha * A^T * B by columns, which is B * A^T by rows."""

    def __init__(self, name, batch, m, n, k, alpha, arguments):
        super().__init__(lambda a, b: alpha * (b @ a.mT), random(batch, m, k), random(batch, n, k))
        self.c = torch.empty(batch, n, m, device="cuda")
        self.call = cublas_function(name)
        sizes = (m, n, k)
        scalars = ctypes.byref(ctypes.c_float(alpha)), ctypes.byref(ctypes.c_float(0))
        transposed, plain = 1, 0
        self.head = (ctypes.c_void_p(torch.cuda.current_blas_handle()), transposed, plain, *sizes)
        self.tail = arguments(self, scalars, sizes)

    def run(self):
        status = self.call(*self.head, *self.tail)
        if status != 0:
            raise RuntimeError(f"cuBLAS: status {status}")
        return self.c


def sgemm_ex(m, n, k, alpha):
    def arguments(p, scalars, _):
        a, b = p.inputs
        return (scalars[0], pointer(a), FP32, k, pointer(b), FP32, k, scalars[1], pointer(p.c),
                FP32, m)  # fmt: skip

    return CublasProduct("cublasSgemmEx", 1, m, n, k, alpha, arguments)


def sgemm(m, n, k):
    def arguments(p, scalars, _):
        a, b = p.inputs
        return (scalars[0], pointer(a), k, pointer(b), k, scalars[1], pointer(p.c), m)

    return CublasProduct("cublasSgemm_v2", 1, m, n, k, 1.0, arguments)


def strided_batch(batch, m, n, k, alpha):
    def arguments(p, scalars, _):
        a, b = p.inputs
        long = ctypes.c_longlong
        return (scalars[0], pointer(a), FP32, k, long(m * k), pointer(b), FP32, k, long(n * k),
                scalars[1], pointer(p.c), FP32, m, long(m * n), batch, COMPUTE_FP32,
                ANY_ALGORITHM)  # fmt: skip

    return CublasProduct("cublasGemmStridedBatchedEx", batch, m, n, k, alpha, arguments)


def pointer_batch(batch, m, n, k):
    def arguments(p, scalars, _):
        p.lists = [pointers(t) for t in (*p.inputs, p.c)]
        a, b, c = map(pointer, p.lists)
        return (scalars[0], a, FP32, k, b, FP32, k, scalars[1], c, FP32, m, batch, COMPUTE_FP32,
                ANY_ALGORITHM)  # fmt: skip

    return CublasProduct("cublasGemmBatchedEx", batch, m, n, k, 1.0, arguments)


of = programs.maker(Program, random)


def solve_lower(a, b):
    return torch.linalg.solve_triangular(a, b, upper=False)


PROGRAMS = {
    "mm 4096": of(torch.mm, (4096, 4096), (4096, 4096)),
    "mm 8192": of(torch.mm, (8192, 8192), (8192, 8192)),
    "Linear 4096": lambda: Layer(nn.Linear(4096, 4096), random(4096, 4096)),
    "Linear 4096, backward": lambda: Layer(nn.Linear(4096, 4096), random(4096, 4096), trains=True),
    "TransformerEncoder": lambda: Layer(encoder(), tokens()),
    "TransformerEncoder, backward": lambda: Layer(encoder(), tokens(), trains=True),
    "cholesky 4096": lambda: Program(torch.linalg.cholesky, positive_definite(4096)),
    "cholesky 8192": lambda: Program(torch.linalg.cholesky, positive_definite(8192)),
    "solve_triangular 4096": of(solve_lower, lambda: triangle(4096), (4096, 4096)),
    "lu_factor 8192": lambda: Decomposition(torch.linalg.lu_factor, lu_product, random(8192, 8192)),
    # In CUDA graphs and on two streams
    "Linear 4096 in a graph": lambda: Graph(Layer(nn.Linear(4096, 4096), random(4096, 4096))),
    "TransformerEncoder in a graph": lambda: Graph(Layer(encoder(), tokens())),
    "two Linear 512 in a graph": lambda: Graph(Layer(two_layers(512), random(64, 512))),
    "mm 2048 on two streams": lambda: Streams(2, random(2048, 2048), random(2048, 2048)),
    "mm 512 on two streams": lambda: Streams(4, random(512, 512), random(512, 512)),
    # Calls of other programs
    "faiss, distances 65536 x 1024 x 128": lambda: sgemm_ex(65536, 1024, 128, -2.0),
    "faiss, distances 65536 x 32 x 64": lambda: sgemm_ex(65536, 32, 64, -2.0),
    "faiss, codes 16 x (256 x 1024 x 8)": lambda: strided_batch(16, 256, 1024, 8, -2.0),
    "llama.cpp, weights 4096 x 512 x 4096": lambda: sgemm(4096, 512, 4096),
    "llama.cpp, weights 11008 x 32 x 4096": lambda: sgemm(11008, 32, 4096),
    "llama.cpp, KQ 32 x (512 x 512 x 128)": lambda: pointer_batch(32, 512, 512, 128),
    "llama.cpp, KQV 32 x (128 x 512 x 512)": lambda: pointer_batch(32, 128, 512, 512),
    # torch.nn
    "Linear 64, batch 32": lambda: Layer(nn.Linear(64, 64), random(32, 64)),
    "Linear 256, batch 256": lambda: Layer(nn.Linear(256, 256), random(256, 256)),
    "Linear 1024, batch 128": lambda: Layer(nn.Linear(1024, 1024), random(128, 1024)),
    "Linear 1000 to 333, batch 77": lambda: Layer(nn.Linear(1000, 333), random(77, 1000)),
    "Linear 1023 to 2049, batch 1001": lambda: Layer(nn.Linear(1023, 2049), random(1001, 1023)),
    "Linear 4096, batch 1": lambda: Layer(nn.Linear(4096, 4096), random(1, 4096)),
    "Linear 4096, batch 16": lambda: Layer(nn.Linear(4096, 4096), random(16, 4096)),
    "Linear 4096 without bias, batch 128": lambda: Layer(
        nn.Linear(4096, 4096, bias=False), random(128, 4096)
    ),
    "Linear 768 to 50257, batch 256": lambda: Layer(nn.Linear(768, 50257), random(256, 768)),
    "two Linear 512, backward": lambda: Layer(two_layers(512), random(256, 512), trains=True),
    "Bilinear 128": lambda: Layer(nn.Bilinear(128, 128, 64), random(256, 128), random(256, 128)),
    "LSTM 512": lambda: Layer(nn.LSTM(512, 512), random(32, 64, 512)),
    "LSTM 512, backward": lambda: Layer(nn.LSTM(512, 512), random(32, 64, 512), trains=True),
    "LSTMCell 512": lambda: Layer(nn.LSTMCell(512, 512), random(64, 512)),
    "MultiheadAttention 512": lambda: Layer(Attention(512, 8), random(8, 256, 512)),
    "MultiheadAttention 512, backward": lambda: Layer(
        Attention(512, 8), random(8, 256, 512), trains=True
    ),
    "MultiheadAttention 1024, weights": lambda: Layer(Attention(1024, 16, True), tokens()),
    "convolution by unfold": lambda: Layer(Convolution(), random(16, 64, 32, 32)),
    "convolution by unfold, backward": lambda: Layer(
        Convolution(), random(16, 64, 32, 32), trains=True
    ),
    # Products
    "mm 64": of(torch.mm, (64, 64), (64, 64)),
    "mm 512": of(torch.mm, (512, 512), (512, 512)),
    "mm 1024": of(torch.mm, (1024, 1024), (1024, 1024)),
    "mm 1001 x 777 x 333": of(torch.mm, (1001, 333), (333, 777)),
    "mm 32 x 32 x 100000": of(torch.mm, (32, 100000), (100000, 32)),
    "mm 100000 x 16 x 64": of(torch.mm, (100000, 64), (64, 16)),
    "mm 2048, transposed": of(lambda a, b: a.T @ b.T, (2048, 2048), (2048, 2048)),
    "mv 4096": of(torch.mv, (4096, 4096), (4096,)),
    "addmv 1000 x 3000": of(torch.addmv, (1000,), (1000, 3000), (3000,)),
    "dot 1000000": of(torch.dot, (1000000,), (1000000,)),
    "addmm 1024": of(torch.addmm, (1024, 1024), (1024, 1024), (1024, 1024)),
    "addmm 1024, beta 0.5": of(
        lambda c, a, b: torch.addmm(c, a, b, beta=0.5), *[(1024, 1024)] * 3
    ),
    "bmm 64 x (300 x 200 x 150)": of(torch.bmm, (64, 300, 150), (64, 150, 200)),
    "bmm 512 x (64 x 64 x 64)": of(torch.bmm, (512, 64, 64), (512, 64, 64)),
    "bmm 8 x (1024 x 1024 x 1024)": of(torch.bmm, (8, 1024, 1024), (8, 1024, 1024)),
    "bmm 4096 x (16 x 16 x 16)": of(torch.bmm, (4096, 16, 16), (4096, 16, 16)),
    "baddbmm 16 x (256 x 256 x 128)": of(
        torch.baddbmm, (16, 256, 256), (16, 256, 128), (16, 128, 256)
    ),
    "einsum, attention 8 x 16 x 512 x 64": of(attention, *[(8, 16, 512, 64)] * 3),
    "attention by products 8 x 16 x 512 x 64": of(attention_by_products, *[(8, 16, 512, 64)] * 3),
    "attention by products 8 x 16 x 577 x 64": of(attention_by_products, *[(8, 16, 577, 64)] * 3),
    "attention by products 4 x 16 x 1024 x 128": of(
        attention_by_products, *[(4, 16, 1024, 128)] * 3
    ),
    "attention by products 1 x 32 x 2048 x 128": of(
        attention_by_products, *[(1, 32, 2048, 128)] * 3
    ),
    "attention by products 2 x 8 x 2048 x 256": of(
        attention_by_products, *[(2, 8, 2048, 256)] * 3
    ),
    "cdist 2048 x 128": of(torch.cdist, (2048, 128), (2048, 128)),
    "multi_dot": of(lambda *m: torch.linalg.multi_dot(m), (64, 2000), (2000, 300), (300, 1500)),
    "cov 1000 x 5000": of(torch.cov, (1000, 5000)),
    # torch.linalg
    "cholesky 256": lambda: Program(torch.linalg.cholesky, positive_definite(256)),
    "cholesky 1024": lambda: Program(torch.linalg.cholesky, positive_definite(1024)),
    "cholesky 64 x (128 x 128)": lambda: Program(torch.linalg.cholesky, positive_definite(128, 64)),
    "cholesky_solve 2048, 64": lambda: with_factor(
        lambda f, b: torch.cholesky_solve(b, f), 2048, 64
    ),
    "cholesky_inverse 2048": lambda: with_factor(lambda f, b: torch.cholesky_inverse(f), 2048, 1),
    "solve_triangular 512": of(solve_lower, lambda: triangle(512), (512, 512)),
    "solve_triangular 64 x (128, 32)": of(solve_lower, lambda: triangle(128, 64), (64, 128, 32)),
    "solve_triangular 4096, 1": of(solve_lower, lambda: triangle(4096), (4096, 1)),
    "lu_factor 256": lambda: Decomposition(torch.linalg.lu_factor, lu_product, random(256, 256)),
    "lu_factor 4096": lambda: Decomposition(torch.linalg.lu_factor, lu_product, random(4096, 4096)),
    "lu_solve 2048, 64": lambda: lu_solver(2048),
    "solve 1024": of(torch.linalg.solve, lambda: positive_definite(1024), (1024, 1024)),
    "inv 1024": lambda: Program(torch.linalg.inv, positive_definite(1024)),
    "inv 64 x (64 x 64)": lambda: Program(torch.linalg.inv, positive_definite(64, 64)),
    "det 512": lambda: Program(torch.linalg.slogdet, positive_definite(512)),
    "qr 512": lambda: Decomposition(torch.linalg.qr, qr_product, random(512, 512)),
    "qr 4096": lambda: Decomposition(torch.linalg.qr, qr_product, random(4096, 4096)),
    "lstsq 4096 x 256": of(lambda a, b: torch.linalg.lstsq(a, b).solution, (4096, 256), (4096, 16)),
    "eigvalsh 512": lambda: Program(torch.linalg.eigvalsh, positive_definite(512)),
    "eigh 1024": lambda: Decomposition(
        torch.linalg.eigh, lambda values, v: v * values @ v.mT, positive_definite(1024)
    ),
    "svd 256": lambda: Decomposition(
        torch.linalg.svd, lambda u, values, v: u * values @ v, random(256, 256)
    ),
    "matrix_exp 512": lambda: Program(torch.linalg.matrix_exp, positive_definite(512)),
    "matrix_power 1024": of(
        lambda a: torch.linalg.matrix_power(a, 5), lambda: positive_definite(1024)
    ),
}  # fmt: skip
