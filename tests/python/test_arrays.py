"""The functions of the package myblas, on NumPy's arrays and on whatever else is installed."""

import importlib.util
import itertools
import os
import subprocess
import sys
import threading
import unittest

import myblas
import numpy

U = 2.0**-24
random = numpy.random.default_rng(38)


def matrix(*shape):
    return random.standard_normal(shape, dtype=numpy.float32)


def layouts(*shape):
    """Arrays of a shape with strides of every kind: the name of the kind, the array."""
    rows = matrix(*shape)
    *batch, m, n = shape
    padded = matrix(*batch, m + 2, n + 3)
    spread = matrix(*batch, 2 * m, 3 * n)
    constant = matrix(*batch, m, n)
    constant.flags.writeable = False
    yield "by rows", rows
    yield "by columns", matrix(*batch, n, m).swapaxes(-1, -2)
    yield "with padding", padded[..., :m, :n]
    yield "with padding, by columns", matrix(*batch, n + 2, m + 3)[..., :n, :m].swapaxes(-1, -2)
    yield "with gaps", spread[..., ::2, ::3]
    yield "rows reversed", rows[..., ::-1, :]
    yield "columns reversed", rows[..., ::-1]
    yield "both reversed", rows[..., ::-1, ::-1]
    yield "one row repeated", numpy.broadcast_to(matrix(*batch, 1, n), shape)
    yield "one element repeated", numpy.broadcast_to(matrix(*batch, 1, 1), shape)
    yield "read-only", constant


def outputs(*shape):
    for name, array in layouts(*shape):
        if array.flags.writeable:
            yield name, array


class Case(unittest.TestCase):
    def assert_within(self, result, exact, bound):
        self.assertEqual(result.shape, exact.shape)
        self.assertEqual(result.dtype, numpy.float32)
        excess = numpy.abs(numpy.asarray(result, dtype=float) - exact) - bound
        self.assertTrue((excess <= 0).all(), f"beyond the bound by {excess.max(initial=0)}")

    def assert_product(self, result, a, b, scale=1.0):
        a, b = (x.astype(float) for x in (a, b))
        self.assert_within(
            result, scale * (a @ b), (a.shape[-1] + 4) * U * (abs(scale) * (abs(a) @ abs(b)))
        )

    def raises(self, error, pattern, function, *arguments, **named):
        with self.assertRaisesRegex(error, pattern):
            function(*arguments, **named)


