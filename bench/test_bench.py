#!/usr/bin/env python3
"""Runs myblas-bench on the host backend: the names in its JSON, its checks, its exit statuses.

usage: test_bench.py PATH_TO_MYBLAS_BENCH
"""

import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCH = pathlib.Path(sys.argv.pop(1)).resolve()
FOLDER = pathlib.Path(__file__).resolve().parent
PARTS = ["sgemm_strict_public", "sgemm_strict_misaligned", "sgemm_strict_random", "sgemm_batched",
         "sgemm_emulated_public", "sgemm_fast_public", "sgemm_accuracy",
         "transpose", "transpose_cold", "transpose_random", "sum", "sum_cold"]  # fmt: skip

PRODUCT_DATA = ["uniform", "normal", "positive", "lognormal-4", "lognormal-8", "row-scaled",
                "column-scaled", "k-scaled", "graded", "outlier", "near-largest", "near-smallest"]  # fmt: skip

CONTEXT = {"gpu", "driver", "cuda", "cublas", "commit", "command", "date", "ceilings"}
COMMON = {
    "routine", "kernel", "math", "n", "elem_bytes", "offset", "timing", "cold", "time_us",
    "time_us_min", "time_us_max", "incumbent", "incumbent_timing",
    "incumbent_us", "ratio", "max_err", "checked", "sm_clock_mhz",
}  # fmt: skip
VECTOR = COMMON | {"incx", "gbps"}
FIELDS = {
    "sgemm": COMMON | {"transa", "transb", "m", "k", "lda", "ldb", "ldc", "batch", "pointer_array",
                       "data", "gflops"},
    "transpose": COMMON | {"m", "lda", "ldb", "in_place", "gbps"},
    "gemsum": COMMON | {"transa", "m", "lda", "gbps"},
    "histogram": COMMON | {"data", "gbps"},
    "geam": COMMON | {"transa", "transb", "m", "lda", "ldb", "ldc", "gbps"},
    "sum": VECTOR,
    "asum": VECTOR,
    "dsum": VECTOR,
    "axpy": VECTOR,
    "copy": VECTOR,
}


