"""workers.py PLUGIN MODE [ARGUMENT...]: processes whose BLAS calls reports.sh expects to see: two
by the program and two by each worker, however they end."""

import concurrent.futures
import ctypes
import multiprocessing
import os
import pathlib
import signal
import sys
import time

WORKERS = 3


def product(_=None):
    """Two calls of sgemm."""
    assert ctypes.CDLL(sys.argv[1]).plugin_product() == 1
    return os.getpid()


def each_worker(barrier):
    product()
    barrier.wait()


def pool(method):
    context = multiprocessing.get_context(method)
    barrier = context.Barrier(WORKERS)
    with context.Pool(WORKERS, each_worker, (barrier,)) as workers:  # it ends them by SIGTERM
        workers.map(int, range(WORKERS))


def executor():
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(WORKERS)
    with concurrent.futures.ProcessPoolExecutor(
        WORKERS, context, each_worker, (barrier,)
    ) as workers:
        list(workers.map(int, range(WORKERS)))


def processes(end, *arguments):
    """As the workers of PyTorch's DataLoader: children that end by os._exit, or as `end` says."""

    def work():
        product()
        end(*arguments)

    children = [multiprocessing.get_context("fork").Process(target=work) for _ in range(WORKERS)]
    for child in children:
        child.start()
    for child in children:
        child.join()


def many():
    """Children without end, whose records do not pile up."""
    for _ in range(130):
        if os.fork() == 0:
            product()
            os._exit(0)
        os.wait()
    assert (
        sum(len(files) for _, _, files in os.walk(os.environ["TMPDIR"])) < 140
    )  # of two libraries


def ranks():
    """As torch.multiprocessing: workers that set their ranks themselves."""

    def work(rank):
        os.environ["RANK"], os.environ["WORLD_SIZE"] = str(rank), str(WORKERS)
        product()

    children = [
        multiprocessing.get_context("fork").Process(target=work, args=(rank,))
        for rank in range(WORKERS)
    ]
    for child in children:
        child.start()
    for child in children:
        child.join()


def state_of(process):
    return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]


def interrupted(report):
    """A child that is killed while it writes its part, to a pipe that nobody reads meanwhile."""
    if os.path.exists(report):
        os.rename(report, "begun")
    os.mkfifo(report)
    child = os.fork()
    if child == 0:
        product()
        ctypes.CDLL(None).exit(0)
    asleep = 0
    while asleep < 10:
        time.sleep(0.02)
        asleep = asleep + 1 if state_of(child) == "S" else 0
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.unlink(report)
    if os.path.exists("begun"):
        os.rename("begun", report)


def wait(file):
    """Writes its process number into a file, and waits for another file."""
    pathlib.Path(file).write_text(str(os.getpid()))
    while not os.path.exists("go_on"):
        time.sleep(0.02)


def leave(file):
    """A process that makes calls before and after the program's end, and then ends by exit."""
    if os.fork() == 0:
        product()
        wait(file)
        product()
        ctypes.CDLL(None).exit(0)
    while not os.path.exists(file):
        time.sleep(0.02)
    os._exit(0)


def report(plugin, library):
    """Calls of both interfaces, a report of them by one of the libraries, and further calls."""
    for ask in (ctypes.CDLL(library or None).myblas_preload_report, int):
        product()
        assert ctypes.CDLL(plugin).plugin_served() == 1
        ask()


MODES = {
    "fork": lambda: pool("fork"),
    "spawn": lambda: pool("spawn"),
    "forkserver": lambda: pool("forkserver"),
    "executor": executor,
    "children": lambda: processes(int),
    "killed": lambda: processes(lambda: os.kill(os.getpid(), signal.SIGKILL)),
    "quick": lambda: processes(lambda: ctypes.CDLL(None).quick_exit(0)),
    "_exit": lambda: os._exit(3),
    "quick_exit": lambda: ctypes.CDLL(None).quick_exit(3),
    "SIGINT": lambda: os.kill(os.getpid(), signal.SIGINT),  # KeyboardInterrupt, and then the signal
    "SIGTERM": lambda: os.kill(os.getpid(), signal.SIGTERM),
    "SIGKILL": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "exec": lambda: os.execv(sys.executable, [sys.executable, __file__, sys.argv[1], "none"]),
    "many": many,
    "ranks": ranks,
    "interrupted": interrupted,
    "wait": wait,
    "leave": leave,
    "report": report,
    "none": int,
}

if __name__ == "__main__":
    if sys.argv[2] not in ("leave", "report"):
        product()
    MODES[sys.argv[2]](*sys.argv[3:])