class Matmul(Case):
    def test_layouts(self):
        for (left, a), (right, b) in itertools.product(layouts(5, 7), layouts(7, 3)):
            with self.subTest(a=left, b=right):
                self.assert_product(myblas.matmul(a, b), a, b)

    def test_outputs(self):
        a, b = matrix(5, 7), matrix(7, 4)
        for name, out in outputs(5, 4):
            with self.subTest(name):
                whole = out.base if out.base is not None else out
                before = whole.copy()
                start = out.copy()
                self.assertIs(myblas.matmul(a, b, out=out, alpha=2.0, beta=0.5), out)
                exact = 2 * (a.astype(float) @ b) + 0.5 * start
                self.assert_within(out, exact, (7 + 4) * U * (2 * (abs(a) @ abs(b)) + abs(start)))
                # The memory between the elements of the result is unchanged.
                result = out.copy()
                out[...] = start
                self.assertTrue((whole == before).all())
                out[...] = result

    def test_beta_zero_does_not_read(self):
        out = numpy.full((3, 3), numpy.nan, numpy.float32)
        a = matrix(3, 3)
        self.assert_product(myblas.matmul(a, a, out=out), a, a)

    def test_shapes_of_numpy(self):
        shapes = [
            ((4,), (4,)),
            ((4,), (4, 3)),
            ((3, 4), (4,)),
            ((1, 4), (4, 1)),
            ((2, 3, 4), (4, 5)),
            ((2, 3, 4), (4,)),
            ((4,), (2, 4, 5)),
            ((2, 3, 4), (2, 4, 5)),
            ((6, 1, 3, 4), (2, 4, 5)),
            ((3, 4), (5, 4, 2)),
            ((2, 1, 1, 4), (4, 5)),
            ((2, 3, 1, 4), (1, 3, 4, 5)),
        ]
        for left, right in shapes:
            with self.subTest(a=left, b=right):
                a, b = matrix(*left), matrix(*right)
                result = numpy.asarray(myblas.matmul(a, b))
                self.assert_within(result, a.astype(float) @ b, 10 * U * (abs(a) @ abs(b)))

    def test_batches_in_any_layout(self):
        for (left, a), (right, b) in itertools.product(layouts(2, 3, 4, 5), layouts(3, 5, 2)):
            with self.subTest(a=left, b=right):
                self.assert_product(myblas.matmul(a, b), a, b)
                # Batches along other axes than the first in memory, repeated, and reversed.
                swapped_batch = a.transpose(1, 0, 2, 3)[::-1]
                self.assert_product(
                    myblas.matmul(swapped_batch, b[:, None]), swapped_batch, b[:, None]
                )
                self.assert_product(
                    myblas.matmul(a, numpy.broadcast_to(b[0], (2, 3, 5, 2))),
                    a,
                    numpy.broadcast_to(b[0], (2, 3, 5, 2)),
                )
        for name, out in outputs(2, 3, 4, 6):
            with self.subTest(out=name):
                a, b = matrix(3, 4, 5), matrix(2, 1, 5, 6)
                myblas.matmul(a, b, out=out)
                self.assert_product(out, a, b)

    def test_empty(self):
        for left, right in [
            ((0, 3), (3, 2)),
            ((2, 3), (3, 0)),
            ((2, 0), (0, 3)),
            ((0, 2, 3), (3, 4)),
            ((0,), (0,)),
            ((2, 2, 0), (0, 3)),
        ]:
            a, b = matrix(*left), matrix(*right)
            numpy.testing.assert_array_equal(myblas.matmul(a, b), a @ b)
            out = numpy.empty((a @ b).shape, "f4")
            numpy.testing.assert_array_equal(myblas.matmul(a, b, out=out), a @ b)
        out = matrix(2, 3)
        half = out / 2
        numpy.testing.assert_array_equal(
            myblas.matmul(matrix(2, 0), matrix(0, 3), out=out, beta=0.5), half
        )

    def test_overlap(self):
        a = matrix(6, 6)
        before = a.copy()
        self.assert_product(myblas.matmul(a, a, out=a), before, before)
        a = matrix(7, 6)
        before = a.copy()
        self.assert_product(myblas.matmul(a[:6], a[:6], out=a[1:]), before[:6], before[:6])

    def test_modes_and_backend(self):
        a = matrix(20, 20)
        for mode in (None, "strict", "emulated", "fast", "reproducible"):
            self.assert_product(myblas.matmul(a, a, mode=mode, backend="host"), a, a)
        self.raises(
            ValueError,
            "mode is 'exact'; it can be 'strict', 'emulated', 'fast', 'reproducible' or None",
            myblas.matmul,
            a,
            a,
            mode="exact",
        )
        self.raises(ValueError, "backend is 'tpu'", myblas.matmul, a, a, backend="tpu")
        if os.environ.get("MYBLAS_BACKEND") == "host":
            self.raises(RuntimeError, "no usable GPU", myblas.matmul, a, a, backend="cuda")

    def test_large(self):
        a, b = matrix(300, 400), matrix(400, 500)
        self.assert_product(myblas.matmul(a, b), a, b)

    def test_misaligned(self):
        fields = numpy.zeros(12, numpy.dtype([("flag", "i1"), ("x", "f4"), ("rest", "i1", 3)]))
        fields["x"] = matrix(12)
        a = fields["x"].reshape(3, 4)
        self.assertFalse(a.flags.aligned)
        b = matrix(4, 2)
        self.assert_product(myblas.matmul(a, b), a, b)
        self.raises(
            ValueError,
            "out is not aligned",
            myblas.matmul,
            matrix(3, 2),
            matrix(2, 4),
            out=fields["x"].reshape(3, 4),
        )

    def test_errors(self):
        a, b = matrix(2, 3), matrix(4, 5)
        matmul = myblas.matmul
        self.raises(ValueError, r"a has shape \(2, 3\) and b \(4, 5\): 3 is not 4", matmul, a, b)
        self.raises(TypeError, r"a is float64, of shape \(2, 3\)", matmul, a.astype(float), b)
        self.raises(TypeError, r"b is >f4", matmul, a, b.astype(">f4"))
        self.raises(TypeError, "a is a list", matmul, [[1.0]], b)
        self.raises(ValueError, r"a has shape \(\)", matmul, matrix(), b)
        self.raises(
            ValueError,
            r"the batches do not fit together: a \(2, 2, 3\), b \(3, 3, 2\)",
            matmul,
            matrix(2, 2, 3),
            matrix(3, 3, 2),
        )
        square = matrix(3, 3)
        self.raises(
            ValueError,
            r"out has shape \(2, 3\); the result has \(3, 3\)",
            matmul,
            square,
            square,
            out=a,
        )
        self.raises(
            TypeError, "out is int32", matmul, square, square, out=numpy.zeros((3, 3), "i4")
        )
        constant = matrix(3, 3)
        constant.flags.writeable = False
        self.raises(ValueError, "cannot be written", matmul, square, square, out=constant)
        shared = numpy.lib.stride_tricks.as_strided(matrix(3), (3, 3), (0, 4))
        self.raises(ValueError, "share memory", matmul, square, square, out=shared)
        self.raises(
            TypeError, "out is a NumPy scalar", matmul, matrix(3), matrix(3), out=numpy.float32(0)
        )
        self.raises(
            ValueError, "beta is 1.0, so out has to be given", matmul, square, square, beta=1.0
        )
        self.raises(TypeError, "masked array", matmul, numpy.ma.masked_array(square), square)

    def test_threads(self):
        a = matrix(60, 60)
        failures = []

        def work():
            for _ in range(20):
                try:
                    self.assert_product(myblas.matmul(a, a), a, a)
                except BaseException as failure:
                    failures.append(failure)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_fork(self):
        a = matrix(60, 60)
        myblas.matmul(a, a)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                self.assert_product(myblas.matmul(a, a), a, a)
                status = 0
            finally:
                os._exit(status)
        self.assertEqual(os.waitpid(child, 0)[1], 0)


