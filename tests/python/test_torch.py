"""myblas.torch: PyTorch's products on myblas, in host memory and, where there is one, on a GPU.

Every case runs for both devices: the registrations differ in the dispatch key alone.
"""

import contextlib
import functools
import itertools
import os
import shutil
import tempfile
import threading
import unittest
import warnings

import myblas.torch
import torch

# The same cases for the kernels in Python and for the compiled ones in front of them.
COMPILED = os.environ.get("TEST_COMPILED") == "1"
myblas.torch.enable = functools.partial(myblas.torch.enable, compiled=COMPILED)

U = 2.0**-24
DEVICES = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])


def served():
    """How many calls of each function were served."""
    counts = {}
    for line in myblas.torch.report().splitlines():
        words = line.split()
        if words[-1] == "served":
            counts[words[0]] = counts.get(words[0], 0) + int(words[1])
    return counts


def ignore_warnings_of_torch(test):
    """The compiler of PyTorch 2.11, for one, imports what PyTorch deprecates."""
    quiet = warnings.catch_warnings()
    quiet.__enter__()
    test.addCleanup(quiet.__exit__, None, None, None)
    warnings.filterwarnings("ignore", module=r"torch\b")
    warnings.filterwarnings("ignore", category=DeprecationWarning)


class Case(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(38)
        myblas.torch.disable()
        myblas.torch._last_calls.clear()

    tearDown = setUp

    @contextlib.contextmanager
    def serves(self, *names, device):
        """Exactly these functions are served inside."""
        with myblas.torch.enable(device=device):
            yield
        self.assertEqual(sorted(served()), sorted(names), myblas.torch.report())
        myblas.torch._last_calls.clear()

    @contextlib.contextmanager
    def serves_nothing(self, device, reason):
        with myblas.torch.enable(device=device):
            yield
        self.assertEqual(served(), {})
        self.assertIn(reason, myblas.torch.report())
        myblas.torch._last_calls.clear()

    def assert_near(self, result, exact, k, magnitude):
        self.assertEqual(result.dtype, torch.float32)
        self.assertEqual(result.shape, exact.shape)
        self.assertTrue(((result.double() - exact).abs() <= (k + 8) * U * magnitude).all())

    def assert_product(self, result, a, b):
        a, b = a.double(), b.double()
        self.assert_near(result, a @ b, a.shape[-1], a.abs() @ b.abs())


def layouts(*shape, device):
    *batch, m, n = shape
    yield torch.randn(*shape, device=device)
    yield torch.randn(*batch, n, m, device=device).mT
    yield torch.randn(*batch, m + 1, n + 2, device=device)[..., 1:, 1:-1]
    yield torch.randn(*batch, 2 * m, 2 * n, device=device)[..., ::2, ::2]
    yield torch.randn(*batch, 1, 1, device=device).expand(*shape)


class Values(Case):
    def test_mm(self):
        for device in DEVICES:
            for a, b in itertools.product(
                layouts(5, 7, device=device), layouts(7, 3, device=device)
            ):
                with self.serves("mm", device=device):
                    self.assert_product(a @ b, a, b)
                    out = torch.empty(5, 3, device=device)
                    self.assertIs(torch.mm(a, b, out=out), out)
                    self.assert_product(out, a, b)
                    by_columns = torch.empty(3, 5, device=device).T
                    torch.mm(a, b, out=by_columns)
                    self.assert_product(by_columns, a, b)
            with self.serves("mm", device=device):
                for m, k, n in ((1, 7, 3), (5, 1, 3), (5, 7, 1), (1, 1, 1)):
                    a, b = torch.randn(m, k, device=device), torch.randn(k, n, device=device)
                    self.assert_product(a @ b, a, b)

    def test_bmm(self):
        for device in DEVICES:
            shapes = (layouts(4, 5, 7, device=device), layouts(4, 7, 3, device=device))
            for a, b in itertools.product(*shapes):
                with self.serves("bmm", device=device):
                    self.assert_product(a @ b, a, b)
                    out = torch.empty(5, 4, 3, device=device).transpose(0, 1)
                    torch.bmm(a, b, out=out)
                    self.assert_product(out, a, b)
                    shared = a[:1].expand(4, 5, 7)
                    self.assert_product(torch.bmm(shared, b), shared, b)

    def test_addmm(self):
        for device in DEVICES:
            a, b = torch.randn(5, 7, device=device), torch.randn(3, 7, device=device).T
            exact, size = a.double() @ b.double(), a.double().abs() @ b.double().abs()
            for shape in ((3,), (1, 3), (5, 1), (5, 3), (1,), ()):
                added = torch.randn(shape, device=device)
                for alpha, beta in itertools.product((1, 0.5), (1, 0, -2)):
                    with self.subTest(shape=shape, alpha=alpha, beta=beta):
                        expected = alpha * exact + beta * added.double()
                        bound = alpha * size + abs(beta) * added.double().abs()
                        with self.serves("addmm", device=device):
                            result = torch.addmm(added, a, b, alpha=alpha, beta=beta)
                            self.assert_near(result, expected, 7, bound)
                            out = torch.empty(5, 3, device=device)
                            torch.addmm(added, a, b, alpha=alpha, beta=beta, out=out)
                            self.assert_near(out, expected, 7, bound)
                        if shape == (5, 3):
                            with self.serves("addmm", device=device):
                                in_place = added.clone()
                                result = in_place.addmm_(a, b, alpha=alpha, beta=beta)
                                self.assertIs(result, in_place)
                                self.assert_near(in_place, expected, 7, bound)
                                out = added.clone()
                                torch.addmm(out, a, b, alpha=alpha, beta=beta, out=out)
                                self.assert_near(out, expected, 7, bound)
            nan = torch.full((5, 3), torch.nan, device=device)
            with self.serves("addmm", device=device):  # beta = 0: not read
                self.assert_near(torch.addmm(nan, a, b, beta=0), exact, 7, size)

    def test_baddbmm(self):
        for device in DEVICES:
            a, b = torch.randn(4, 5, 7, device=device), torch.randn(4, 7, 3, device=device)
            for shape in ((4, 5, 3), (1, 5, 3), (5, 3), (1, 5, 1), (3,)):
                added = torch.randn(shape, device=device)
                expected = 2 * (a.double() @ b.double()) - added.double()
                bound = 2 * (a.double().abs() @ b.double().abs()) + added.double().abs()
                with self.serves("baddbmm", device=device):
                    self.assert_near(
                        torch.baddbmm(added, a, b, alpha=2, beta=-1), expected, 7, bound
                    )
                    if shape == (4, 5, 3):
                        added.baddbmm_(a, b, alpha=2, beta=-1)
                        self.assert_near(added, expected, 7, bound)

    def test_functions_above(self):
        for device in DEVICES:
            a, b = torch.randn(2, 3, 5, 7, device=device), torch.randn(7, 4, device=device)
            with self.serves("mm", device=device):
                self.assert_product(torch.matmul(a, b), a, b)
            with self.serves("bmm", device=device):
                result = torch.einsum("abij,abkj->abik", a, a)
                self.assert_product(result, a, a.mT)
            linear = torch.nn.Linear(7, 4, device=device)
            with self.serves("addmm", device=device):
                result = linear(a[0, 0])
            self.assert_product(result - linear.bias, a[0, 0], linear.weight.T)


class AsBefore(Case):
    def test_other_types(self):
        for device in DEVICES:
            types = (torch.float64, torch.bfloat16, torch.complex64)
            for dtype in types:
                a = torch.randn(6, 6, device=device).to(dtype)
                expected = a @ a, torch.bmm(a[None], a[None]), torch.addmm(a, a, a, alpha=2)
                in_place = a.clone().addmm_(a, a)
                with self.serves_nothing(device, "not float32"):
                    results = a @ a, torch.bmm(a[None], a[None]), torch.addmm(a, a, a, alpha=2)
                    again = a.clone().addmm_(a, a)
                    out = torch.empty_like(a)
                    self.assertIs(torch.mm(a, a, out=out), out)
                for result, right in zip(
                    (*results, again, out), (*expected, in_place, expected[0])
                ):
                    self.assertTrue(torch.equal(result, right))
            if device == "cpu":
                integers = torch.arange(9).reshape(3, 3)
                with self.serves_nothing(device, "int64"):
                    self.assertTrue(
                        torch.equal(
                            integers @ integers, (integers.double() @ integers.double()).long()
                        )
                    )

    def test_errors_and_edges(self):
        for device in DEVICES:
            a = torch.randn(3, 4, device=device)

            def outcomes():
                empty = torch.empty(0, 4, device=device)
                resized = torch.empty(0, device=device)
                torch.mm(a, a.T, out=resized)
                shared = torch.randn(4, 4, device=device)
                for call in (
                    lambda: torch.mm(a, a),
                    lambda: torch.mm(a, a.double().T),
                    lambda: torch.bmm(a[None], a[None]),
                    lambda: torch.addmm(torch.zeros(7, device=device), a, a.T),
                    lambda: torch.mm(shared, shared, out=shared),
                ):
                    try:
                        call()
                        yield "no error"
                    except RuntimeError as error:
                        yield str(error)
                yield tuple((empty @ a.T).shape)
                yield (a[:, :0] @ a[:, :0].T).tolist()
                yield tuple(resized.shape)

            expected = list(outcomes())
            with myblas.torch.enable(device=device):
                self.assertEqual(list(outcomes()), expected)

    def test_autograd(self):
        for device in DEVICES:
            a = torch.randn(5, 7, device=device, requires_grad=True)
            b = torch.randn(4, 7, device=device, requires_grad=True)
            bias = torch.randn(4, device=device, requires_grad=True)
            operands = (a, b, bias)

            def gradients():
                return torch.autograd.grad(
                    torch.nn.functional.linear(a, b, bias).pow(2).sum(), operands
                )

            expected = gradients()
            with self.serves("addmm", "mm", device=device):
                for result, right in zip(gradients(), expected):
                    torch.testing.assert_close(result, right)
            with myblas.torch.enable(device=device):
                x = torch.randn(3, 3, device=device, requires_grad=True)
                (first,) = torch.autograd.grad((x @ x).sum(), x, create_graph=True)
                (second,) = torch.autograd.grad((first * x).sum(), x)
            (first,) = torch.autograd.grad((x @ x).sum(), x, create_graph=True)
            (right,) = torch.autograd.grad((first * x).sum(), x)
            torch.testing.assert_close(second, right)

    def test_graphs_that_saved_an_output(self):
        saved, weights = torch.ones(3, 3), torch.ones(3, 3, requires_grad=True)
        loss = (saved * weights).sum()
        myblas.matmul(torch.eye(3), torch.eye(3), out=saved)
        with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
            loss.backward()

    def test_autocast(self):
        for device in DEVICES:
            a = torch.randn(5, 5, device=device)
            with torch.autocast(device, dtype=torch.bfloat16):
                expected = a @ a
                with self.serves_nothing(device, "bfloat16"):
                    result = a @ a
            self.assertEqual(result.dtype, torch.bfloat16)
            self.assertTrue(torch.equal(result, expected))

    def test_modes_of_inference(self):
        for device in DEVICES:
            a = torch.randn(5, 5, device=device)
            for mode in (torch.no_grad, torch.inference_mode):
                with mode(), self.serves("mm", device=device):
                    self.assert_product(a @ a, a, a)

    def test_transforms(self):
        for device in DEVICES:
            a, b = torch.randn(3, 5, 5, device=device), torch.randn(5, 5, device=device)
            with myblas.torch.enable(device=device):
                self.assert_product(torch.func.vmap(torch.mm, (0, None))(a, b), a, b)
                gradient = torch.func.grad(lambda x: (x @ b).sum())(a[0])
            torch.testing.assert_close(gradient, torch.ones_like(b) @ b.T)

    def test_meta(self):
        from torch._subclasses.fake_tensor import FakeTensorMode

        with myblas.torch.enable(device="cpu"), FakeTensorMode():
            self.assertEqual(tuple((torch.empty(3, 4) @ torch.empty(4, 5)).shape), (3, 5))
        self.assertEqual(served(), {})

    def test_training(self):
        def losses(device):
            torch.manual_seed(1)
            layer = torch.nn.TransformerEncoderLayer(
                32, 4, 64, dropout=0, batch_first=True, device=device
            )
            optimizer = torch.optim.SGD(layer.parameters(), 0.1)
            x = torch.randn(8, 10, 32, device=device)
            for _ in range(5):
                loss = (layer(x) - x.flip(1)).pow(2).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                yield loss.item()

        for device in DEVICES:
            expected = list(losses(device))
            with myblas.torch.enable(device=device):
                result = list(losses(device))
            self.assertGreater(served()["addmm"], 0)
            self.assertLess(result[-1], result[0])
            torch.testing.assert_close(result, expected, rtol=1e-4, atol=0)
            myblas.torch._last_calls.clear()

    def test_threads(self):
        for device in DEVICES:
            a = torch.randn(40, 40, device=device)
            failures = []

            def work():
                try:
                    for _ in range(20):
                        self.assert_product(a @ a, a, a)
                except BaseException as failure:
                    failures.append(failure)

            with self.serves("mm", device=device):
                threads = [threading.Thread(target=work) for _ in range(4)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
            self.assertEqual(failures, [])


class Compile(Case):
    def setUp(self):
        super().setUp()
        ignore_warnings_of_torch(self)

    def compare(self, backend):
        for device in DEVICES:
            torch._dynamo.reset()
            linear = torch.nn.Linear(16, 16, device=device)
            x = torch.randn(4, 16, device=device)

            def step(y):
                return (linear(y) @ linear.weight).relu().sum()

            step(x).backward()
            expected = linear.weight.grad.clone()
            linear.zero_grad()
            with myblas.torch.enable(device=device):
                compiled = torch.compile(step, backend=backend)
                value = compiled(x)
                value.backward()
            self.assertGreater(sum(served().values()), 0, myblas.torch.report())
            torch.testing.assert_close(value, step(x))
            torch.testing.assert_close(linear.weight.grad, expected)
            # Compiled code calls the operators, so it also follows `disable`.
            torch.testing.assert_close(compiled(x), step(x))
            myblas.torch._last_calls.clear()

    def test_eager(self):
        self.compare("eager")

    def test_aot_eager(self):
        self.compare("aot_eager")

    @unittest.skipUnless(shutil.which("g++"), "Inductor compiles by g++")
    def test_inductor(self):
        self.compare("inductor")


class Samples(Case):
    """PyTorch's own samples of operators that end in products have the same outcome as before."""

    OPERATORS = (
        "mm", "bmm", "addmm", "addbmm", "baddbmm", "matmul", "__rmatmul__", "einsum", "inner",
        "tensordot", "chain_matmul", "cov", "corrcoef", "cdist", "matrix_exp",
        "nn.functional.linear", "nn.functional.bilinear", "linalg.multi_dot",
        "linalg.matrix_power", "linalg.pinv", "linalg.householder_product", "linalg.cholesky_ex",
        "linalg.lu_factor", "linalg.solve_ex", "linalg.inv_ex",
    )  # fmt: skip

    @staticmethod
    def outcome(function, sample):
        try:
            return function(sample.input, *sample.args, **sample.kwargs)
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    def test_samples(self):
        ignore_warnings_of_torch(self)
        try:
            from torch.testing._internal.common_methods_invocations import op_db
        except ImportError as error:
            self.skipTest(f"PyTorch's samples: {error}")
        used, total = set(), 0
        for device, operator in itertools.product(DEVICES, op_db):
            if operator.name not in self.OPERATORS or operator.variant_test_name == "singular":
                continue
            samples = list(operator.sample_inputs(device, torch.float32))
            if operator.error_inputs_func is not None:
                samples += [wrong.sample_input for wrong in operator.error_inputs(device)]
            used.add(operator.name)
            for number, sample in enumerate(samples):
                with self.subTest(operator.name, device=device, number=number):
                    expected = self.outcome(operator.op, sample)
                    with myblas.torch.enable(device=device):
                        result = self.outcome(operator.op, sample)
                    total += sum(served().values())
                    if type(expected) is str:
                        self.assertEqual(result, expected)
                    else:
                        torch.testing.assert_close(
                            result, expected, rtol=1e-4, atol=1e-4, equal_nan=True
                        )
        self.assertGreater(len(used), 20)
        self.assertGreater(total, 100)


class Compiled(Case):
    @unittest.skipUnless(COMPILED, "for the compiled kernels")
    def test_who_computes(self):
        for device in DEVICES:
            a, b = (torch.randn(2, 5, 5, device=device) for _ in range(2))
            bias = torch.randn(5, device=device)
            wide = torch.randn(10, 10, device=device)[::2, ::2]
            with myblas.torch.enable(device=device), torch.no_grad():
                in_python = myblas.torch._active[device].calls
                for call in (
                    lambda: torch.mm(a[0], b[0].T),
                    lambda: torch.mm(a[0], b[0], out=torch.empty_like(a[0])),
                    lambda: torch.bmm(a.mT, b),
                    lambda: torch.addmm(bias, a[0], b[0], alpha=0.5),
                    lambda: torch.nn.functional.linear(a[0], b[0], bias),
                    lambda: torch.addmm(b[0], a[0], b[0], beta=0.5),
                    lambda: torch.baddbmm(b, a, b, alpha=2),
                ):
                    call()
                    self.assertEqual(sum(in_python.values()), 0)
                for call in (
                    lambda: torch.mm(a[0], wide),
                    lambda: torch.mm(a[0], b[0], out=wide),
                    lambda: torch.addmm(b[0].T, a[0], b[0]),
                    lambda: torch.addmm(bias, a[0], b[0], beta=2),
                    lambda: torch.mm(a[0].double(), b[0].double()),
                ):
                    before = sum(in_python.values())
                    call()
                    self.assertEqual(sum(in_python.values()), before + 1)
                self.assertIn("compiled", myblas.torch.report())
            counts = {"mm": 3, "bmm": 1, "addmm": 5, "baddbmm": 1}
            self.assertEqual(served(), counts)
            myblas.torch._last_calls.clear()

    def test_no_compiler(self):
        loaded, myblas._compiled._loaded = myblas._compiled._loaded, None
        old = {name: os.environ.get(name) for name in ("CXX", "XDG_CACHE_HOME")}
        try:
            with tempfile.TemporaryDirectory() as cache:
                os.environ["XDG_CACHE_HOME"] = cache
                for compiler, pattern in (
                    ("/nonexistent/c++", "there is no compiler /nonexistent/c"),
                    ("false", "failed"),
                ):
                    os.environ["CXX"] = compiler
                    with self.assertRaisesRegex(RuntimeError, pattern):
                        myblas.torch.enable(device="cpu", compiled=True)
                    with myblas.torch.enable(device="cpu", compiled=None):
                        self.assertNotIn("compiled", myblas.torch.report())
        finally:
            myblas._compiled._loaded = loaded
            for name, value in old.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value


class Switching(Case):
    def test_restores(self):
        a = torch.randn(50, 50)
        before = a @ a
        kernel = torch._C._dispatch_dump("aten::mm")
        with myblas.torch.enable(device="cpu"):
            self.assertNotEqual(torch._C._dispatch_dump("aten::mm"), kernel)
            a @ a
        self.assertEqual(torch._C._dispatch_dump("aten::mm"), kernel)
        self.assertTrue(torch.equal(a @ a, before))
        self.assertEqual(served(), {"mm": 1})

        with self.assertRaises(KeyError), myblas.torch.enable(device="cpu"):
            raise KeyError
        self.assertEqual(torch._C._dispatch_dump("aten::mm"), kernel)

    def test_nests_and_changes_mode(self):
        report = myblas.torch.report
        myblas.torch.enable("strict", device="cpu")
        self.assertIn("cpu: enabled, strict mode", report())
        with myblas.torch.enable("fast", device="cpu"):
            self.assertIn("cpu: enabled, fast mode", report())
            torch.ones(3, 3) @ torch.ones(3, 3)
        self.assertIn("cpu: enabled, strict mode", report())
        torch.ones(3, 3) @ torch.ones(3, 3)
        self.assertEqual(served(), {"mm": 2})
        myblas.torch.disable(device="cpu")
        self.assertIn("cpu: disabled", report())
        myblas.torch.disable()  # twice is no error

    def test_errors(self):
        with self.assertRaisesRegex(ValueError, "mode is 'exact'; it can be 'strict'"):
            myblas.torch.enable("exact", device="cpu")
        with self.assertRaisesRegex(ValueError, "device is 'tpu'"):
            myblas.torch.enable(device="tpu")
        if DEVICES == ["cpu"]:
            with self.assertRaisesRegex(RuntimeError, "PyTorch finds no GPU"):
                myblas.torch.enable()
        get_kernel = torch.library.get_kernel
        del torch.library.get_kernel
        try:
            with self.assertRaisesRegex(
                RuntimeError, "has no torch.library.get_kernel.*myblas-run"
            ):
                myblas.torch.enable(device="cpu")
        finally:
            torch.library.get_kernel = get_kernel

    def test_report_before(self):
        self.assertEqual(myblas.torch.report(), "myblas.torch was not enabled in this process")


@unittest.skipUnless("cuda" in DEVICES, "PyTorch finds no GPU")
class Cuda(Case):
    def test_stream(self):
        a = torch.randn(500, 500, device="cuda")
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with self.serves("mm", device="cuda"), torch.cuda.stream(stream):
            b = a @ a
            c = b @ a
        torch.cuda.current_stream().wait_stream(stream)
        self.assert_product(c, b, a)

    def test_graph(self):
        a = torch.randn(300, 300, device="cuda")
        linear = torch.nn.Linear(300, 200, device="cuda")
        with myblas.torch.enable("fast"), torch.no_grad():
            for _ in range(3):
                linear(a)
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                result = linear(a)
        a.copy_(torch.randn(300, 300, device="cuda"))
        graph.replay()
        torch.testing.assert_close(result, linear(a), rtol=1e-4, atol=1e-4)

    def test_tf32(self):
        a = torch.randn(64, 64, device="cuda")
        precision = torch.backends.cuda.matmul.fp32_precision
        torch.backends.cuda.matmul.fp32_precision = "tf32"
        try:
            with self.serves_nothing("cuda", "TF32 is allowed"):
                a @ a
        finally:
            torch.backends.cuda.matmul.fp32_precision = precision

    def test_modes(self):
        a = torch.randn(700, 700, device="cuda")
        for mode in ("strict", "emulated", "fast"):
            with myblas.torch.enable(mode):
                result = (a @ a).double()
            exact, size = a.double() @ a.double(), a.double().abs() @ a.double().abs()
            bound = 704 * U * size + 731 * 2.0**-36 * torch.outer(a.abs().amax(1), a.abs().amax(0))
            self.assertTrue(((result - exact).abs() <= bound).all(), mode)


if __name__ == "__main__":
    unittest.main()
