"""What the workers with PyTorch share: one process for each GPU, or processes without GPUs, for a
rehearsal."""

import json
import os
import statistics
import time

import torch
import torch.distributed as dist

RANK = int(os.environ.get("RANK", "0"))
COUNT = int(os.environ.get("WORLD_SIZE", "1"))
LOCAL_RANK = int(os.environ.get("LOCAL_RANK", "0"))
HAS_GPU = torch.cuda.is_available()
DEVICE = torch.device("cuda", LOCAL_RANK) if HAS_GPU else torch.device("cpu")
BATCHES = 3
BATCH_SECONDS = 0.3  # longer, if one call takes longer
LONG_SECONDS = 2  # a call that takes longer is timed once


def start(backend):
    """torch.distributed; FP32 is computed in FP32."""
    if HAS_GPU:
        torch.cuda.set_device(DEVICE)
        torch.zeros(1, device=DEVICE)
    torch.backends.cuda.matmul.allow_tf32 = False
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29500")
    dist.init_process_group(backend if HAS_GPU else "gloo", rank=RANK, world_size=COUNT)


def finish():
    if HAS_GPU:
        torch.cuda.synchronize()


def say(kind, **values):
    """A line for measure.py, by the first process."""
    if RANK == 0:
        print(kind, json.dumps(values), flush=True)


def greatest(value):
    """Of all processes."""
    values = [None] * COUNT
    dist.all_gather_object(values, value)
    return max(values)


def timed(work, calls):
    """Milliseconds of a call, as the slowest process has them, and what the last one returned."""
    finish()
    dist.barrier()
    begin = time.perf_counter()
    for _ in range(calls):
        result = None  # its memory is free for the next one
        result = work()
    finish()
    return greatest(1e3 * (time.perf_counter() - begin) / calls), result


def milliseconds(work):
    """The median of some batches, after a call that is not timed, and what the last call
    returned."""
    timed(work, 1)
    once, result = timed(work, 1)
    if once > 1e3 * LONG_SECONDS:
        return once, result
    calls = 1 + int(1e3 * BATCH_SECONDS / once)
    batches = []
    for _ in range(BATCHES):
        result = None
        ms, result = timed(work, calls)
        batches.append(ms)
    return statistics.median(batches), result


def errors(pairs):
    """Of results in FP32, and what they are in double precision: differences relative to the norm,
    and of an element to the root mean square. The greatest of all pairs and all processes."""
    norm = largest = 0.0
    for result, exact in pairs:
        difference = result.double() - exact
        mean_square = exact.square().mean()
        norm = max(norm, (difference.square().mean() / mean_square).sqrt().item())
        largest = max(largest, (difference.abs().max() / mean_square.sqrt()).item())
        if not norm + largest < float("inf"):  # NaN is no number of JSON
            norm = largest = 1e30
    return {"error": greatest(norm), "largest_error": greatest(largest)}
