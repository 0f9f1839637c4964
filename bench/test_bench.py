#!/usr/bin/env python3
"""Runs myblas-bench on the host backend: the names in its JSON, its checks, its exit statuses.

usage: test_bench.py PATH_TO_MYBLAS_BENCH PATH_TO_WRONG_ROUTINES
"""

import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

BENCH = pathlib.Path(sys.argv.pop(1)).resolve()
WRONG_ROUTINES = pathlib.Path(sys.argv.pop(1)).resolve()  # wrong_routines.c
FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER / "substitution")]
import measurements  # noqa: E402
import overview  # noqa: E402
import performance  # noqa: E402
import ratio_maps  # noqa: E402
import render  # noqa: E402
import roofline  # noqa: E402
import rows  # noqa: E402
import rungs  # noqa: E402
import substitution_tables  # noqa: E402
import turns  # noqa: E402

PARTS = ["sgemm_strict_public", "sgemm_strict_misaligned", "sgemm_strict_random", "sgemm_batched",
         "sgemm_strict_classes",
         "sgemm_emulated_public", "sgemm_fast_public", "sgemm_fast_random", "sgemm_emulated_bare",
         "sgemm_fast_bare", "sgemm_accuracy", "fused_strict", "fused_emulated", "fused_fast",
         "level3_strict", "level3_emulated", "level3_fast", "level2", "level1",
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
MATRIX_VECTOR = VECTOR | {"lda"}
LEVEL3 = COMMON | {"lda", "gflops", "workspace"}
FIELDS = {
    "sgemm": COMMON | {"transa", "transb", "m", "k", "lda", "ldb", "ldc", "batch", "pointer_array",
                       "data", "gflops", "workspace"},
    "sgemmFused": LEVEL3 | {"transa", "transb", "m", "k", "ldb", "ldc", "activation"},
    "transpose": COMMON | {"m", "lda", "ldb", "in_place", "gbps"},
    "gemsum": COMMON | {"transa", "m", "lda", "gbps"},
    "histogram": COMMON | {"data", "gbps"},
    "geam": COMMON | {"transa", "transb", "m", "lda", "ldb", "ldc", "gbps"},
    "sum": VECTOR,
    "asum": VECTOR,
    "dsum": VECTOR,
    "axpy": VECTOR,
    "copy": VECTOR,
    "dot": VECTOR,
    "nrm2": VECTOR,
    "iamax": VECTOR,
    "iamin": VECTOR,
    "scal": VECTOR,
    "swap": VECTOR,
    "rot": VECTOR,
    "rotm": VECTOR,
    "gemv": MATRIX_VECTOR | {"trans", "m"},
    "ger": MATRIX_VECTOR | {"m"},
    "symv": MATRIX_VECTOR | {"uplo"},
    "syr": MATRIX_VECTOR | {"uplo"},
    "syr2": MATRIX_VECTOR | {"uplo"},
    "trmv": MATRIX_VECTOR | {"uplo", "trans", "diag"},
    "trsv": MATRIX_VECTOR | {"uplo", "trans", "diag"},
    "syrk": LEVEL3 | {"uplo", "trans", "k", "ldc"},
    "syr2k": LEVEL3 | {"uplo", "trans", "k", "ldb", "ldc"},
    "symm": LEVEL3 | {"side", "uplo", "m", "ldb", "ldc"},
    "trmm": LEVEL3 | {"side", "uplo", "trans", "diag", "m", "ldb", "ldc"},
    "trsm": LEVEL3 | {"side", "uplo", "trans", "diag", "m", "ldb"},
}
LEVEL1 = ["asum", "axpy", "copy", "dot", "nrm2", "iamax", "iamin", "scal", "swap", "rot", "rotm"]
LEVEL2 = ["gemv", "ger", "symv", "syr", "syr2", "trmv", "trsv"]
LEVEL3_ROUTINES = ["syrk", "syr2k", "symm", "trmm", "trsm"]


def run(*arguments, backend="host", **environment):
    command = [str(BENCH), "--backend", backend, "--min-time", "0", "--repeats", "2", *arguments]
    settings = os.environ | environment
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=settings)


