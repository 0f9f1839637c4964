"""What the suites of programs share (see worker.py)."""


class Program:
    """run() enqueues the work once; error() is the difference from the same in FP64, relative to
    its norm."""

    def __init__(self, function, *inputs):
        self.function, self.inputs = function, inputs

    def run(self):
        return self.function(*self.inputs)


def maker(program, random):
    """Returns of(function, *inputs), which returns a function that makes a program from a function
    and, for each input, a shape or a function that makes it."""

    def of(function, *inputs):
        return lambda: program(function, *(i() if callable(i) else random(*i) for i in inputs))

    return of
