#!/usr/bin/env python3
"""`myblas-bench compare`: its verdicts and exit statuses.

usage: test_compare.py PATH_TO_MYBLAS_BENCH
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCH = sys.argv.pop(1)


def case(n, kernel, least, median, most):
    return {"routine": "sgemm", "m": n, "n": n, "k": n, "kernel": kernel, "cold": False, "time_us": median,
            "time_us_min": least, "time_us_max": most, "incumbent": None, "gflops": n / median}  # fmt: skip


class CompareTest(unittest.TestCase):
    def compare(self, before, after, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for name, results in (("a", before), ("b", after)):
                paths.append(pathlib.Path(folder) / f"{name}.json")
                text = results if isinstance(results, str) else json.dumps(
                    {"context": {"gpu": "card", "commit": name}, "results": results}
                )
                paths[-1].write_text(text)
            command = [BENCH, "compare", *map(str, paths), *arguments]
            done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout, done.stderr

    def test_what_is_slower_beyond_noise_is_named_and_fails(self):
        before = [case(100, "x", 9, 10, 11), case(200, "x", 9, 10, 11), case(300, "x", 9, 10, 11)]
        after = [case(100, "x", 12, 13, 14), case(200, "y", 4, 5, 6), case(300, "x", 9, 10.5, 13)]
        status, output, _ = self.compare(before, after)
        self.assertEqual(status, 1)
        lines = output.splitlines()
        words = [line.split()[0] for line in lines if line.startswith(("slower", "faster", "same"))]
        self.assertEqual(words, ["slower", "faster"])
        cases = [line for line in lines if line.startswith("    sgemm")]
        self.assertEqual(cases, ["    sgemm NN 100x100x100: x", "    sgemm NN 200x200x200: x -> y"])
        self.assertIn("3 cases: 1 slower, 1 the same within noise, 1 faster", output)
        self.assertEqual(self.compare(before, after, "--all")[1].count("300x300x300"), 1)
        self.assertLessEqual(max(map(len, lines[2:])), 100)

    def test_the_noise_is_printed(self):
        before = [case(n, "x", 10 - spread, 10, 10 + spread) for n, spread in ((1, 0.5), (2, 1), (3, 4))]
        after = [case(1, "x", 19, 20, 21), case(2, "x", 10, 10, 10), case(3, "x", 9, 10, 11)]
        _, output, _ = self.compare(before, after, "--tolerance", "0.05")
        self.assertIn("spread by 20.0% of their median in A and by 10.0% in B", output)
        self.assertIn("differ by more than 5%", " ".join(output.split()))
        self.assertIn("(9.50 to 10.50)", output)
        self.assertIn("(19.00 to 21.00)", output)

    def test_noise_and_faster_cases_pass(self):
        before = [case(100, "x", 9, 10, 14)]
        self.assertEqual(self.compare(before, [case(100, "x", 12, 13, 14)])[0], 0)
        self.assertEqual(self.compare(before, [case(100, "x", 1, 2, 3)])[0], 0)
        self.assertEqual(self.compare(before, before)[0], 0)
        steady = [case(100, "x", 10, 10, 10)]
        self.assertEqual(self.compare(steady, [case(100, "x", 10.05, 10.05, 10.05)])[0], 0)
        narrow = self.compare(steady, [case(100, "x", 10.05, 10.05, 10.05)], "--tolerance", "0.001")
        self.assertEqual(narrow[0], 1)

    def test_of_several_kernels_the_same_are_compared(self):
        before = [case(100, "x", 9, 10, 11), case(100, "y", 90, 100, 110)]
        after = [case(100, "y", 90, 100, 110), case(100, "x", 9, 10, 11), case(100, "z", 1, 1, 1)]
        status, output, _ = self.compare(before, after)
        self.assertEqual(status, 0)
        self.assertIn("2 cases: 0 slower, 2 the same", output)

    def test_wrong_arguments(self):
        some = [case(100, "x", 9, 10, 11)]
        for before, after in (("no json", some), ("{}", some), (some, [case(7, "x", 1, 1, 1)])):
            status, _, errors = self.compare(before, after)
            self.assertEqual((status, errors.count("\n")), (2, 1), errors)
        for wrong in (
            {"context": [], "results": some},
            {"context": {}, "results": [case(100, "x", 9, 10, 11) | {"time_us": 0}]},
            {"context": {}, "results": [case(0, "x", 9, 10, 11)]},
            {"context": {}, "results": [case(1e300, "x", 9, 10, 11)]},
        ):
            status, _, errors = self.compare(json.dumps(wrong), some)
            self.assertEqual((status, errors.count("\n")), (2, 1), errors)
            self.assertIn("a.json", errors)
        for arguments in (["compare"], ["compare", "/nowhere", "/nowhere"], ["compare", "a", "b", "c"]):
            done = subprocess.run([BENCH, *arguments], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 2, done.stderr)
        helped = subprocess.run([BENCH, "compare", "--help"], capture_output=True, text=True, timeout=60)
        self.assertEqual(helped.returncode, 0)
        self.assertIn("--tolerance", helped.stdout)

    def test_committed_results_can_be_compared(self):
        results = pathlib.Path(__file__).resolve().parent / "results/h200"
        for file in ("ladder_sum.json", "sgemm_batched.json", "transpose.json"):
            path = str(results / file)
            done = subprocess.run([BENCH, "compare", path, path], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(" 0 slower", done.stdout)


if __name__ == "__main__":
    unittest.main()