class BenchTest(unittest.TestCase):
    def measure(self, *arguments, **environment):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "result.json"
            done = run(*arguments, "--verify", "--json", str(file), **environment)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            text = file.read_text()
            measured = json.loads(text)
            self.assertEqual(text, measurements.json_text(measured) + "\n")
            return measured

    def test_each_case_is_a_line(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "result.json"
            run("--sweep", "random", "-f", "sum,sgemm", "--every", "200", "--json", str(file))
            lines = file.read_text().splitlines()
            cases = [line for line in lines if line.startswith('  {"routine"')]
            measured = json.loads(file.read_text())
        self.assertEqual([json.loads(case.rstrip(",")) for case in cases], measured["results"])

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

    def test_every_form_of_a_matrix_is_verified(self):
        routines = LEVEL2 + LEVEL3_ROUTINES
        forms = [("L", "L", "N", "N"), ("R", "U", "T", "U"), ("L", "U", "T", "N"), ("R", "L", "N", "U")]
        for side, uplo, trans, diag in forms:
            measured = self.measure(
                "-f", ",".join(routines), "-m", "37", "-n", "45", "-k", "29", "--side", side,
                "--uplo", uplo, "--trans", trans, "--diag", diag, "--incx", "2", "--ld-pad", "3",
                "--offset", "1", "--kernel", "all",
            )  # fmt: skip
            self.assertEqual({entry["routine"] for entry in measured["results"]}, set(routines))
            wanted = {"side": side, "uplo": uplo, "trans": trans, "diag": diag}
            for entry in measured["results"]:
                present = {name: entry[name] for name in wanted if name in entry}
                self.assertEqual(present, {name: wanted[name] for name in present})
                if entry["routine"] == "trmm":  # padding, not tight
                    order = 37 if side == "L" else 45
                    self.assertEqual((entry["lda"], entry["ldb"]), (order + 3, 40))

    def test_the_work_is_that_of_the_routine(self):
        m, n, k = 40, 56, 24
        triangle = n * (n + 1) / 2
        flops = {"syrk": n * n * k, "syr2k": 2 * n * n * k, "symm": 2 * m * n * m, "trmm": m * n * m,
                 "trsm": m * n * m}  # fmt: skip
        floats = {"gemv": m * n + m + n, "ger": 2 * m * n + m + n, "symv": triangle + 2 * n,
                  "syr": 2 * triangle + n, "syr2": 2 * triangle + 2 * n, "trmv": triangle + 2 * n,
                  "trsv": triangle + 2 * n, "asum": n, "nrm2": n, "iamax": n, "iamin": n, "dot": 2 * n,
                  "copy": 2 * n, "scal": 2 * n, "axpy": 3 * n, "swap": 4 * n, "rot": 4 * n, "rotm": 4 * n}  # fmt: skip
        longer = 1000  # vectors of n take too little time
        matrices = ["-f", ",".join(LEVEL2 + LEVEL3_ROUTINES), "-m", str(m), "-n", str(n), "-k", str(k)]
        vectors = ["-f", ",".join(LEVEL1), "-n", str(longer * n)]
        for arguments, scale in ((matrices, 1), (vectors, longer)):
            for entry in self.measure(*arguments)["results"]:
                name = entry["routine"]
                with self.subTest(name):
                    work = flops.get(name) or 4 * scale * floats[name]
                    rate = entry["gflops"] if name in flops else entry["gbps"]
                    self.assertAlmostEqual(rate * entry["time_us"] * 1e3 / work, 1, delta=0.1)

    def judge_wrong_routines(self, backend):
        def failed(routines, *arguments, **environment):
            environment["LD_PRELOAD"] = str(WRONG_ROUTINES)
            done = run("-f", ",".join(routines), "-n", "60", "--verify", *arguments, backend=backend, **environment)
            self.assertEqual(done.returncode, 1, done.stderr)
            found, routine = set(), None  # a long case has a line of its own above the kernel's
            for line in map(str.split, done.stdout.splitlines()):
                routine = line[0] if line and line[0] in routines else routine
                if "FAIL" in line:
                    found.add(routine)
            return found

        self.assertEqual(failed(LEVEL1), set(LEVEL1))
        self.assertEqual(failed(["sgemmFused"]), {"sgemmFused"})
        matrices = LEVEL2 + LEVEL3_ROUTINES
        for form in ([], ["--side", "R", "--uplo", "U", "--trans", "T", "--diag", "U"]):
            with self.subTest(form):
                self.assertEqual(failed(matrices, *form), set(matrices))
                written = set(LEVEL3_ROUTINES) | {"ger", "syr", "syr2"}
                self.assertLessEqual(written, failed(matrices, "--ld-pad", "2", *form, WRONG="outside"))

    def test_a_wrong_routine_fails(self):
        self.judge_wrong_routines("host")

    def test_a_wrong_routine_fails_on_the_gpu(self):
        if run("--device", backend="cuda").returncode != 0:
            self.skipTest("no GPU")
        self.judge_wrong_routines("cuda")

    def test_sizes_are_those_asked_for(self):
        measured = self.measure(
            "-m", "7", "-n", "5", "-k", "3", "--transa", "T", "--lda", "4", "--ldc", "9", "--batch", "2"
        )
        for entry in measured["results"]:
            wanted = {"m": 7, "n": 5, "k": 3, "transa": "T", "transb": "N", "lda": 4, "ldb": 3,
                      "ldc": 9, "batch": 2}  # fmt: skip
            self.assertEqual({name: entry[name] for name in wanted}, wanted)

    def test_lists_of_sizes_are_measured_in_all_combinations(self):
        squares = self.measure("-n", "8,16", "-f", "sgemm,sum")["results"]
        self.assertEqual({(e["routine"], e.get("m"), e["n"], e.get("k")) for e in squares},
                         {("sgemm", 8, 8, 8), ("sgemm", 16, 16, 16), ("sum", None, 8, None), ("sum", None, 16, None)})  # fmt: skip
        products = self.measure("-m", "5,7", "-n", "9", "-k", "2,3")["results"]
        self.assertEqual({(e["m"], e["n"], e["k"]) for e in products}, {(m, 9, k) for m in (5, 7) for k in (2, 3)})
        refused = run("-n", "8,0")
        self.assertEqual((refused.returncode, refused.stdout, refused.stderr.count("\n")), (2, "", 1))

    def test_all_kernels_are_measured_or_said_to_be_skipped(self):
        listed = subprocess.run(
            [str(BENCH), "--backend", "host", "--list"], capture_output=True, text=True, check=True
        )
        names = [line.split()[2] for line in listed.stdout.splitlines() if line.startswith("host  transpose ")]
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

    def test_a_fused_product_is_measured_beside_the_plain_one(self):
        for activation in ("none", "relu", "gelu"):
            with self.subTest(activation):
                arguments = ["-m", "33", "-n", "20", "-k", "70", "--transa", "T", "--ld-pad", "1"]
                measured = self.measure("-f", "sgemmFused", "--activation", activation, *arguments)
                (entry,) = measured["results"]
                self.assertEqual((entry["activation"], entry["incumbent"]), (activation, "mysgemm"))
                self.assertEqual(entry["checked"], 33 * 20)
                self.assertGreater(entry["max_err"], 0)

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
        ragged = [e for e in self.sweep("sgemm", "batched", 3) if not rows.is_square(e)]
        self.assertGreater(len(ragged), 10)
        for entry in ragged:
            self.assertTrue(4 <= min(entry[size] for size in "mnk"))
        solution = {"LLNN", "LLTN", "RUNN", "RUTN", "RLTN"}
        forms = {"gemv": {"N", "T"}, "symv": {"L", "U"}, "trsv": {"LNN", "LTN", "UNN", "UTN"},
                 "syrk": {"LN", "LT"}, "symm": {"LL", "LU", "RL", "RU"}, "trsm": solution}  # fmt: skip
        for routine, wanted in forms.items():
            with self.subTest(routine):
                public = self.sweep(routine, "public", 1)
                self.assertEqual({rows.form_of(entry) for entry in public}, wanted)
                drawn = self.sweep(routine, "random", 4)
                sizes = [entry[size] for entry in drawn for size in "mnk" if size in entry]
                self.assertTrue(16 <= min(sizes) < max(sizes) <= 256)
        lengths = [entry["n"] for entry in self.sweep("sum", "powers", 1)]
        self.assertEqual(sorted(set(lengths)), [2**i for i in range(21)])

    def test_scalars_gaps_and_shuffled_pointers_are_verified(self):
        sizes = ["-m", "33", "-n", "20", "-k", "17", "--ld-pad", "1", "--offset", "1"]
        for arguments, wanted in (
            (["--alpha", "-1", "--beta", "1"], {"alpha": -1, "beta": 1}),
            (["--beta", "0.5", "--batch", "3", "--batch-gap", "5"], {"beta": 0.5, "batch_gap": 5}),
            (["--batch", "4", "--pointer-array", "--shuffled"], {"shuffled": True}),
        ):
            with self.subTest(arguments):
                (entry, *_) = self.measure(*sizes, *arguments, "--kernel", "reference")["results"]
                found = {name: entry.get(name) for name in ("alpha", "beta", "batch_gap", "shuffled")}
                self.assertEqual(found, dict.fromkeys(found) | wanted)
                self.assertGreater(entry["max_err"], 0)

    def test_classes_of_products_have_what_they_are_named_for(self):
        classes = ["general", "updates", "thin", "narrow", "deep", "batches", "networks"]
        measured = self.measure("--sweep", ",".join(classes), "--every", "3", "--seed", "3")
        by_class = {}
        for entry in measured["results"]:
            by_class.setdefault(entry["class"], []).append(entry)
        self.assertEqual(list(by_class), classes)
        self.assertTrue(all((e["alpha"], e["beta"]) == (-1, 1) for e in by_class["updates"]))
        for name, least, most in (("thin", 17, 160), ("narrow", 1, 16)):
            self.assertTrue(all(least <= min(e["m"], e["n"]) <= most for e in by_class[name]))
        self.assertTrue(all(e["k"] >= 1000 and max(e["m"], e["n"]) <= 128 for e in by_class["deep"]))
        self.assertEqual({e["pointer_array"] for e in by_class["batches"]}, {False, True})
        drawn = [e for e in measured["results"] if e["class"] != "networks"]
        self.assertGreater(len({e.get("beta", 0) for e in drawn}), 2)
        pads = [e["lda"] > (e["k"] if e["transa"] == "T" else e["m"]) for e in drawn]
        self.assertTrue(any(pads) and not all(pads))
        summary = [(group["class"], group["cases"]) for group in measured["summary"]]
        self.assertEqual(sorted(set(name for name, _ in summary)), sorted(classes))
        for group in measured["summary"]:
            same = [e for e in by_class[group["class"]] if e["incumbent"] == group["incumbent"]]
            self.assertAlmostEqual(group["percentile_5"], rows.Summary(same).fifth, places=3)

    def test_random_shapes_follow_from_the_seed(self):
        def shapes(routine, seed):
            entries = self.sweep(routine, "random", 100, "--seed", str(seed))
            return [(e["m"], e["n"], e.get("k"), e.get("transa"), e.get("transb")) for e in entries]

        for routine in ("sgemm", "transpose"):
            with self.subTest(routine):
                first = shapes(routine, 1)
                self.assertEqual(first, shapes(routine, 1))
                self.assertNotEqual(first, shapes(routine, 2))

    def test_the_seed_follows_from_the_commit(self):
        def seed(*arguments, **environment):
            return self.measure("-n", "8", *arguments, **environment)["context"]["seed"]

        self.assertEqual(seed(MYBLAS_COMMIT="0123abcd4567-dirty"), 0x0123ABCD)
        self.assertEqual(seed("--commit", "fedcba98"), 0xFEDCBA98)
        self.assertEqual(seed("--commit", "fedcba98", "--seed", "5"), 5)
        self.assertNotEqual(seed("--commit", "unknown"), seed("--commit", "unknown"))

    def test_a_kernel_that_the_environment_forces_is_measured(self):
        for routine, variable, kernel in (
            ("sgemm", "MYBLAS_SGEMM_KERNEL", "reference"),
            ("asum", "MYBLAS_SUM_KERNEL", "serial"),
            ("gemv", "MYBLAS_SGEMM_KERNEL", "reference"),
            ("sgemmFused", "MYBLAS_SGEMM_KERNEL", "reference"),
            ("iamin", "MYBLAS_IAMAX_KERNEL", "blocks"),
            ("ger", "MYBLAS_SYR_KERNEL", "reference"),
            ("trsm", "MYBLAS_TRSM_KERNEL", "products"),
        ):
            with self.subTest(routine):
                measured = self.measure("-f", routine, "-n", "50", **{variable: kernel})
                self.assertEqual({entry["kernel"] for entry in measured["results"]}, {kernel})
                refused = run("-f", routine, "-n", "50", **{variable: "nonsense"})
                self.assertEqual((refused.returncode, refused.stdout), (2, ""))
                self.assertIn("nonsense", refused.stderr)
                self.measure("-f", routine, "-n", "50", **{variable: ""})
        chosen = self.measure("-n", "50", "--kernel", "blocked", MYBLAS_SGEMM_KERNEL="nonsense")
        self.assertEqual(chosen["results"][0]["kernel"], "blocked")

    def test_a_family_is_measured_by_what_the_library_takes_of_it(self):
        if run("--device", backend="cuda").returncode != 0:
            self.skipTest("no GPU")
        for arguments, environment in (
            (["--kernel", "small_tile"], {}),
            ([], {"MYBLAS_SGEMM_KERNEL": "small_tile"}),
        ):
            measured = self.measure("-n", "100", *arguments, backend="cuda", **environment)
            for entry in measured["results"]:
                self.assertTrue(entry["kernel"].startswith("small_tile/"))
        refused = run("-n", "100", "--kernel", "small", backend="cuda")
        self.assertEqual((refused.returncode, refused.stdout), (2, ""))
        self.assertIn("small", refused.stderr)

    def test_the_own_workspace_is_measured_beside_a_lent_one(self):
        sources = {"lent": self.measure("-n", "50"), "own": self.measure("-n", "50", "--workspace", "own")}
        for source, measured in sources.items():
            self.assertEqual({entry["workspace"] for entry in measured["results"]}, {source})
        entries = self.sweep("sgemm", "bare", 1, "--math", "fast")
        self.assertEqual({entry["workspace"] for entry in entries}, {"own"})
        lent = [entry for entry in entries if entry["incumbent"] == "myblas, lent workspace"]
        self.assertEqual(len(lent), len({rows.name_of(entry) for entry in entries}))

    def test_another_library_is_measured_beside_this_one(self):
        library = BENCH.parent.parent / "lib/libmyblas.so.1"
        if not library.exists():
            self.skipTest(f"there is no {library}")
        with tempfile.TemporaryDirectory() as folder:
            other = pathlib.Path(folder) / "before/lib/libmyblas.so"
            other.parent.mkdir(parents=True)
            shutil.copy(library, other)
            for routine in FIELDS:
                with self.subTest(routine):
                    measured = self.measure("-f", routine, "-n", "60", "--against", str(other))
                    ratios = [e["ratio"] for e in measured["results"] if e["incumbent"] == "myblas@before"]
                    self.assertEqual(len(ratios), 1)
                    self.assertGreater(ratios[0], 0)
            batches = self.sweep("sgemm", "batched", 5, "--against", str(other))
            self.assertIn("myblas@before", {entry["incumbent"] for entry in batches})

    def test_help_is_at_most_80_columns_wide(self):
        commands = ["tune", "compare", "replay", "accuracy", "grade", "energy", "readings", "explain", "handles"]
        for arguments in ([], *([command] for command in commands)):
            with self.subTest(arguments):
                done = subprocess.run([BENCH, *arguments, "--help"], capture_output=True, text=True, timeout=120)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)
                self.assertIn("--help", done.stdout)
        text = " ".join(run("--help").stdout.split())
        for values in ("asum, axpy, copy,", "(strict): emulated, fast, strict", "ladder: every kernel"):
            self.assertIn(values, text)
        self.assertEqual([command for command in commands if command not in text], [])

    def test_tables_are_at_most_100_columns_wide(self):
        long_case = ["-m", "123456", "-n", "17", "-k", "19", "--lda", "123457", "--batch", "2", "--offset", "1"]
        for arguments in (["--list"], ["--quick"], ["-f", "transpose,sum", "-n", "100", "--kernel", "all"], long_case):
            with self.subTest(arguments):
                done = run(*arguments)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertLessEqual(max(map(len, done.stdout.splitlines())), 100)

    def test_the_summary_says_what_the_rows_say(self):
        routines = "sgemmFused,transpose,sum,dot,gemv,symv,ger,trsv,syrk,symm,trsm"
        arguments = ["-f", routines, "--sweep", "random", "--every", "7", "--threshold", "0.5"]
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
            names = {rows.case_name(entry) for entry in measured["results"]}
            self.assertIn(group["worst"]["case"], names)
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
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), 100)
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

    def test_handles_are_timed(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "result.json"
            command = [BENCH, "handles", "--backend", "host", "-n", "16", "--count", "50", "--json", str(file)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=120)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), 100)
            measured = json.loads(file.read_text())
        self.assertLessEqual(CONTEXT, set(measured["context"]))
        first, later = measured["results"]
        times = {"create_us", "first_call_us", "second_call_us", "destroy_us"}
        for entry, which in ((first, "first"), (later, "later")):
            self.assertEqual((entry["library"], entry["handle"], entry["n"]), ("myblas", which, 16))
            for name in times:
                self.assertGreater(entry[name], 0)
        self.assertEqual(later["churn_handles"], 50)
        self.assertGreater(later["churn_us"], 0)

    def test_handles_of_cublas_need_one(self):
        command = [BENCH, "handles", "--library", "cublas"]
        refused = subprocess.run([*command, "--backend", "host"], capture_output=True, text=True, timeout=120)
        self.assertEqual((refused.returncode, refused.stdout, refused.stderr.count("\n")), (2, "", 1))
        self.assertIn("--library cublas", refused.stderr)
        if run("--device", backend="cuda").returncode == 0:
            done = subprocess.run(command, capture_output=True, text=True, timeout=120)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("\ncublas   later ", done.stdout)
        else:
            failed = subprocess.run(command, capture_output=True, text=True, timeout=120)
            self.assertEqual((failed.returncode, failed.stdout, failed.stderr.count("\n")), (1, "", 1))
            self.assertRegex(failed.stderr, "there is no cuBLAS|cublasCreate")

    def test_energy_that_nobody_counts_is_a_failure(self):
        done = subprocess.run([BENCH, "energy", "-n", "8", "--backend", "host"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("energy needs a GPU", done.stderr)

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
            ["--activation", "relu"],
            ["-f", "sgemmFused", "--activation", "tanh"],
            ["-f", "sgemmFused", "--batch", "2"],
            ["--sweep", "public", "-f", "sgemmFused", "--activation", "relu"],
            ["--sweep", "ladder", "-f", "sgemmFused"],
            ["-f", "syrk", "--side", "R"],
            ["-f", "symm", "--trans", "T"],
            ["-f", "gemv", "--uplo", "U"],
            ["-f", "trsm", "-k", "4"],
            ["-f", "trsm", "--diag", "T"],
            ["-f", "trsm", "-m", "4", "--lda", "3"],
            ["-f", "dot,gemv", "--ldb", "4"],
            ["--sweep", "public", "--uplo", "U", "-f", "syrk"],
            ["--sweep", "powers", "-f", "gemv"],
            ["-f", "transpose", "-m", "4", "-n", "5", "--ld-pad", "1", "--in-place"],
            ["-n", "4", "--ld-pad", "-1"],
            ["--quick", "-f", "sum"],
            ["--json", "/nonexistent/folder/file.json"],
            ["--against", "/nonexistent/libmyblas.so"],
            ["--against", __file__],
            ["--sweep", "bare,public"],
            ["--sweep", "bare", "--workspace", "own"],
            ["--sweep", "bare", "--kernel", "blocked"],
            ["--sweep", "bare", "-f", "sum"],
            ["--sweep", "updates", "-f", "sum"],
            ["--sweep", "public", "--beta", "1"],
            ["-f", "sum", "--beta", "1"],
            ["--batch", "2", "--shuffled"],
            ["--batch-gap", "-1"],
            ["--rival", "cublaslt:0"],
            ["--rival", "cublas"],
        ):
            with self.subTest(arguments):
                done = run(*arguments)
                self.assertEqual(done.returncode, 2)
                self.assertEqual(done.stdout, "")
                self.assertEqual(done.stderr.count("\n"), 1)

    def test_a_wrong_variable_is_named(self):
        for variable, value in (
            ("MYBLAS_BACKEND", "gpu"),
            ("MYBLAS_MATH", "magic"),
            ("MYBLAS_WORKSPACE", "much"),
            ("MYBLAS_LOG", "/nonexistent/log"),
            ("MYBLAS_TUNING", "/nonexistent/tuning"),
            ("MYBLAS_SGEMM_KERNEL", "magic"),
            ("MYBLAS_SGEMM_KERNEL", "block"),
            ("MYBLAS_SUM_KERNEL", "magic"),  # of another routine
        ):
            with self.subTest(variable, value=value):
                done = run("-n", "8", **{variable: value})
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))
                self.assertIn(variable, done.stderr)
        done = run("-n", "8", MYBLAS_MATH="magic", MYBLAS_NUM_THREADS="0")
        self.assertIn("MYBLAS_MATH=magic", done.stderr)
        self.assertIn("MYBLAS_NUM_THREADS=0", done.stderr)

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_results_that_cannot_be_written_are_a_failure(self):
        with open("/dev/full", "w") as full:
            command = [BENCH, "--backend", "host", "-n", "8", "--min-time", "0", "--repeats", "2"]
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))

    def test_no_other_kernel_replaces_a_forced_one(self):
        for arguments in (["--kernel", "magic"], ["--kernel", "magic", "-f", "sum"]):
            done = run("-n", "8", *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("--kernel magic", done.stderr)
        command = [BENCH, "accuracy", "--backend", "host", "-n", "8"]
        settings = os.environ | {"MYBLAS_SGEMM_KERNEL": "reference"}
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=settings)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("MYBLAS_SGEMM_KERNEL=reference", done.stderr)

    def test_commands_with_files_of_their_own_refuse_json(self):
        for command in (["tune", "sgemm"], ["readings", "--out", os.devnull], ["explain"]):
            with self.subTest(command[0]):
                arguments = [BENCH, *command, "--json", os.devnull]
                done = subprocess.run(arguments, capture_output=True, text=True, timeout=120)
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))
                self.assertIn("--json", done.stderr)

    def explain(self, *arguments):
        listed = subprocess.run([BENCH, "--backend", "cuda", "--list"], capture_output=True, text=True, timeout=120)
        if " sgemm " not in listed.stdout:
            self.skipTest("built without CUDA")
        done = subprocess.run([BENCH, "explain", *arguments], capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 100)
        header, table, legend = done.stdout.split("\n\n")
        columns, *lines = table.splitlines()
        self.assertTrue(columns.startswith("kernel ") and legend.startswith("time = factor x "))
        self.assertLessEqual(max(map(len, listed.stdout.splitlines())), 100)
        named = [line.split()[2] for line in listed.stdout.splitlines() if line.startswith("cuda  sgemm ")]
        self.assertEqual(sorted(line.split()[0] for line in lines), sorted(named))
        return header, lines

    def test_a_choice_is_explained_for_any_card(self):
        header, lines = self.explain("-m", "1000", "-n", "1000", "-k", "1000", "--device", "h200")
        self.assertIn("sgemm NN 1000x1000x1000, strict, 4096 MiB of workspace\nh200: sm_90, 132 multiprocessors at 1980 MHz", header)
        self.assertTrue(lines[0].startswith("stream_k/"))
        self.assertEqual([line.endswith(" chosen") for line in lines], [True] + [False] * (len(lines) - 1))
        for card in ("h100-sxm", "h100-pcie", "gh200", "a100-80g", "l40s", "rtx4090", "b200"):
            with self.subTest(card):
                header, lines = self.explain("-n", "512", "--math", "fast", "--device", card)
                self.assertTrue(lines[0].endswith(" chosen"))
                hopper = [line for line in lines if line.startswith("fp16x3/")]
                refused = [line for line in hopper if line.endswith("it does not run on this architecture")]
                self.assertEqual(len(refused), 0 if " sm_90," in header else len(hopper))

    def test_a_card_may_be_named_by_its_model(self):
        for asked, named in (("h100", "h100-sxm"), ("H100", "h100-sxm"), ("a100", "a100-80g"), ("H100-PCIe", "h100-pcie"),
                             ("RTX4090", "rtx4090")):  # fmt: skip
            with self.subTest(asked):
                header, _ = self.explain("-n", "512", "--device", asked)
                self.assertIn(f"\n{named}: sm_", header)

    def test_an_explanation_follows_the_call(self):
        for arguments, wanted in (
            (["-m", "1", "-n", "4096", "-k", "4096"], ("gemv", "skinny")),
            (["-n", "8", "--batch", "10000"], ("small_tile/",)),
            (["-n", "8192", "--math", "fast"], ("fp16x3/",)),
            (["-n", "8192", "--math", "emulated"], ("fp16x3/",)),
            (["-n", "4096", "--transa", "T", "--offset", "1"], ("stream_k/", "warp_tile/", "small_tile/")),
        ):
            with self.subTest(arguments):
                lines = self.explain(*arguments, "--device", "h200")[1]
                self.assertTrue(lines[0].startswith(wanted), lines[0])

    def test_subcommands_refuse_what_they_cannot_do(self):
        for arguments, reason in (
            (["tune", "sgemm", "--backend", "host"], "nothing to tune"),
            (["tune", "sgemm", "-m", "4"], "not expected"),
            (["tune", "transpose"], "transpose"),
            (["tune"], "routine"),
            (["--repeats", "3", "tune", "sgemm"], "--repeats"),
            (["explain", "-n", "100", "--device", "h300"], "no card named h300; there are h200 "),
            (["explain", "-n", "100", "--device", "h"], "no card named h; there are h200 "),
            (["explain", "-n", "100", "--backend", "host"], "--device"),
            (["explain", "-n", "100", "--device", "h200", "--math", "loose"], "loose"),
            (["explain", "-n", "0", "--device", "h200"], "-n"),
            (["explain", "-f", "sum", "--device", "h200"], "not expected"),
            (["explain", "-n", "100", "--lda", "99", "--device", "h200"], "lda"),
            (["explain", "-n", "100", "--workspace-mib", "-1", "--device", "h200"], "workspace"),
            (["readings", "--backend", "host", "--out", "/dev/null"], "readings needs a GPU"),
            (["readings", "--backend", "host"], "--out"),
            (["readings", "--sets", "nonsense", "--out", "/dev/null", "--backend", "host"], "nonsense"),
            (["accuracy", "--data", "skewed", "--backend", "host"], "skewed"),
            (["accuracy", "-n", "0"], "-n"),
            (["energy", "--seconds", "0"], "--seconds"),
            (["handles", "--library", "openblas"], "--library"),
            (["handles", "--count", "0"], "--count"),
            (["--verify", "accuracy"], "--verify"),
        ):
            with self.subTest(arguments):
                done = subprocess.run([BENCH, *arguments], capture_output=True, text=True, timeout=120)
                self.assertEqual(done.returncode, 2)
                self.assertEqual(done.stdout, "")
                self.assertEqual(done.stderr.count("\n"), 1)
                self.assertIn(reason, done.stderr)


