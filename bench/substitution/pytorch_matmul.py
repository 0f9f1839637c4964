"""pytorch_matmul.py LOCK SIZE...: seconds of torch.mm of square FP32 matrices until the result is there, for
each size: the median of some calls, and the error relative to the norms. One line of JSON. Of processes
that start at once, with one LOCK file, one measures at a time."""

import fcntl
import json
import statistics
import sys
import time

import torch

REPEATS = 20
WARM_UP_SECONDS = 0.3  # until the clocks are up


def measure(n):
    a, b = (torch.randn(n, n, device="cuda") for _ in range(2))
    out = torch.empty_like(a)
    begin = time.perf_counter()
    while time.perf_counter() < begin + WARM_UP_SECONDS:
        torch.mm(a, b, out=out)
        torch.cuda.synchronize()
    times = []
    for _ in range(REPEATS):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        torch.mm(a, b, out=out)
        torch.cuda.synchronize()
        times.append(time.perf_counter() - begin)
    exact = a[:64].double() @ b.double()
    scale = a[:64].double().norm() * b.double().norm()
    error = ((out[:64] - exact).norm() / scale).item()
    return {"seconds": statistics.median(times), "error": error}


torch.zeros(1, device="cuda")  # a context
with open(sys.argv[1]) as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    print(json.dumps({size: measure(int(size)) for size in sys.argv[2:]}))
