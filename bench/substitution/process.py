"""Processes that measure.py starts."""

import json
import os
import pathlib
import subprocess
import time


class Failure(Exception):
    pass


class Program:
    """A program that runs; result() is the JSON that it prints at last."""

    running = []
    deadline = None  # of all, by the monotonic clock

    def __init__(self, command, preload=None, stdin=subprocess.DEVNULL, **settings):
        kept = {k: v for k, v in os.environ.items() if not k.startswith("MYBLAS_")}
        environment = kept | settings
        if preload:
            environment["LD_PRELOAD"] = str(preload)
        self.name = " ".join(pathlib.Path(word).name for word in map(str, command))
        self.process = subprocess.Popen(
            [str(word) for word in command],
            env=environment,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        Program.running.append(self)

    def end(self):
        self.process.kill()
        self.process.communicate()
        Program.running.remove(self)

    def result(self):
        try:
            out, err = self.process.communicate(timeout=max(1, Program.deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise Failure(f"{self.name}: not at its end in time") from None
        Program.running.remove(self)
        if self.process.returncode != 0:
            raise Failure(f"{self.name}: status {self.process.returncode}\n{err}")
        return json.loads(out.splitlines()[-1])