class RowsTest(unittest.TestCase):
    @staticmethod
    def product(n, ratio, incumbent="other"):
        return {"routine": "sgemm", "transa": "N", "transb": "T", "m": 10, "n": n, "k": 5, "batch": 1,
                "kernel": "some", "incumbent": incumbent, "ratio": ratio}  # fmt: skip

    def test_classes_are_by_work_and_all_come_last(self):
        entries = [self.product(n, 1.5) for n in (99_999, 100_000, 999_999, 10**6, 10**7, 10**8, 10**9)]
        cases = {name: len(group) for name, group in rows.by_class(entries).items()}
        self.assertEqual(cases, {"under 10 MFLOP": 1, "10 to 100 MFLOP": 2, "100 MFLOP to 1 GFLOP": 1,
                                 "1 to 10 GFLOP": 1, "above 10 GFLOP": 2, "all": 7})  # fmt: skip
        entry = {"routine": "transpose", "m": 500, "n": 249, "elem_bytes": 4, "kernel": "some"}
        self.assertEqual(rows.class_of(entry), "under 1 MB")
        self.assertEqual(rows.class_of(entry | {"n": 250}), "1 to 10 MB")

    def test_a_summary_says_what_its_rows_say(self):
        entries = [self.product(i, 0.5 + i / 100) for i in (70, 3, 20, 41, 100, 55, 8)]
        found = rows.Summary(entries)
        self.assertEqual((found.cases, found.worst["n"]), (7, 3))
        self.assertAlmostEqual(found.mean, statistics.geometric_mean(e["ratio"] for e in entries))
        self.assertAlmostEqual(found.fifth, 0.53 + 0.3 * 0.05)  # 0.3 of the way from the first to the second
        one = rows.Summary(entries[:1])
        self.assertEqual((one.cases, one.mean, one.fifth), (1, 1.2, 1.2))

    def test_routines_of_blas_are_named_and_counted_by_their_rows(self):
        solution = {"routine": "trsm", "side": "L", "uplo": "U", "trans": "N", "diag": "N", "m": 40, "n": 40,
                    "lda": 40, "kernel": "some", "gflops": 12.8, "time_us": 5.0, "incumbent_us": 10.0}  # fmt: skip
        self.assertEqual(rows.case_name(solution), "LUNN 40x40 some")
        self.assertTrue(rows.is_square(solution))
        self.assertAlmostEqual(rows.flops(solution), 40**3)
        self.assertAlmostEqual(rows.incumbent_rate(solution), 0.0064)
        self.assertEqual(rows.class_of(solution), "under 10 MFLOP")
        update = {"routine": "syrk", "uplo": "L", "trans": "T", "n": 40, "k": 7, "lda": 7, "kernel": "some"}
        self.assertEqual((rows.case_name(update), rows.is_square(update)), ("LT 40x7 some", False))
        vector = {"routine": "dot", "n": 8, "kernel": "some", "gbps": 0.0128, "time_us": 5.0}
        self.assertEqual(rows.case_name(vector), "n=8 some")
        self.assertAlmostEqual(rows.moved_bytes(vector), 64)
        product = {"routine": "symv", "uplo": "U", "n": 8, "lda": 8, "kernel": "some"}
        self.assertEqual((rows.form_of(product), rows.case_name(product)), ("U", "U 8 some"))

    def test_cases_are_grouped_by_incumbent(self):
        entries = [self.product(1, 2.0, "a"), self.product(1, 3.0, "b"), self.product(2, None, "a")]
        groups = rows.by_incumbent(entries)
        self.assertEqual({key[1]: len(group) for key, group in groups.items()}, {"a": 1, "b": 1})


