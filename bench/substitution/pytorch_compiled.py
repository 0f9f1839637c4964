"""What programs do with torch.compile in FP32 (see worker.py)."""

import os

# Several processes compile at a time.
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "4")

import pytorch_programs  # noqa: E402
from pytorch_programs import compiled, nn, random, two_layers  # noqa: E402

NAME = f"{pytorch_programs.NAME}, torch.compile"
start, finish = pytorch_programs.start, pytorch_programs.finish
PROGRAMS = {
    "two Linear 1024": lambda: compiled(two_layers(1024), random(512, 1024)),
    # Triton's own products in FP32 take minutes to compile, and are slower.
    "Linear 2048, autotuned": lambda: compiled(
        nn.Linear(2048, 2048),
        random(2048, 2048),
        options={"max_autotune_gemm": True, "max_autotune_gemm_backends": "ATEN"},
    ),
}  # fmt: skip
