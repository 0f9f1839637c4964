"""What the suites of programs (worker.py) share."""


class Program:
    """run() enqueues the work once. A suite adds error(): the norm of the difference from the
    result in FP64, relative to the norm of that result."""

    def __init__(self, function, *inputs):
        self.function, self.inputs = function, inputs

    def run(self):
        return self.function(*self.inputs)


def maker(program, random):
    """Returns of(function, *inputs), for a suite's table of programs. of() returns a function that
    makes the program. An input is a shape, for random numbers, or a function that makes it."""

    def of(function, *inputs):
        return lambda: program(function, *(i() if callable(i) else random(*i) for i in inputs))

    return of