class OverviewTest(unittest.TestCase):
    def test_a_plot_shows_what_is_there_and_is_left_out_without_what_it_needs(self):
        by_name = {shown.name: shown for shown in overview.OVERVIEWS}
        energy, accuracy = {"sgemm_energy": {"results": []}}, {"sgemm_accuracy": {"results": []}}
        self.assertEqual(by_name["accuracy"].of(energy), {})
        self.assertEqual(by_name["accuracy"].of(energy | accuracy), energy | accuracy)
        self.assertEqual(by_name["roofline"].of(energy), {})

    def test_labels_keep_their_order_and_their_distance(self):
        places = roofline.spread([1.0, 1.01, 1.02, 3.0], 0.5)
        self.assertTrue(all(b - a > 0.499 for a, b in zip(places, places[1:])), places)
        self.assertEqual(places[3], 3.0)

    def test_sizes_fall_into_cells(self):
        self.assertEqual([ratio_maps.bin_of(size, 8) for size in (1, 7, 8, 63, 64, 512, 4096, 10**6)],
                         [0, 0, 1, 1, 2, 3, 4, 4])  # fmt: skip

    def test_the_committed_regret_is_whole(self):
        for file in (FOLDER / "results").glob("*/regret.json"):
            regret = json.loads(file.read_text())
            for mode, quantiles in regret["quantiles"].items():
                of_mode = {row["set"]: row for row in regret["results"] if row["mode"] == mode}
                self.assertEqual(quantiles, sorted(quantiles))
                self.assertEqual((quantiles[0], quantiles[-1]), (1.0, of_mode["all"]["worst"]))
                calls = sum(row["calls"] for name, row in of_mode.items() if name != "all")
                self.assertEqual(calls, of_mode["all"]["calls"])

    def test_fused_products_are_a_table_of_ratios_and_costs(self):
        def entry(activation, incumbent, ratio, trans="T"):
            return {"transa": trans, "transb": "N", "m": 8, "n": 4, "k": 2, "activation": activation,
                    "incumbent": incumbent, "ratio": ratio}  # fmt: skip

        entries = [entry("none", "cublasLtMatmul", 1.25), entry("none", "mysgemm", 0.8), entry("gelu", "mysgemm", 1.0),
                   entry("none", "myblas strict", 3.0), entry("relu", "mysgemm", 1.25, "N")]  # fmt: skip
        self.assertEqual(
            performance.fused_table(entries)[-2:],
            ["| TN 8 × 4 × 2 | 1.250 ×, +25.0% |  | +0.0% |", "| NN 8 × 4 × 2 |  | -20.0% |  |"],
        )

    def test_handles_are_a_table(self):
        times = {"create_us": 1.0, "first_call_us": 20.04, "second_call_us": 9.0, "destroy_us": 0.5}
        first = {"library": "myblas", "file": None, "handle": "first"} | times
        later = {"library": "cublas", "file": "libcublas.so.13", "handle": "later", "churn_us": 31.0} | times
        lines = performance.handles_table({"results": [first, later]}, [])
        self.assertEqual(lines[2:], [
            "| myblas | first | 1.0 | 20.0 | 9.0 | 0.5 |  |",
            "| cublas (libcublas.so.13) | later | 1.0 | 20.0 | 9.0 | 0.5 | 31.0 |",
        ])  # fmt: skip

    def test_a_report_tells_who_computed(self):
        report = """myblas-cublas-preload: python3, process 7: loaded, 6 calls seen, 4 served (Sgemm 4), 2 forwarded
routine              shape     served          ms forwarded          ms
Sgemm                small          1       0.010         0       0.000  served by: gemv (1)
Sgemm                large          3       0.120         1       0.001
    served by: stream_k/128x64 (2), none: nothing to compute (1)
    forwarded: an argument is wrong (1)
LtMatmul             large          0       0.000         1       0.001
    forwarded: the compute type is not FP32 (1)
total                               4       0.130         2       0.002
"""
        self.assertEqual(
            turns.calls_in(report),
            {
                "served": {"Sgemm": 4},
                "kernels": {"stream_k/128x64": 2, "gemv": 1, "none: nothing to compute": 1},
                "forwarded": {"Sgemm": 1, "LtMatmul": 1},
                "reasons": {"an argument is wrong": 1, "the compute type is not FP32": 1},
            },
        )
        self.assertEqual(turns.calls_in("myblas-cublas-preload: python3, process 7: loaded, 0 calls seen\n")["served"], {})

    def test_programs_are_a_table_for_each_suite(self):
        entry = {"suite": "PyTorch 2", "program": "mm 4096", "served": "Sgemm 1", "kernels": "", "forwarded": "",
                 "reasons": "", "plain": 0.0025, "strict": 0.002, "fast": 0.0005, "strict_ratio": 1.25,
                 "fast_ratio": 5.0, "noise": 0.01, "plain_error": 1e-6, "strict_error": 5e-7,
                 "fast_error": 2e-7}  # fmt: skip
        slower = entry | {"program": "dot", "served": "", "strict_ratio": 0.9, "forwarded": "Sdot 1",
                          "reasons": "no GPU can be used 1"}  # fmt: skip
        old = {"suite": "CuPy", "program": "mm", "plain": 1.0, "strict_ratio": 1.0, "fast_ratio": 2.0}
        lines = substitution_tables.programs([old, entry, slower])
        self.assertEqual([line for line in lines if line.endswith(":")], ["PyTorch 2:", "CuPy:"])
        self.assertIn("| mm 4096 | Sgemm 1 | 2.5 | 1.25 | 5.00 | 0.010 | 1.0e-06 | 5.0e-07 | 2.0e-07 |", lines)
        self.assertIn("| mm | not counted | 1000 | 1.00 | 2.00 |  |  |  |  |", lines)
        self.assertTrue(any("| dot | forwarded: Sdot 1 (no GPU can be used 1) |" in line for line in lines))
        self.assertIn("Slower than plain by more than 3%: dot strict 0.90 (noise 0.01).", lines)


