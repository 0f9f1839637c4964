"""A tensor-parallel MLP by PyTorch's DTensor in FP32: the first layer is split by columns, the
second by rows. Forward, and a training step: forward, backward.

usage: torchrun --nproc-per-node G dtensor_mlp.py WIDTH ROWS

A process for each GPU. The first one prints a line "RESULT {...}" of JSON for each work. All
outputs and gradients are compared with those of the whole MLP in double precision.
"""

import copy
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch_ranks import COUNT, DEVICE, HAS_GPU, errors, milliseconds, say, start


class Mlp(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x):
        return self.down(nn.functional.gelu(self.up(x)))


def waited(y):
    """The sum over processes is asynchronous: without this, the last one's time is left out. What
    is waited for has no gradient."""
    return y.wait() if hasattr(y, "wait") else y


def step(module, x):
    module.zero_grad()
    x.grad = None
    y = module(x)
    y.square().mean().backward()
    return waited(y.detach())


def gradients(module, x):
    """Whole ones, also of parameters that are split."""
    found = [p.grad for p in module.parameters()]
    found = [g.full_tensor() if hasattr(g, "full_tensor") else g for g in found]
    return [x.grad, *found]


def main():
    width, rows = int(sys.argv[1]), int(sys.argv[2])
    start("cpu:gloo,cuda:nccl")
    say("VERSIONS", PyTorch=torch.__version__, NCCL=nccl_version())
    torch.manual_seed(1)  # every process makes the same
    with DEVICE:
        module, x = Mlp(width), torch.randn(rows, width, requires_grad=True)
    exact = copy.deepcopy(module).double()
    x_exact = x.detach().double().requires_grad_()
    exact_y = step(exact, x_exact)
    exact_gradients = gradients(exact, x_exact)
    del exact, x_exact
    if COUNT > 1:
        mesh = init_device_mesh(DEVICE.type, (COUNT,))
        plan = {"up": ColwiseParallel(), "down": RowwiseParallel()}
        module = parallelize_module(module, mesh, plan)

    work = {"work": "MLP, forward", "n": width, "rows": rows}
    flop_of_layer = 2 * rows * width * 4 * width
    with torch.no_grad():
        ms, y = milliseconds(lambda: waited(module(x)))
        found = errors([(y, exact_y)])
    say("RESULT", **work, ms=ms, tflops=2e-9 * flop_of_layer / ms, **found)

    ms, y = milliseconds(lambda: step(module, x))
    found = errors([(y, exact_y), *zip(gradients(module, x), exact_gradients)])
    work["work"] = "MLP, training step"
    say("RESULT", **work, ms=ms, tflops=6e-9 * flop_of_layer / ms, **found)
    dist.barrier()
    dist.destroy_process_group()


def nccl_version():
    return ".".join(map(str, torch.cuda.nccl.version())) if HAS_GPU else ""


main()