class Others(Case):
    def test_dot(self):
        for step_a, step_b in itertools.product((1, 2, -1, -3), repeat=2):
            a, b = matrix(60)[::step_a][:20], matrix(60)[::step_b][:20]
            result = myblas.dot(a, b)
            self.assertIsInstance(result, numpy.float32)
            exact = a.astype(float) @ b.astype(float)
            self.assertLessEqual(abs(result - exact), U * abs(exact) + 2**-149)
        self.assertEqual(myblas.dot(matrix(0), matrix(0)), 0)
        ones = numpy.ones(5, "f4")
        self.assertEqual(myblas.dot(numpy.broadcast_to(numpy.float32(2), 5), ones), 10)
        out = numpy.zeros((), "f4")
        myblas.dot(ones, ones, out=out)
        self.assertEqual(out, 5)
        self.raises(ValueError, r"a has shape \(5,\) and b \(4,\)", myblas.dot, ones, ones[:4])

    def test_transpose(self):
        for name, a in [*layouts(5, 7), *layouts(2, 3, 5, 7), *layouts(1, 7), *layouts(7, 1)]:
            with self.subTest(name, shape=a.shape):
                result = myblas.transpose(a)
                numpy.testing.assert_array_equal(result, a.swapaxes(-1, -2))
                self.assertTrue(result.flags.c_contiguous)
        a = matrix(2, 5, 7)
        for name, out in outputs(2, 7, 5):
            with self.subTest(out=name):
                numpy.testing.assert_array_equal(myblas.transpose(a, out=out), a.swapaxes(-1, -2))
        square = matrix(6, 6)
        expected = square.T.copy()
        numpy.testing.assert_array_equal(myblas.transpose(square, out=square), expected)
        self.assertEqual(myblas.transpose(matrix(2, 0)).shape, (0, 2))
        self.raises(ValueError, r"a has shape \(3,\)", myblas.transpose, matrix(3))

    def test_sums_of_empty_lines(self):
        for empty in (matrix(5, 4, 4)[:, :2, :0], matrix(4, 3, 2).transpose(1, 0, 2)[..., :0]):
            result = myblas.sum(empty, -1)
            self.assertEqual(result.shape, empty.shape[:-1])
            self.assertFalse(result.any())

    def test_sum(self):
        for name, a in [*layouts(5, 7), *layouts(2, 3, 5, 7), *layouts(1, 1), *layouts(0, 3)]:
            for axis in (None, *range(-a.ndim, a.ndim)):
                with self.subTest(name, shape=a.shape, axis=axis):
                    exact = a.astype(float).sum(axis)
                    bound = (16 + 20) * U * abs(a.astype(float)).sum(axis)
                    self.assert_within(
                        numpy.asarray(myblas.sum(a, axis)), numpy.asarray(exact), bound
                    )
        a = matrix(4, 5)
        out = matrix(20)[::4]
        self.assertIs(myblas.sum(a, 0, out=out), out)
        self.assert_within(out, a.astype(float).sum(0), 12 * U * abs(a).sum(0))
        overlapping = a.copy()
        self.assert_within(
            myblas.sum(overlapping, 1, out=overlapping[:, 0]),
            a.astype(float).sum(1),
            12 * U * abs(a).sum(1),
        )
        self.assertEqual(myblas.sum(matrix()).shape, ())
        vector = matrix(9)
        self.assert_within(
            numpy.asarray(myblas.sum(vector, 0)),
            numpy.asarray(vector.astype(float).sum()),
            12 * U * abs(vector).sum(),
        )
        self.raises(ValueError, r"axis is 2; a has shape \(4, 5\)", myblas.sum, a, 2)

    def test_syrk(self):
        for (name, a), lower, trans in itertools.product(
            layouts(5, 7), (False, True), (False, True)
        ):
            with self.subTest(name, lower=lower, trans=trans):
                op = a.T if trans else a
                n, k = op.shape
                triangle = numpy.tri(n, dtype=bool) if lower else numpy.tri(n, dtype=bool).T
                exact = numpy.where(triangle, op.astype(float) @ op.T, 0)
                self.assert_within(
                    myblas.syrk(a, lower=lower, trans=trans),
                    exact,
                    (k + 5) * U * (abs(op) @ abs(op.T)),
                )
                for out_name, out in outputs(n, n):
                    with self.subTest(out=out_name):
                        before = out.copy()
                        myblas.syrk(a, lower=lower, trans=trans, out=out, alpha=-1.0, beta=2.0)
                        exact = numpy.where(triangle, 2 * before - op.astype(float) @ op.T, before)
                        bound = numpy.where(
                            triangle, (k + 5) * U * (2 * abs(before) + abs(op) @ abs(op.T)), 0
                        )
                        self.assert_within(out, exact, bound)
        square = matrix(5, 5)
        before = square.copy()
        myblas.syrk(square, out=square)
        self.assert_within(
            square,
            numpy.where(numpy.tri(5), before.astype(float) @ before.T, before),
            10 * U * (abs(before) @ abs(before.T)),
        )
        self.raises(ValueError, r"a has shape \(5,\)", myblas.syrk, matrix(5))

    def assert_solution(self, x, a, b, lower=False, trans=False, unit=False, left=True, alpha=1.0):
        a = numpy.tril(a) if lower else numpy.triu(a)
        a = a.astype(float)
        if unit:
            a[..., range(a.shape[-1]), range(a.shape[-1])] = 1
        a = a.swapaxes(-1, -2) if trans else a
        d = a.shape[-1]
        product, sizes = (a @ x, abs(a) @ abs(x)) if left else (x @ a, abs(x) @ abs(a))
        bound = (d + 3 * numpy.log2(d) + 4) * U * (sizes + abs(alpha * b))
        self.assertTrue((abs(product - alpha * b) <= bound).all())

    def test_solve_triangular(self):
        shift = 6 * numpy.eye(6, dtype="f4")
        cases = itertools.product(layouts(6, 6), layouts(6, 6), *[(False, True)] * 4)
        for (name, a), (b_name, b), lower, trans, unit, left in cases:
            with self.subTest(name, b=b_name, lower=lower, trans=trans, unit=unit, left=left):
                a = numpy.broadcast_to(a + 4, a.shape) if "repeated" in name else a + shift
                x = myblas.solve_triangular(
                    a, b, lower=lower, trans=trans, unit_diagonal=unit, left=left, alpha=0.5
                )
                self.assert_solution(x, a, b, lower, trans, unit, left, 0.5)

    def test_solve_in_layouts(self):
        for name, store in layouts(6, 6):
            if not store.flags.writeable:
                continue
            store += 6 * numpy.eye(6, dtype="f4")
            for out_name, out in outputs(6, 3):
                with self.subTest(name, out=out_name):
                    b = out.copy()
                    self.assertIs(myblas.solve_triangular(store, out, out=out), out)  # in place
                    self.assert_solution(out, store, b)
                    b = matrix(6, 3)
                    myblas.solve_triangular(store, b, out=out, lower=True)
                    self.assert_solution(out, store, b, lower=True)

    def test_solve_batches(self):
        a, b = matrix(2, 3, 5, 5) + 5 * numpy.eye(5, dtype="f4"), matrix(3, 5, 2)
        self.assert_solution(myblas.solve_triangular(a, b), a, numpy.broadcast_to(b, (2, 3, 5, 2)))
        self.assert_solution(myblas.solve_triangular(a[0, 0], b), a[0, 0], b)
        swapped_batch = a.swapaxes(0, 1)
        self.assert_solution(
            myblas.solve_triangular(swapped_batch, b[:, None]), swapped_batch, b[:, None]
        )
        vector = matrix(5)
        x = myblas.solve_triangular(a[0], vector)
        self.assertEqual(x.shape, (3, 5))
        self.assert_solution(x[..., None], a[0], vector[:, None])
        self.assertEqual(myblas.solve_triangular(a, matrix(5, 0)).shape, (2, 3, 5, 0))
        self.raises(
            ValueError, r"a has shape \(2, 3\)", myblas.solve_triangular, matrix(2, 3), matrix(3, 1)
        )
        self.raises(
            ValueError,
            r"a has shape \(5, 5\) and b \(4, 5\): 4 is not 5",
            myblas.solve_triangular,
            a[0, 0],
            matrix(4, 5),
        )


