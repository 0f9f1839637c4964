"""python -m myblas plot: what it reads, the sketch that it prints, and its errors."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import myblas  # noqa: F401
from myblas import _plot


def row(n, time_us, incumbent_us=None, **others):
    ratio = None if incumbent_us is None else incumbent_us / time_us
    return {
        "routine": "sgemm", "m": n, "n": n, "k": n, "batch": 1, "math": "fast", "time_us": time_us,
        "incumbent": None if ratio is None else "cublasSgemm", "ratio": ratio,
        "gflops": 2 * n**3 / time_us / 1e3, **others,
    }  # fmt: skip


CONTEXT = {
    "gpu": "a GPU",
    "commit": "abc",
    "ceilings": {"fma_gflops": 60000.0, "copy_gbps": 4000.0},
}


class Plot(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, rows, context=CONTEXT):
        (self.folder / name).write_text(json.dumps({"context": context, "results": rows}))

    def plot(self, *arguments):
        return subprocess.run(
            [sys.executable, "-m", "myblas", "plot", *arguments],
            capture_output=True,
            text=True,
            cwd=self.folder,
        )

    def test_sketch(self):
        self.write("r.json", [row(64, 10, 5), row(128, 10, 20), row(128, 10, 45)])
        answer = self.plot("r.json", "--text")
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        title, name, small, large = answer.stdout.splitlines()
        self.assertEqual(title, "r.json: a GPU, commit abc")
        self.assertEqual(name.strip(), "sgemm fast / cublasSgemm")
        # The geometric mean of 2 and 4.5 is 3: the longest bar; 0.5 ends left of the mark at 1.
        self.assertEqual(small.split(), ["64", "0.5", "x", "#######", "|"])
        self.assertEqual(large.split()[:3], ["128", "3", "x"])
        self.assertEqual(large.count("#") + large.count("|"), _plot.SKETCH_WIDTH)
        self.assertEqual(large.index("|"), small.index("|"))

    def test_without_incumbent(self):
        self.write("r.json", [row(64, 10)])
        self.assertIn("52.43 Gflop/s", self.plot("r.json", "--text").stdout)
        rows = [{**row(64, 10), "gflops": None, "gbps": 123.0}, {**row(99, 1), "time_us": 0}]
        self.write("r.json", rows)
        self.assertIn("123 GB/s", self.plot("r.json", "--text").stdout)

    def test_two_runs(self):
        self.write("r.json", [row(64, 10, 5), row(128, 10, 20)])
        self.write("s.json", [row(64, 5, 5), row(128, 20, 20), row(256, 7, 7)])
        answer = self.plot("r.json", "s.json", "--text").stdout
        self.assertIn("  sgemm fast: 1.000 over 2 cases, 0.500 to 2.000", answer)
        self.write("t.json", [row(999, 5, 5)])
        self.assertIn("no case in common", self.plot("r.json", "t.json", "--text").stdout)

    def test_wrong_files(self):
        (self.folder / "text.json").write_text("no json")
        (self.folder / "other.json").write_text("[1]")
        self.write("empty.json", [])
        for file, reason in (
            ("nowhere.json", "No such file"),
            ("text.json", "no results of myblas-bench"),
            ("other.json", "no results of myblas-bench"),
            ("empty.json", "no measurement"),
        ):
            answer = self.plot(file)
            self.assertEqual((answer.returncode, answer.stdout), (2, ""))
            self.assertIn(f"{file}: ", answer.stderr)
            self.assertIn(reason, answer.stderr)
        answer = self.plot("r.json", "-o", "r.bmp")
        self.assertEqual(answer.returncode, 2)
        self.assertIn("ends in .svg, .png or .pdf", answer.stderr)

    def test_reads_what_the_bench_writes(self):
        command = "bench -n 16,32 --min-time 0 --repeats 2 --json r.json".split()
        subprocess.run(
            [sys.executable, "-m", "myblas", *command],
            check=True,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
        )
        answer = self.plot("r.json", "--text")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertRegex(answer.stdout, r"sgemm strict")
        self.assertRegex(answer.stdout, r"\n +16 +[0-9.e+]+ .*#")

    def test_roofline_numbers(self):
        # Three operands of n^2 floats: 2 n^3 / (12 n^2).
        self.assertAlmostEqual(_plot.intensity(row(600, 1)), 100)
        self.assertIsNone(_plot.intensity({**row(600, 1), "routine": "sum"}))

    def test_reader_that_has_enough(self):
        self.write("r.json", [row(64 << i, 10, 5) for i in range(9)])
        reader, writer = os.pipe()
        os.close(reader)
        command = [sys.executable, "-m", "myblas", "plot", "r.json", "--text"]
        with open(writer, "wb") as closed:
            answer = subprocess.run(command, cwd=self.folder, stdout=closed, stderr=subprocess.PIPE)
        self.assertEqual((answer.returncode, answer.stderr), (0, b""))

    def test_without_matplotlib(self):
        self.write("r.json", [row(64, 10, 5)])
        (self.folder / "matplotlib.py").write_text("raise ImportError\n")
        answer = self.plot("r.json")  # the current folder comes first with -m
        self.assertEqual(answer.returncode, 0)
        self.assertIn("#", answer.stdout)
        self.assertIn("pip install matplotlib", answer.stderr)
        self.assertEqual(self.plot("r.json", "-o", "r.svg").returncode, 1)


if __name__ == "__main__":
    unittest.main()
