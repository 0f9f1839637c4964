"""gpu_python.py pytorch|cupy RESULTS: FP32 computations as in programs that know nothing of myblas.
The results are checked against double precision, and their bits written to a file, so that two runs
can be compared. Status 77: the library or a GPU is not there."""

import sys

SKIPPED = 77
try:
    import numpy as np
except ImportError:
    sys.exit(SKIPPED)
results = []


def expect_close(what, value, exact, magnitude, terms):
    """Saves a result that is within FP32's bound for a sum of `terms` products."""
    value = np.ascontiguousarray(value, dtype=np.float32)
    results.append(value)
    bound = (terms + 3) * 2.0**-24 * magnitude
    excess = np.max(np.abs(value - exact) - bound)
    if not excess <= 0:
        sys.exit(f"{what}: exceeds the bound by {excess}")


def expect_product(what, value, a, b):
    a, b = a.astype(np.float64), b.astype(np.float64)
    expect_close(what, value, a @ b, np.abs(a) @ np.abs(b), a.shape[-1])


def expect_residual(what, values, residual, magnitude, terms):
    """Saves a solution whose residual is within FP32's bound for sums of `terms` products."""
    results.append(np.ascontiguousarray(values, dtype=np.float32))
    excess = np.max(np.abs(residual) - (terms + 8 * np.log2(terms)) * 2.0**-24 * magnitude)
    if not excess <= 0:
        sys.exit(f"{what}: exceeds the bound by {excess}")


def random(*shape):
    return random.generator.uniform(-1, 1, shape).astype(np.float32)


random.generator = np.random.default_rng(1)


def pytorch():
    try:
        import torch
    except ImportError:
        sys.exit(SKIPPED)
    if not torch.cuda.is_available():
        sys.exit(SKIPPED)

    def put(x):
        return torch.from_numpy(x).cuda()

    def get(x):
        return x.detach().cpu().numpy()

    a, b = random(517, 260), random(260, 301)
    x, y = random(260), random(260)
    expect_product("mm", get(torch.mm(put(a), put(b))), a, b)
    expect_product("mm, transposed", get(torch.mm(put(b).T, put(a).T)), b.T, a.T)
    c = random(517, 301)
    sum_exact = a.astype(np.float64) @ b
    expect_close(
        "addmm",
        get(torch.addmm(put(c), put(a), put(b), beta=0.5, alpha=2)),
        2 * sum_exact + 0.5 * c,
        2 * (np.abs(a).astype(np.float64) @ np.abs(b)) + 0.5 * np.abs(c),
        260,
    )
    stack_a, stack_b = random(7, 65, 120), random(7, 120, 33)
    expect_product("bmm", get(torch.bmm(put(stack_a), put(stack_b))), stack_a, stack_b)
    expect_product("mv", get(torch.mv(put(a), put(x))), a, x)
    expect_product("dot", get(torch.dot(put(x), put(y))), x, y)

    # In a graph, run twice.
    static_a, static_b = put(a), put(b)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        torch.mm(static_a, static_b)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        in_graph = torch.mm(static_a, static_b)
    graph.replay()
    expect_product("in a graph", get(in_graph), a, b)
    static_a.copy_(put(a[::-1].copy()))
    graph.replay()
    expect_product("in a graph, again", get(in_graph), a[::-1], b)

    # On two streams at once.
    streams = torch.cuda.Stream(), torch.cuda.Stream()
    operands = [(random(700, 700), random(700, 700)) for _ in range(8)]
    on_device = [(put(left), put(right)) for left, right in operands]
    torch.cuda.synchronize()
    products = []
    for i, (left, right) in enumerate(on_device):
        with torch.cuda.stream(streams[i % 2]):
            products.append(torch.mm(left, right))
    torch.cuda.synchronize()
    for (left, right), product in zip(operands, products):
        expect_product("on two streams", get(product), left, right)

    # A small network, trained: matrices by mm, without biases, which cublasLt would add.
    torch.manual_seed(1)
    layers = [torch.randn(64, 128), torch.randn(128, 128), torch.randn(128, 1)]
    weights = [(w / w.shape[0] ** 0.5).cuda().requires_grad_() for w in layers]
    inputs = put(random(512, 64))
    wanted = torch.sin(inputs.sum(1, keepdim=True))

    def network(batch):
        for w in weights[:-1]:
            batch = torch.relu(batch @ w)
        return batch @ weights[-1]

    optimiser = torch.optim.SGD(weights, lr=0.05, momentum=0.9)
    losses = []
    for _ in range(50):
        optimiser.zero_grad()
        loss = ((network(inputs) - wanted) ** 2).mean()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    results.append(np.array(losses, dtype=np.float32))
    if not losses[-1] < 0.7 * losses[0]:
        sys.exit(f"training: the loss went from {losses[0]} to {losses[-1]}")

    # The same, evaluated: a linear layer with a bias, a convolution as a product, and attention.
    with torch.inference_mode():
        model = torch.nn.Sequential(
            torch.nn.Linear(64, 200), torch.nn.GELU(), torch.nn.Linear(200, 10, bias=False)
        ).cuda()
        model.eval()
        first, last = (get(model[i].weight).astype(np.float64) for i in (0, 2))
        hidden = get(model[1](model[0](inputs))).astype(np.float64)
        expect_close(
            "eval", get(model(inputs)), hidden @ last.T, np.abs(hidden) @ np.abs(last).T, 220
        )
        # cuSOLVER calls cuBLAS.
        matrix = random(200, 200) + 20 * np.eye(200, dtype=np.float32)
        solution = get(torch.linalg.solve(put(matrix), put(x[:200])))
        results.append(solution)
        if not np.allclose(matrix @ solution, x[:200], atol=1e-5):
            sys.exit("solve: wrong")


    layers_with_bias(torch, put, get)
    solvers(torch, put, get)


