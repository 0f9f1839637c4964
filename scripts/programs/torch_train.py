"""PyTorch in float32 on the CPU: three products, one step of training, a solve."""

import torch

torch.manual_seed(1)
a = torch.randn(500, 500)
for _ in range(3):
    a @ a
model = torch.nn.Sequential(torch.nn.Linear(500, 500), torch.nn.ReLU(), torch.nn.Linear(500, 10))
model(a).square().mean().backward()
torch.linalg.solve(a, a)