class Protocols(Case):
    """Host memory by other protocols than NumPy's."""

    def test_dlpack(self):
        class Wrapped:
            def __init__(self, array):
                self.array = array

            def __dlpack__(self, **named):
                return self.array.__dlpack__(**named)

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

        a, b = matrix(4, 5), matrix(3, 5).T
        result = myblas.matmul(Wrapped(a), Wrapped(b))
        self.assertIsInstance(result, myblas.DeviceArray)
        self.assertEqual(
            repr(result), "myblas.DeviceArray(shape=(4, 3), dtype=float32, in host memory)"
        )
        self.assert_product(numpy.asarray(result), a, b)
        self.assert_product(numpy.from_dlpack(result), a, b)
        spread = matrix(8, 10)[::2, ::2]
        self.assert_product(numpy.asarray(myblas.matmul(Wrapped(spread), Wrapped(b))), spread, b)
        numpy.testing.assert_array_equal(
            numpy.asarray(myblas.syrk(Wrapped(numpy.eye(3, dtype="f4")))), numpy.eye(3)
        )
        self.raises(ValueError, "cannot be written", myblas.matmul, a, b, out=Wrapped(matrix(4, 3)))
        self.raises(
            TypeError,
            r"a is not float32, of shape \(4, 5\)",
            myblas.matmul,
            Wrapped(a.astype(float)),
            b,
        )

    def test_refused_memory(self):
        before = len(myblas._arrays._exported)
        for _ in range(3):
            c = myblas.DeviceArray((2, 4), -1)
            c.shape = (1,) * 99  # more axes than NumPy has
            # NumPy's own exception arrives, although the capsule goes while it is on its way.
            self.raises((RuntimeError, BufferError, ValueError), "dim", numpy.from_dlpack, c)
            c.shape = (2, 4)
            capsule = c.__dlpack__()
            del capsule
            del c
        myblas.DeviceArray((2, 4), -1)
        self.assertEqual(len(myblas._arrays._exported), before)

    def test_memory_of_a_gpu_is_kept(self):
        freed = []

        class Handle:
            def call(self, function, *arguments):
                if function == "myblasMalloc":
                    arguments[0]._obj.value = 0x1000 * (1 + len(freed))
                else:
                    freed.append(arguments[0])

        memory = myblas._arrays._Memory()
        memory.handle_for = lambda device: Handle()
        memory.MOST_KEPT_BYTES = 100
        memory.free(0, 60, 1)
        memory.free(0, 60, 2)  # over the limit
        memory.free(1, 60, 3)  # of another GPU
        memory.free(-1, 4, 4)  # of the host
        self.assertEqual(freed, [2, 4])
        self.assertEqual(memory.kept, {(0, 60): [1], (1, 60): [3]})
        memory.release(0)
        self.assertEqual(freed, [2, 4, 1])

    def test_memory_outlives_the_array(self):
        class Wrapped:
            __array_interface__ = None

        a = Wrapped()
        values = matrix(50, 50)
        a.__array_interface__ = values.__array_interface__
        result = myblas.matmul(a, a)
        view = numpy.from_dlpack(result)
        self.assertIs(type(result), myblas.DeviceArray)
        capsule = result.__dlpack__()
        del result, capsule  # a capsule that nobody takes
        myblas.matmul(a, a)
        self.assert_product(view, values, values)

        exported = myblas._arrays._exported
        self.assertEqual(len(exported), 1)
        del view
        self.assertEqual(len(exported), 0)

    def test_array_interface(self):
        class Wrapped:
            pass

        values = matrix(4, 4)
        a = Wrapped()
        a.__array_interface__ = values[::2, ::3].__array_interface__
        self.assert_product(
            numpy.asarray(myblas.matmul(a, values[:2])), values[::2, ::3], values[:2]
        )
        for memory in (values.tobytes(), None):
            a.__array_interface__ = dict(values.__array_interface__, data=memory)
            self.raises(TypeError, "as a buffer, without an address", myblas.sum, a)


