#!/usr/bin/env python3
"""Reads handwritten digits with a small neural network in PyTorch, without knowing of myblas.

    python3 pytorch_digits.py data/digits.csv
    myblas-run --report report.txt -- python3 pytorch_digits.py data/digits.csv

On a GPU, PyTorch's linear layers call cuBLAS, so under the second command myblas computes them, and
the report lists them. Without a GPU, the report lists the calls to a CPU's BLAS, and says why they
were forwarded.
"""

import sys
import time

import torch

TRAINING, WIDTH, STEPS = 1200, 256, 100

if len(sys.argv) != 2:
    sys.exit(__doc__)
with open(sys.argv[1]) as file:
    data = torch.tensor([[float(field) for field in line.split(",")] for line in file])

torch.manual_seed(1)
device = "cuda" if torch.cuda.is_available() else "cpu"
pixels, digits = data[:, :-1].to(device) / 16, data[:, -1].long().to(device)
network = torch.nn.Sequential(
    torch.nn.Linear(64, WIDTH),
    torch.nn.ReLU(),
    torch.nn.Linear(WIDTH, WIDTH),
    torch.nn.ReLU(),
    torch.nn.Linear(WIDTH, 10),
).to(device)  # fmt: skip
optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)

begin = time.perf_counter()
for _ in range(STEPS):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(network(pixels[:TRAINING]), digits[:TRAINING])
    loss.backward()
    optimizer.step()
final_loss = loss.item()  # waits for the GPU
seconds = time.perf_counter() - begin

with torch.no_grad():
    correct = (network(pixels[TRAINING:]).argmax(1) == digits[TRAINING:]).sum().item()
tested = len(data) - TRAINING
print(
    f"{device}: {1e3 * seconds / STEPS:.2f} ms a step, loss {final_loss:.4f}, "
    f"{correct} of {tested} digits read correctly"
)
sys.exit(correct < 0.9 * tested)