def run(*arguments):
    command = [str(BENCH), "--backend", "host", "--min-time", "0", "--repeats", "2", *arguments]
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
            [str(BENCH), "--backend", "host", "--list"], capture_output=True, text=True, check=True
        )
        names = [line.split()[2] for line in listed.stdout.splitlines() if " transpose " in line]
        measured = self.measure("-f", "transpose", "-m", "20", "-n", "30", "--kernel", "all")
        seen = {entry["kernel"] for entry in measured["results"] + measured["skipped"]}
        self.assertEqual(seen, set(names))

    def test_a_batch_by_pointers_and_a_transpose_in_place_are_verified(self):
        for arguments in (
            ["-m", "9", "-n", "8", "-k", "7", "--batch", "3", "--pointer-array", "--offset", "1"],
            ["-f", "transpose", "-n", "65", "--in-place", "--ld-pad", "2"],
            ["-f", "transpose", "-m", "30", "-n", "41", "--in-place", "--elem-bytes", "2"],
        ):
            with self.subTest(arguments):
                for entry in self.measure(*arguments)["results"]:
                    elements = entry["m"] * entry["n"] * entry.get("batch", 1)
                    self.assertEqual(entry["checked"], elements)
                    self.assertTrue(entry.get("pointer_array") or entry.get("in_place"))

    def sweep(self, routine, name, every, *arguments):
        measured = self.measure("-f", routine, "--sweep", name, "--every", str(every), *arguments)
        self.assertTrue(measured["results"])
        for entry in measured["results"]:
            self.assertGreater(entry["checked"], 0)
        return measured["results"]

    def test_sweeps_have_the_shapes_that_they_are_named_for(self):
        for routine, every in (("sgemm", 113), ("transpose", 16)):
            with self.subTest(routine):
                forms = {
                    (entry["lda"] - entry["m"], entry["ldb"] - entry["n"], entry["offset"])
                    for entry in self.sweep(routine, "misaligned", every)
                }
                self.assertEqual(forms, {(1, 1, 0), (0, 0, 1)})
        forms = {(e["transa"], e["pointer_array"]) for e in self.sweep("sgemm", "batched", 5)}
        self.assertEqual(forms, {("N", False), ("T", False), ("N", True), ("T", True)})
        sizes = {entry["elem_bytes"] for entry in self.sweep("transpose", "elements", 16)}
        self.assertEqual(sizes, {1, 2, 8, 16})
        self.assertTrue(all(e["in_place"] for e in self.sweep("transpose", "in-place", 7)))
        lengths = [entry["n"] for entry in self.sweep("sum", "powers", 1)]
        self.assertEqual(sorted(set(lengths)), [2**i for i in range(21)])

    def test_random_shapes_follow_from_the_seed(self):
        def shapes(routine, seed):
            entries = self.sweep(routine, "random", 20, "--seed", str(seed))
            return [(e["m"], e["n"], e.get("k"), e.get("transa"), e.get("transb")) for e in entries]

        for routine in ("sgemm", "transpose"):
            with self.subTest(routine):
                first = shapes(routine, 1)
                self.assertEqual(first, shapes(routine, 1))
                self.assertNotEqual(first, shapes(routine, 2))

    def test_the_summary_says_what_the_rows_say(self):
        arguments = ["-f", "transpose,sum", "--sweep", "random", "--every", "20", "--threshold", "0.5"]
        measured = self.measure(*arguments)
        ratios = {}
        for entry in measured["results"]:
            if entry["incumbent"]:
                ratios.setdefault((entry["routine"], entry["incumbent"]), []).append(entry["ratio"])
        self.assertEqual(
            [(group["routine"], group["incumbent"]) for group in measured["summary"]], list(ratios)
        )
        for group in measured["summary"]:
            found = ratios[group["routine"], group["incumbent"]]
            mean = math.exp(sum(map(math.log, found)) / len(found))
            self.assertEqual(group["cases"], len(found))
            self.assertAlmostEqual(group["geometric_mean"] / mean, 1, delta=0.02)
            self.assertAlmostEqual(group["worst"]["ratio"], min(found), delta=1e-4)
            under = [entry["ratio"] for entry in group["under_threshold"]]
            self.assertEqual(under, sorted(under))
            self.assertEqual(len(under), sum(ratio < 0.5 for ratio in found))

    def test_all_kernels_together_have_no_summary(self):
        measured = self.measure("-f", "sum", "-n", "100", "--kernel", "all")
        self.assertEqual(measured["summary"], [])

    def test_the_seed_repeats_the_data(self):
        errors = {
            self.measure("-n", "64", "--kernel", "reference", "--seed", "7")["results"][0]["max_err"]
            for _ in range(2)
        }
        self.assertEqual(len(errors), 1)

    def test_products_of_each_kind_of_data_are_verified(self):
        for data in PRODUCT_DATA:
            with self.subTest(data):
                arguments = ["-m", "33", "-n", "20", "-k", "70", "--transa", "T", "--batch", "2"]
                for entry in self.measure(*arguments, "--data", data, "--ld-pad", "1")["results"]:
                    self.assertEqual(entry["data"], data)
                    self.assertGreater(entry["max_err"], 0)

    def accuracy(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "result.json"
            command = [BENCH, "accuracy", "--backend", "host", "--json", str(file), *arguments]
            done = subprocess.run(command, capture_output=True, text=True, timeout=120)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            return json.loads(file.read_text())

    def test_accuracy_has_every_mode_on_every_kind_of_data(self):
        measured = self.accuracy("-n", "20,33", "-k", "64,300", "--seed", "3")
        self.assertLessEqual(CONTEXT, set(measured["context"]))
        cases = {}
        for entry in measured["results"]:
            case = cases.setdefault((entry["data"], entry["n"], entry["k"]), {})
            case[entry["contender"]] = entry
        wanted = {(data, n, k) for data in PRODUCT_DATA for n in (20, 33) for k in (64, 300)}
        self.assertEqual(set(cases), wanted)
        for (data, n, k), case in cases.items():
            with self.subTest(data=data, n=n, k=k):
                self.assertLessEqual({"strict", "emulated", "fast"}, set(case))
                yardstick = case.get("cblas_sgemm")
                for entry in case.values():
                    self.assertTrue(0 < entry["mean_ulp"] <= entry["max_ulp"] <= k + 4)
                    self.assertTrue(0 < entry["frobenius"] < 1e-5)
                    if yardstick:
                        ratio = entry["max_ulp"] / yardstick["max_ulp"]
                        self.assertAlmostEqual(entry["max_ratio"] / ratio, 1, delta=0.01)
        self.assertEqual([group["contender"] for group in measured["summary"]], ["emulated", "fast"])
        self.assertTrue(all(group["cases"] == len(cases) for group in measured["summary"]))

    def test_accuracy_follows_from_the_seed(self):
        def errors(seed):
            results = self.accuracy("-n", "30", "-k", "50", "--data", "normal", "--seed", seed)["results"]
            return [(entry["max_ulp"], entry["mean_ulp"]) for entry in results]

        self.assertEqual(errors("1"), errors("1"))
        self.assertNotEqual(errors("1"), errors("2"))

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
            ["-f", "sum", "--data", "skewed"],
            ["--data", "skewed"],
            ["-f", "histogram", "--data", "normal"],
            ["-f", "gemsum", "--ldb", "2000"],
            ["-f", "transpose", "--elem-bytes", "3"],
            ["--kernel", "nonsense"],
            ["--timing", "graph"],
            ["--sweep", "ladder", "-m", "4"],
            ["--sweep", "ladder,public"],
            ["--sweep", "batched", "-f", "transpose"],
            ["--sweep", "in-place", "-f", "sgemm"],
            ["--sweep", "public", "--pointer-array"],
            ["-f", "sum", "--in-place"],
            ["-f", "transpose", "-m", "4", "-n", "5", "--ld-pad", "1", "--in-place"],
            ["-n", "4", "--ld-pad", "-1"],
            ["--quick", "-f", "sum"],
            ["--json", "/nonexistent/folder/file.json"],
        ):
            with self.subTest(arguments):
                done = run(*arguments)
                self.assertEqual(done.returncode, 2)
                self.assertEqual(done.stdout, "")
                self.assertEqual(done.stderr.count("\n"), 1)

    def test_subcommands_refuse_what_they_cannot_do(self):
        for arguments, reason in (
            (["tune", "sgemm", "--backend", "host"], "nothing to tune"),
            (["tune", "sgemm", "-m", "4"], "not expected"),
            (["tune", "transpose"], "transpose"),
            (["tune"], "routine"),
            (["--repeats", "3", "tune", "sgemm"], "--repeats"),
            (["accuracy", "--data", "skewed", "--backend", "host"], "skewed"),
            (["accuracy", "-n", "0"], "-n"),
            (["--verify", "accuracy"], "--verify"),
        ):
            with self.subTest(arguments):
                done = subprocess.run([BENCH, *arguments], capture_output=True, text=True, timeout=120)
                self.assertEqual(done.returncode, 2)
                self.assertEqual(done.stdout, "")
                self.assertEqual(done.stderr.count("\n"), 1)
                self.assertIn(reason, done.stderr)


