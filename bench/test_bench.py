#!/usr/bin/env python3
"""Runs myblas-bench on the host backend: the names in its JSON, its checks, its exit statuses.

usage: test_bench.py PATH_TO_MYBLAS_BENCH
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCH = sys.argv.pop(1)

CONTEXT = {"gpu", "driver", "cuda", "cublas", "commit", "command", "date", "ceilings"}
COMMON = {
    "routine", "kernel", "math", "n", "elem_bytes", "offset", "timing", "cold", "time_us",
    "time_us_min", "time_us_max", "incumbent", "incumbent_us", "ratio", "max_err", "sm_clock_mhz",
}  # fmt: skip
VECTOR = COMMON | {"incx", "gbps"}
FIELDS = {
    "sgemm": COMMON | {"transa", "transb", "m", "k", "lda", "ldb", "ldc", "batch", "gflops"},
    "transpose": COMMON | {"m", "lda", "ldb", "gbps"},
    "geam": COMMON | {"transa", "transb", "m", "lda", "ldb", "ldc", "gbps"},
    "sum": VECTOR,
    "asum": VECTOR,
    "dsum": VECTOR,
    "axpy": VECTOR,
    "copy": VECTOR,
}


def run(*arguments):
    command = [BENCH, "--backend", "host", "--min-time", "0", "--repeats", "2", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


class BenchTest(unittest.TestCase):
    def measure(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "result.json"
            done = run(*arguments, "--verify", "--json", str(file))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            return json.loads(file.read_text())

    def test_every_routine_has_its_fields_and_a_verified_result(self):
        for routine, fields in FIELDS.items():
            with self.subTest(routine):
                measured = self.measure("-f", routine, "-n", "100", "--offset", "1")
                self.assertLessEqual(CONTEXT, set(measured["context"]))
                self.assertTrue(measured["results"])
                for entry in measured["results"]:
                    self.assertEqual(set(entry), fields)
                    self.assertEqual(entry["routine"], routine)
                    self.assertIsInstance(entry["max_err"], float)
                    self.assertLessEqual(entry["time_us_min"], entry["time_us"])
                    self.assertLessEqual(entry["time_us"], entry["time_us_max"])
                    if entry["incumbent"] is not None:
                        self.assertGreaterEqual(entry["ratio"], 0)

    def test_sizes_are_those_asked_for(self):
        measured = self.measure(
            "-m", "7", "-n", "5", "-k", "3", "--transa", "T", "--lda", "4", "--ldc", "9", "--batch", "2"
        )
        for entry in measured["results"]:
            wanted = {"m": 7, "n": 5, "k": 3, "transa": "T", "transb": "N", "lda": 4, "ldb": 3,
                      "ldc": 9, "batch": 2}  # fmt: skip
            self.assertEqual({name: entry[name] for name in wanted}, wanted)

    def test_all_kernels_are_measured_or_said_to_be_skipped(self):
        listed = subprocess.run(
            [BENCH, "--backend", "host", "--list"], capture_output=True, text=True, check=True
        )
        names = [line.split()[2] for line in listed.stdout.splitlines() if " transpose " in line]
        measured = self.measure("-f", "transpose", "-m", "20", "-n", "30", "--kernel", "all")
        seen = {entry["kernel"] for entry in measured["results"] + measured["skipped"]}
        self.assertEqual(seen, set(names))

    def test_the_seed_repeats_the_data(self):
        errors = {
            self.measure("-n", "64", "--kernel", "reference", "--seed", "7")["results"][0]["max_err"]
            for _ in range(2)
        }
        self.assertEqual(len(errors), 1)

    def test_bad_input_is_one_line_and_status_2(self):
        for arguments in (
            ["-f", "nonsense"],
            ["--nonsense"],
            ["-m", "0"],
            ["-m", "10", "--lda", "9"],
            # Counts of elements that wrap in 64 bits
            ["-m", str(2**40), "-n", str(2**24), "-k", "1"],
            ["-f", "transpose", "-m", str(2**32), "-n", str(2**32)],
            ["-m", str(2**24), "-n", "1", "-k", "1", "--batch", str(2**40)],
            ["-f", "sum", "-n", str(2**40), "--incx", str(2**40)],
            ["-m", str(2**40 + 1)],
            ["-f", "sum", "-k", "4"],
            ["-f", "transpose", "--elem-bytes", "3"],
            ["--kernel", "nonsense"],
            ["--timing", "graph"],
            ["--sweep", "ladder", "-m", "4"],
            ["--quick", "-f", "sum"],
            ["--json", "/nonexistent/folder/file.json"],
        ):
            with self.subTest(arguments):
                done = run(*arguments)
                self.assertEqual(done.returncode, 2)
                self.assertEqual(done.stdout, "")
                self.assertEqual(done.stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