@unittest.skipUnless(importlib.util.find_spec("torch"), "PyTorch is not installed")
class Torch(Case):
    def test_products(self):
        import torch

        a, b = torch.randn(4, 5), torch.randn(3, 5).T
        result = myblas.matmul(a, b)
        self.assertIsInstance(result, torch.Tensor)
        self.assert_product(result.numpy(), a.numpy(), b.numpy())
        self.assert_product(myblas.matmul(a, b.numpy()).numpy(), a.numpy(), b.numpy())
        out = torch.empty(8, 6)[::2, ::2]
        self.assertIs(myblas.matmul(a, b, out=out), out)
        self.assert_product(out.numpy(), a.numpy(), b.numpy())
        self.assertEqual(myblas.sum(a).shape, ())

    def test_gradients_are_not_lost(self):
        import torch

        a = torch.randn(3, 3, requires_grad=True)
        self.raises(ValueError, "requires gradients", myblas.matmul, a, a)
        with torch.no_grad():
            self.assert_product(myblas.matmul(a, a).numpy(), a.numpy(), a.numpy())

    def test_dtype(self):
        import torch

        self.raises(
            TypeError,
            "a is torch.float16",
            myblas.matmul,
            torch.zeros(2, 2, dtype=torch.half),
            torch.zeros(2, 2),
        )