def measure_parts(folder, parts):
    """run_h100.sh with one or a few shapes of each sweep, on the host: its result, and its output folder."""
    stand_in = folder / "build/bin/myblas-bench"
    stand_in.parent.mkdir(parents=True)
    stand_in.write_text(f"""#!/bin/sh
if [ "$1" = accuracy ]; then
    shift 3
    exec "{BENCH}" accuracy --backend host -n 16,24 -k 8,40 --data uniform,lognormal-8 "$@"
fi
shift 2
exec "{BENCH}" "$@" --backend host --every 94 --repeats 1
""")
    stand_in.chmod(0o755)
    command = [str(FOLDER / "run_h100.sh"), str(folder / "build"), str(folder / "output"), *parts]
    return subprocess.run(command, capture_output=True, text=True, timeout=300), folder / "output"


def python_with_matplotlib():
    for python in (sys.executable, "/usr/bin/python3"):
        try:
            subprocess.run([python, "-c", "import matplotlib"], capture_output=True, check=True)
            return python
        except (OSError, subprocess.CalledProcessError):
            pass
    raise unittest.SkipTest("there is no Matplotlib (Debian: python3-matplotlib)")


class CommittedResultsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.done, cls.results = measure_parts(cls.folder, PARTS)

    def performance(self, *arguments, python=sys.executable):
        page = self.folder / "docs/performance.md"
        command = [python, str(FOLDER / "performance.py"), "--results", str(self.results),
                   "--page", str(page), *arguments]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        return done.returncode, done.stderr, page

    def test_each_part_writes_its_file(self):
        self.assertEqual(self.done.returncode, 0, self.done.stdout + self.done.stderr)
        self.assertEqual({file.stem for file in self.results.iterdir()}, set(PARTS))
        for file in self.results.iterdir():
            self.assertTrue(json.loads(file.read_text())["summary"], file.name)

    def test_an_unknown_part_measures_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            refused, output = measure_parts(pathlib.Path(folder), ["sum", "nonsense"])
            self.assertEqual(refused.returncode, 2)
            self.assertFalse(output.exists())

    def test_the_page_and_its_plots_follow_the_results(self):
        python = python_with_matplotlib()
        status, errors, page = self.performance(python=python)
        self.assertEqual((status, errors), (0, ""))
        plots = sorted((page.parent / "plots").iterdir())
        text = page.read_text()
        self.assertEqual(text.count("\n## "), len(PARTS))
        self.assertEqual(text.count("]("), len(plots))
        self.assertEqual(self.performance("--check")[0], 0)

        # Drawn again, the bytes are the same.
        drawn = [plot.read_bytes() for plot in plots]
        self.performance(python=python)
        self.assertEqual([plot.read_bytes() for plot in plots], drawn)

        with self.subTest("other results"):
            part = self.results / "sum.json"
            measured = part.read_text()
            part.write_text(measured + "\n")
            self.assertEqual(self.performance("--check")[0], 1)
            part.write_text(measured)
        with self.subTest("another page"):
            page.write_text(text + "faster\n")
            self.assertEqual(self.performance("--check")[0], 1)
            page.write_text(text)
        with self.subTest("a section without results"):
            part.unlink()
            self.assertEqual(self.performance("--check")[0], 1)
            self.performance(python=python)
            self.assertEqual(page.read_text().count("\n## "), len(PARTS) - 1)
            part.write_text(measured)


if __name__ == "__main__":
    unittest.main()