def measure_parts(folder, parts):
    """run_gpu.sh with one or a few shapes of each sweep, on the host: its result, and its output folder."""
    stand_in = folder / "build/bin/myblas-bench"
    stand_in.parent.mkdir(parents=True)
    stand_in.write_text(f"""#!/bin/sh
if [ "$1" = accuracy ]; then
    shift 3
    exec "{BENCH}" accuracy --backend host -n 16,24 -k 8,40 --data uniform,lognormal-8 "$@"
fi
shift 2
if [ "$1" = --device ]; then
    echo "NVIDIA H200"
    exit
fi
exec "{BENCH}" "$@" --backend host --every 94 --repeats 1
""")
    stand_in.chmod(0o755)
    results = folder / "results"
    command = [str(FOLDER / "run_gpu.sh"), "-o", str(results), str(folder / "build"), *parts]
    return subprocess.run(command, capture_output=True, text=True, timeout=300), results


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
        self.assertEqual([folder.name for folder in self.results.iterdir()], ["h200"])
        self.assertEqual({file.stem for file in (self.results / "h200").iterdir()}, set(PARTS))
        for file in (self.results / "h200").iterdir():
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
        plots = sorted((page.parent / "plots/h200").iterdir())
        text = page.read_text()
        self.assertEqual(text.count("\n## "), 1)
        self.assertEqual(text.count("\n### "), len(PARTS) + 1)  # and one for what several parts show
        self.assertEqual(text.count("](plots/"), len(plots))
        self.assertEqual(self.performance("--check")[0], 0)

        # Drawn again, the bytes are the same. All is well-formed, and has colours for dark pages.
        drawn = [plot.read_bytes() for plot in plots]
        for picture in drawn:
            self.assertEqual(picture.count(b"prefers-color-scheme:dark"), 1)
            ElementTree.fromstring(picture)
        self.performance(python=python)
        self.assertEqual([plot.read_bytes() for plot in plots], drawn)

        with self.subTest("other results"):
            part = self.results / "h200/sum.json"
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
            self.assertEqual(page.read_text().count("\n### "), len(PARTS))
            part.write_text(measured)

    def test_the_readme_shows_what_was_measured_of_blas(self):
        def entry(n, ratio, incumbent="cublasSsyrk", trans="N"):
            return {"routine": "syrk", "uplo": "L", "trans": trans, "n": n, "k": n, "kernel": "some",
                    "gflops": 25e3, "time_us": 5.0, "incumbent": incumbent, "incumbent_us": 5.0 * ratio,
                    "ratio": ratio}  # fmt: skip

        context = {"gpu": "NVIDIA H200", "cpu": None, "commit": "abc"}
        results = [entry(4096, 1.25), entry(4096, 3.0, "myblas strict"), entry(4096, 9.0, trans="T"),
                   entry(100, 0.5)]  # fmt: skip
        with tempfile.TemporaryDirectory() as temporary:
            results_of = pathlib.Path(temporary)
            self.assertEqual(render.rates_of_level3(results_of), [])
            folder = results_of / "h200"
            folder.mkdir()
            for mode in ("strict", "fast"):
                text = json.dumps({"context": context, "results": results})
                (folder / f"level3_{mode}.json").write_text(text)
            table = render.rates_of_level3(results_of)
            self.assertIn("| syrk LN | 4096 | 25.0 (1.25 ×) | 20.0 | 25.0 (1.25 ×) |", table)
            self.assertEqual(len([line for line in table if line.startswith("| syrk")]), 1)
            lines = render.ratios_of_blas(folder)
            self.assertEqual(len(lines), 2)  # modes beside each other are on the performance page
            self.assertEqual(lines[0], "| level 3 but sgemm, strict | cuBLAS | 3 | 1.78 | 0.50 |")

    def test_pages_have_a_part_for_each_gpu_and_the_readme_the_first(self):
        committed = FOLDER / "results"
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            results, readme, ladder_page = folder / "results", folder / "README.md", folder / "ladder.md"
            for page, names in ((readme, ["sweeps"]), (ladder_page, ["overview", "rungs", "ladder"])):
                page.write_text("".join(f"<!-- {name}:begin -->\n<!-- {name}:end -->\n" for name in names))

            def render(*arguments):
                command = [sys.executable, str(FOLDER / "render.py"), "--results", str(results),
                           "--readme", str(readme), "--ladder", str(ladder_page), *arguments]  # fmt: skip
                return subprocess.run(command, capture_output=True, text=True, timeout=120)

            def both_pages():
                return readme.read_text() + ladder_page.read_text()

            def headings():
                text, plots = performance.render(results)
                return [line for line in text.splitlines() if line.startswith("## ")], plots

            shutil.copytree(committed / "h100", results / "h100")
            self.assertEqual(headings()[0], ["## NVIDIA H100 80GB HBM3"])
            self.assertEqual(render().stderr, "")
            self.assertIn("on one NVIDIA H100 80GB HBM3", readme.read_text())
            of_h100 = both_pages()

            for file in (results / "h100").iterdir():
                (results / "h200").mkdir(exist_ok=True)
                text = file.read_text().replace("NVIDIA H100 80GB HBM3", "NVIDIA H200")
                (results / "h200" / file.name).write_text(text)
            found, plots = headings()
            self.assertEqual(found, ["## NVIDIA H200", "## NVIDIA H100 80GB HBM3"])
            self.assertEqual({pathlib.Path(plot).parent.name for plot in plots}, {"h200", "h100"})
            self.assertEqual(render("--check").returncode, 1)
            self.assertEqual(render().stderr, "")
            self.assertEqual(
                both_pages(), of_h100.replace("NVIDIA H100 80GB HBM3", "NVIDIA H200")
            )

            # Of a family of kernels the fastest is a rung.
            ladder = results / "h200/ladder_sgemm.json"
            text = ladder.read_text().replace('"warp_tile"', '"warp_tile/256x128"')
            ladder.write_text(text.replace('"warp_tile_64x64"', '"warp_tile/64x64"'))
            self.assertEqual(render().stderr, "")
            self.assertEqual(
                both_pages().replace("`warp_tile/256x128`", "`warp_tile`"),
                of_h100.replace("NVIDIA H100 80GB HBM3", "NVIDIA H200"),
            )

            # What the first GPU lacks comes from the next.
            (results / "h200/ladder_sum.json").unlink()
            self.assertEqual(render().stderr, "")
            self.assertEqual(ladder_page.read_text().count("NVIDIA H100 80GB HBM3, driver"), 1)
            ladder.write_text(ladder.read_text().replace('"coalesced"', '"another"'))
            self.assertEqual(render().stderr, "")
            self.assertEqual(ladder_page.read_text().count("NVIDIA H100 80GB HBM3, driver"), 2)

            # What all of them lack is said to be newer.
            ladder = results / "h100/ladder_sgemm.json"
            ladder.write_text(ladder.read_text().replace('"coalesced"', '"another"'))
            self.assertEqual(render().stderr, "")
            self.assertIn("| `coalesced` | | | | newer than these results |", ladder_page.read_text())

            # The code that the page shows is that of the sources.
            self.assertEqual(render("--check").returncode, 0)
            ladder_page.write_text(ladder_page.read_text().replace("float acc = 0;", "float acc = 1;", 1))
            self.assertEqual(render("--check").returncode, 1)


