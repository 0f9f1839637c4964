#!/usr/bin/env python3
"""as_torchrun.py -n COUNT COMMAND...: starts COUNT processes with the variables that torchrun sets,
for machines without PyTorch."""

import os
import subprocess
import sys


def variables(rank, count):
    return {
        "RANK": rank,
        "WORLD_SIZE": count,
        "LOCAL_RANK": rank,
        "LOCAL_WORLD_SIZE": count,
        "GROUP_RANK": 0,
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": 29500,
    }


def main():
    count = int(sys.argv[2])
    workers = [
        subprocess.Popen(
            sys.argv[3:],
            env=os.environ | {name: str(v) for name, v in variables(rank, count).items()},
        )
        for rank in range(count)
    ]
    return any([worker.wait() for worker in workers])


if __name__ == "__main__":
    sys.exit(main())