def layers_with_bias(torch, put, get):
    """Linear layers, whose biases and activations are part of the product."""
    batch, inputs, outputs = 300, 260, 200
    with torch.no_grad():
        layer = torch.nn.Linear(inputs, outputs).cuda()
        x = random(batch, inputs)
        weight, bias = (get(p).astype(np.float64) for p in (layer.weight, layer.bias))
        exact = x @ weight.T + bias
        magnitude = np.abs(x) @ np.abs(weight).T + np.abs(bias)
        expect_close("linear", get(layer(put(x))), exact, magnitude, inputs + 1)
        stack = random(4, 75, inputs)
        flat = stack.reshape(-1, inputs)
        expect_close(
            "linear, stacked",
            get(layer(put(stack))).reshape(-1, outputs),
            flat @ weight.T + bias,
            np.abs(flat) @ np.abs(weight).T + np.abs(bias),
            inputs + 1,
        )
        for use_gelu in False, True:
            value = torch._addmm_activation(layer.bias, put(x), layer.weight.T, use_gelu=use_gelu)
            if use_gelu:
                # The slope of GELU is below 1.2, and its own rounding a few units.
                activated = (
                    0.5 * exact * (1 + np.tanh(np.sqrt(2 / np.pi) * (exact + 0.044715 * exact**3)))
                )
                expect_close("linear and GELU", get(value), activated, 1.2 * magnitude, inputs + 10)
            else:
                expect_close(
                    "linear and ReLU", get(value), np.maximum(exact, 0), magnitude, inputs + 1
                )
        # Half precision stays with cuBLAS.
        half = get(layer.half()(put(x).half())).astype(np.float64)
        results.append(half.astype(np.float32))
        if not np.allclose(half, exact, atol=0.05):
            sys.exit("linear in half precision: wrong")


def solvers(torch, put, get):
    """Triangles, as cuSOLVER and PyTorch use them."""
    n, columns = 600, 130
    factor = random(n, n)
    positive = (factor @ factor.T + n * np.eye(n)).astype(np.float32)
    lower = get(torch.linalg.cholesky(put(positive))).astype(np.float64)
    expect_residual(
        "cholesky", lower, np.tril(lower @ lower.T - positive), np.abs(lower) @ np.abs(lower).T, n
    )
    right = random(n, columns)
    triangle = np.tril(random(n, n)) + 4 * np.sqrt(n) * np.eye(n, dtype=np.float32)
    for upper in False, True:
        matrix = np.ascontiguousarray(triangle.T if upper else triangle)
        x = get(torch.linalg.solve_triangular(put(matrix), put(right), upper=upper)).astype(
            np.float64
        )
        expect_residual(
            "solve_triangular", x, matrix @ x - right, np.abs(matrix) @ np.abs(x) + np.abs(right), n
        )
    stack = np.stack([triangle[i : i + 32, i : i + 32] for i in range(0, 512, 32)])
    rights = random(16, 32, 9)
    x = get(torch.linalg.solve_triangular(put(stack), put(rights), upper=False)).astype(np.float64)
    expect_residual(
        "solve_triangular, stacked",
        x,
        stack @ x - rights,
        np.abs(stack) @ np.abs(x) + np.abs(rights),
        32,
    )
    pivots, left, upper = (get(m).astype(np.float64) for m in torch.linalg.lu(put(factor)))
    expect_residual(
        "lu", upper, pivots @ left @ upper - factor, pivots @ np.abs(left) @ np.abs(upper), n
    )


def cupy():
    try:
        import cupy as cp
    except ImportError:
        sys.exit(SKIPPED)
    try:
        cp.cuda.runtime.getDeviceCount()
    except cp.cuda.runtime.CUDARuntimeError:
        sys.exit(SKIPPED)
    a, b = random(517, 260), random(260, 301)
    x, y = random(260), random(260)
    expect_product("matmul", cp.asnumpy(cp.asarray(a) @ cp.asarray(b)), a, b)
    expect_product("transposed", cp.asnumpy(cp.asarray(b).T @ cp.asarray(a).T), b.T, a.T)
    stack_a, stack_b = random(7, 65, 120), random(7, 120, 33)
    expect_product(
        "batched", cp.asnumpy(cp.matmul(cp.asarray(stack_a), cp.asarray(stack_b))), stack_a, stack_b
    )
    expect_product("matrix-vector", cp.asnumpy(cp.asarray(a) @ cp.asarray(x)), a, x)
    expect_product("dot", cp.asnumpy(cp.dot(cp.asarray(x), cp.asarray(y))), x, y)
    expect_product("tensordot", cp.asnumpy(cp.tensordot(cp.asarray(a), cp.asarray(b), 1)), a, b)
    with cp.cuda.Stream(non_blocking=True) as stream:
        product = cp.asarray(a) @ cp.asarray(b)
        stream.synchronize()
    expect_product("on a stream", cp.asnumpy(product), a, b)


{"pytorch": pytorch, "cupy": cupy}[sys.argv[1]]()
with open("/proc/self/maps") as maps:
    print("uses", *sorted({line.split()[-1] for line in maps if "/libcublas.so" in line}))
with open(sys.argv[2], "wb") as file:
    for value in results:
        file.write(value.tobytes())