FIRST_RUNG = """\
// Rung 1, first: an idea,
// in two lines.
//
// Operation: C = A B.
// New: something. It
// goes on.
// Bound: loads, 2 of them. More.
// Shared memory: none.
// Launch: 32 threads.
// Accepts: all.
//
//   row 0   t0
//
//       1   t1

constexpr int hidden = 1;
// docs/ladder.md
constexpr int shown{1}; // not the end: {

void kernel() {
    for (int k = 0; k < 2; ++k) // docs/ladder.md
#pragma unroll
        for (int i = 0; i < 4; ++i)
            f(k,
              i);
    hidden();
}
"""

SECOND_RUNG = """\
// Rung 2, second: another idea.
//
// New: more.
// Bound: time. And space.
// Shared memory: none.
// Launch: 64 threads.
// Accepts: all.
//
//   t0
void kernel() {
    while (true) { // docs/ladder.md
        for (int k = 0; k < 2; ++k) {
            g(k);
        }
    }
}
"""


class RungsTest(unittest.TestCase):
    def rungs_of(self, sources):
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            for name in ("ladder", "simt"):
                (folder / name).mkdir()
            for name, text in sources.items():
                (folder / name).write_text(text)
            return rungs.all_rungs(folder)

    def test_a_source_describes_its_rung(self):
        # The second one is a production kernel, beside one that is no rung.
        first, second = self.rungs_of({"ladder/01_first.cu": FIRST_RUNG, "simt/other.cu": SECOND_RUNG,
                                       "simt/none.cu": "// A kernel."})  # fmt: skip
        self.assertEqual((first.number, first.name, first.idea), (1, "first", "an idea, in two lines"))
        self.assertEqual(first.fields["New"], "something. It goes on.")
        self.assertEqual(first.limit(), "loads, 2 of them")
        self.assertEqual(first.sketch, ["row 0   t0", "", "    1   t1"])
        self.assertEqual(
            [piece for _, piece in first.code],
            [
                ["constexpr int shown{1}; // not the end: {"],
                [
                    "for (int k = 0; k < 2; ++k)",
                    "#pragma unroll",
                    "    for (int i = 0; i < 4; ++i)",
                    "        f(k,",
                    "          i);",
                ],
            ],
        )
        self.assertIn("| 2 | [`second`](#rung-2-second) | another idea | time |", rungs.overview([first, second]))
        self.assertEqual(
            rungs.sections([first, second])[-8:],
            [
                "```diff",
                "+ while (true) {",
                "+     for (int k = 0; k < 2; ++k) {",
                "+         g(k);",
                "+     }",
                "+ }",
                "```",
                "",
            ],
        )

    def test_new_lines_are_marked(self):
        before = ["for (;;) {", "    f();", "}"]
        now = ["while (true) {", "    for (;;) {", "", "        f();", "        g();", "    }", "}"]
        marked = ["+ while (true) {", "      for (;;) {", "", "          f();", "+         g();", "+     }", "+ }"]
        self.assertEqual(rungs.mark_new(now, before), marked)

    def test_a_source_that_is_no_rung_is_refused(self):
        first = {"ladder/01_first.cu": FIRST_RUNG}
        second = "ladder/02_second.cu"
        for name, sources, message in (
            ("no title", first | {second: SECOND_RUNG.replace("Rung 2, ", "")}, "does not begin with"),
            ("another number", first | {second: SECOND_RUNG.replace("Rung 2", "Rung 3")}, "describes rung 3, second"),
            ("a number twice", first | {"simt/x.cu": SECOND_RUNG.replace("Rung 2", "Rung 1")}, r"numbered \[1, 1\]"),
            ("a gap", {second: SECOND_RUNG}, r"numbered \[2\]"),
            ("no field", first | {second: SECOND_RUNG.replace("// New: more.\n", "")}, "lacks New"),
            ("no sketch", first | {second: SECOND_RUNG.replace("//\n//   t0\n", "")}, "lacks a sketch"),
            ("no code", first | {second: SECOND_RUNG.replace(" // docs/ladder.md", "")}, "mark no code"),
            ("no end", first | {second: SECOND_RUNG.replace("}", "")}, "no statement ends after while"),
        ):  # fmt: skip
            with self.subTest(name), self.assertRaisesRegex(measurements.Problem, message):
                self.rungs_of(sources)

    def test_the_rungs_are_in_the_order_of_the_registry(self):
        registry = (rungs.SGEMM / "registry.cpp").read_text()
        at = [registry.index(f"cuda::sgemm_{rung.name}") for rung in rungs.all_rungs()]
        self.assertEqual(at, sorted(at))


if __name__ == "__main__":
    unittest.main()
