"""launched.py PLUGIN: a worker of torchrun with two calls of sgemm, by the plugin's BLAS. If
PyTorch is there, the workers also add up their ranks by gloo."""

import ctypes
import os
import sys

rank, count = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
assert ctypes.CDLL(sys.argv[1]).plugin_product() == 1

try:
    import torch
    import torch.distributed as dist
except ImportError:
    sys.exit()
dist.init_process_group("gloo")
total = torch.tensor([rank])
dist.all_reduce(total)
assert total.item() == count * (count - 1) // 2
dist.destroy_process_group()