def gpu_packages():
    """The packages that have a GPU here: a name, a function from NumPy's arrays, one back."""
    found = []
    try:
        import torch

        if torch.cuda.is_available():
            found.append(
                (
                    "torch",
                    lambda x: torch.from_numpy(numpy.ascontiguousarray(x)).cuda(),
                    lambda x: x.cpu().numpy(),
                )
            )
    except ImportError:
        pass
    try:
        import cupy

        cupy.cuda.runtime.getDeviceCount()
        found.append(("cupy", cupy.asarray, lambda x: x.get()))
    except Exception:
        pass
    try:
        import jax

        if jax.devices()[0].platform == "gpu":
            found.append(
                ("jax", jax.numpy.asarray, lambda x: numpy.asarray(jax.dlpack.from_dlpack(x)))
            )
    except Exception:
        pass
    return found


@unittest.skipUnless(gpu_packages(), "no package here has a GPU")
class Gpu(Case):
    def test_products(self):
        for (package, to, back), mode in itertools.product(
            gpu_packages(), ("strict", "emulated", "fast")
        ):
            with self.subTest(package, mode=mode):
                a, b = matrix(300, 200), matrix(200, 100)
                c = back(myblas.matmul(to(a), to(b), mode=mode))
                bound = (204 * U) * (abs(a) @ abs(b))
                bound += (231 * 2.0**-36) * numpy.outer(abs(a).max(1), abs(b).max(0))
                self.assert_within(c, a.astype(float) @ b, bound)

    def test_layouts(self):
        for package, to, back in gpu_packages():
            if package == "jax":
                continue
            a, b = to(matrix(2, 3, 8, 10)), to(matrix(3, 10, 6))
            for x, y in ((a, b), (a[:, :, ::2, ::2], b[:, ::2]), (a[..., :5], b[:, 5:, 1:])):
                with self.subTest(package, a=x.shape, b=y.shape):
                    self.assert_product(back(myblas.matmul(x, y)), back(x), back(y))

    def test_others(self):
        for package, to, back in gpu_packages():
            with self.subTest(package):
                a = matrix(40, 40) + 40 * numpy.eye(40, dtype="f4")
                x = to(a)
                numpy.testing.assert_array_equal(back(myblas.transpose(x)), a.T)
                self.assert_within(
                    back(myblas.sum(x, 0)), a.astype(float).sum(0), 12 * U * abs(a).sum(0)
                )
                exact = numpy.where(numpy.tri(40), a.astype(float) @ a.T, 0)
                self.assert_within(back(myblas.syrk(x)), exact, 45 * U * (abs(a) @ abs(a.T)))
                solution = back(myblas.solve_triangular(x, x)).astype(float)
                self.assertLess(abs(numpy.triu(a) @ solution - a).max(), 1e-3)

    def test_mixed_memory(self):
        package, to, _ = gpu_packages()[0]
        a = matrix(3, 3)
        self.raises(ValueError, "b in host memory", myblas.matmul, to(a), a)

    def test_host_product_on_the_gpu(self):
        a, b = matrix(300, 200), matrix(200, 100)
        self.assert_product(myblas.matmul(a, b, backend="cuda"), a, b)


# The result of a package that myblas does not know is a DeviceArray.
HELD_AT_EXIT = """
import sys, myblas, numpy
class Wrapped:
    def __init__(self, array):
        self.array = array
    def __dlpack__(self, **named):
        return self.array.__dlpack__(**named)
    def __dlpack_device__(self):
        return self.array.__dlpack_device__()
a = Wrapped(numpy.ones((300, 300), numpy.float32))
sys.held = numpy.from_dlpack(myblas.matmul(a, a))
"""


class Package(unittest.TestCase):
    def test_memory_outlives_the_module(self):
        done = subprocess.run(
            [sys.executable, "-c", HELD_AT_EXIT], capture_output=True, text=True, timeout=120
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_version(self):
        self.assertRegex(myblas.__version__, r"^\d+\.\d+\.\d+$")

    def test_documented(self):
        for name in myblas.__all__:
            if callable(getattr(myblas, name)):
                self.assertTrue(getattr(myblas, name).__doc__, name)


if __name__ == "__main__":
    unittest.main()
