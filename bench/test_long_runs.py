#!/usr/bin/env python3
"""Long runs of myblas-bench on the host backend: their progress, going on after an interruption, CSV on standard output,
and replays of a program's calls.

usage: test_long_runs.py PATH_TO_MYBLAS_BENCH
"""

import copy
import csv
import io
import json
import os
import pathlib
import pty
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BENCH = str(pathlib.Path(sys.argv.pop(1)).resolve())
BRIEF = ["--backend", "host", "--min-time", "0", "--repeats", "2"]
SWEEP = ["--sweep", "random", "-f", "sum,gemv,sgemm", "--every", "100", "--seed", "1"]


def run(*arguments, options=BRIEF, **environment):
    return subprocess.run(
        [BENCH, *arguments, *options], capture_output=True, text=True, timeout=120, env=os.environ | environment
    )


def case_of(entry):
    outcomes = {"time_us", "time_us_min", "time_us_max", "incumbent_us", "ratio", "gflops", "gbps", "max_err"}
    return json.dumps({name: value for name, value in entry.items() if name not in outcomes})


def table_of(output):
    """The rows without what differs from run to run."""
    lines = output.splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("case"))
    lines = lines[begin + 1 : lines.index("", begin)]
    return [line.split()[:3] for line in lines if not line.startswith(" ")]  # others are of incumbents


class Test(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.file = self.folder / "result.json"

    def assert_refused(self, done, *words):
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)


class ProgressTest(Test):
    def on_terminal(self, *arguments, **environment):
        """What a run shows on a terminal as its standard error, and its standard output, which is none."""
        master, slave = pty.openpty()
        command = [BENCH, *SWEEP, *BRIEF, *arguments]
        settings = os.environ | {"TERM": "xterm"} | environment
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=slave, text=True, env=settings)
        os.close(slave)
        shown = b""
        while True:
            try:
                shown += os.read(master, 65536)
            except OSError:  # the end
                break
        os.close(master)
        output, _ = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0)
        return shown.decode(), output

    def test_a_terminal_shows_how_far_it_is(self):
        shown, output = self.on_terminal()
        rows = table_of(output)
        self.assertNotIn("\x1b", output)
        self.assertNotIn("\n", shown)
        for done in range(1, len(rows)):
            self.assertRegex(shown, rf"\x1b\[K{done} of {len(rows)} done, \d+ s left; {rows[done][0]} ")
        self.assertTrue(shown.endswith("\x1b[K"), "the last line stays there")
        self.assertLess(max(map(len, shown.split("\r\x1b[K"))), 80)

    def test_nothing_is_shown_elsewhere_or_on_demand(self):
        self.assertEqual(run(*SWEEP).stderr, "")
        self.assertEqual(self.on_terminal("--progress", "never")[0], "")
        self.assertEqual(self.on_terminal(TERM="dumb")[0], "")

    def test_a_file_gets_lines_when_asked_for(self):
        plain, asked = run(*SWEEP), run(*SWEEP, "--progress", "always")
        self.assertEqual(table_of(asked.stdout), table_of(plain.stdout))
        self.assertRegex(asked.stderr, r"\A(\d+ of \d+ done.*; .*\n)+\Z")
        self.assertNotIn("\x1b", asked.stderr)
        self.assert_refused(run("--progress", "sometimes"), "--progress")


class ResumeTest(Test):
    def measure(self, *arguments):
        done = run(*SWEEP, "--json", str(self.file), *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(self.file.read_text()), done.stdout

    def interrupt(self, measured, finished):
        """The file as an interrupted run leaves it: each shape of this sweep has one row."""
        part = measured | {"results": measured["results"][:finished]}
        part["run"] = measured["run"] | {"finished": finished}
        self.file.write_text(json.dumps(part))
        return part

    def test_it_goes_on_where_it_was_interrupted(self):
        whole, _ = self.measure()
        shapes = len(whole["results"])
        self.assertEqual(whole["run"], {"shapes": shapes, "finished": shapes, "all_passed": True})
        part = self.interrupt(whole, 5)
        resumed, output = self.measure("--resume", "--progress", "never")
        self.assertEqual(len(table_of(output)), shapes - 5)
        self.assertEqual(resumed["results"][:5], part["results"])
        self.assertEqual(list(map(case_of, resumed["results"])), list(map(case_of, whole["results"])))
        self.assertEqual(resumed["context"], whole["context"])
        self.assertEqual(resumed["run"], whole["run"])
        self.assertEqual([g["cases"] for g in resumed["summary"]], [g["cases"] for g in whole["summary"]])
        again, output = self.measure("--resume")
        self.assertEqual((again["results"], table_of(output)), (resumed["results"], []))

    def test_a_seed_that_was_drawn_is_kept(self):
        sweep = [option for option in SWEEP if option not in ("--seed", "1")]
        named = ["--json", str(self.file)]
        unknown = {"MYBLAS_COMMIT": "unknown"}  # from which no seed follows
        self.assertEqual(run(*sweep, *named, **unknown).returncode, 0)
        whole = json.loads(self.file.read_text())
        self.interrupt(whole, 5)
        self.assertEqual(run(*sweep, *named, "--resume", **unknown).returncode, 0)
        resumed = json.loads(self.file.read_text())
        self.assertEqual(list(map(case_of, resumed["results"])), list(map(case_of, whole["results"])))

    def test_without_a_file_it_begins(self):
        measured, _ = self.measure("--resume")
        self.assertEqual(measured["run"]["finished"], len(measured["results"]))

    def test_an_interrupted_run_is_not_overwritten_by_accident(self):
        whole, _ = self.measure()
        shapes = len(whole["results"])
        self.interrupt(whole, 5)
        before = self.file.read_text()
        named = ["--json", str(self.file)]
        for other in (SWEEP, ["-n", "8"], ["accuracy", "-n", "8", "-k", "8"]):
            self.assert_refused(
                run(*other, *named, options=[]), str(self.file), f"5 of {shapes}", "--resume", "--force"
            )
        self.assertEqual(self.file.read_text(), before)
        self.assert_refused(run(*SWEEP, *named, "--resume", "--force"), "--resume", "--force")
        again, _ = self.measure("--force")
        self.assertEqual((again["run"], again["context"]["command"]), (whole["run"], whole["context"]["command"]))
        self.measure()  # a run that is complete may be replaced

    def test_a_wrong_result_is_remembered(self):
        part = self.interrupt(self.measure()[0], 5)
        part["run"]["all_passed"] = False
        self.file.write_text(json.dumps(part))
        self.assertEqual(run(*SWEEP, "--json", str(self.file), "--resume").returncode, 1)

    def test_a_file_of_another_form_is_refused(self):
        part = self.interrupt(self.measure()[0], 5)
        for keys, value in (
            (["results"], [7]),
            (["results"], {}),
            (["run", "shapes"], 1e300),
            (["run", "shapes"], -1),
            (["context", "seed"], 1e300),
        ):
            wrong = copy.deepcopy(part)
            at = wrong
            for key in keys[:-1]:
                at = at[key]
            at[keys[-1]] = value
            self.file.write_text(json.dumps(wrong))
            self.assert_refused(
                run(*SWEEP, "--json", str(self.file), "--resume"), str(self.file), "no file of a run"
            )

    def test_a_killed_run_leaves_whole_shapes(self):
        sweep = ["--sweep", "random", "-f", "sum", "--every", "25", "--seed", "1", "--json", str(self.file)]
        options = ["--backend", "host", "--min-time", "0.01"]
        process = subprocess.Popen([BENCH, *sweep, *options], stdout=subprocess.DEVNULL)
        give_up = time.monotonic() + 60
        finished = 0
        while finished < 3 and time.monotonic() < give_up:
            time.sleep(0.01)
            if self.file.exists():
                finished = json.loads(self.file.read_text())["run"]["finished"]
        process.send_signal(signal.SIGKILL)
        self.assertEqual(process.wait(), -signal.SIGKILL)
        left = json.loads(self.file.read_text())
        self.assertEqual(len(left["results"]), left["run"]["finished"])
        self.assertGreaterEqual(len(left["results"]), 3)
        self.assertEqual(run(*sweep, "--resume", options=options).returncode, 0)
        whole = json.loads(self.file.read_text())
        self.assertEqual(whole["results"][: len(left["results"])], left["results"])
        self.assertEqual(len(whole["results"]), whole["run"]["shapes"])
        self.assertEqual(list(self.folder.iterdir()), [self.file])

    def test_another_run_is_refused(self):
        whole, _ = self.measure()
        before = self.file.read_text()
        named = ["--json", str(self.file), "--resume"]
        self.assert_refused(run(*SWEEP, "--verify", *named), str(self.file), "command")
        self.assert_refused(run(*SWEEP, *named, MYBLAS_COMMIT="0123abcd"), "commit", "0123abcd")
        self.assertEqual(self.file.read_text(), before)
        self.file.write_text("{}")
        self.assert_refused(run(*SWEEP, *named), str(self.file))
        self.assert_refused(run(*SWEEP, "--resume"), "--json")
        self.assertTrue(whole["results"])


class CsvTest(Test):
    def test_standard_output_is_csv_alone(self):
        done = run(*SWEEP, "--csv", "-", "--json", str(self.file))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        results = json.loads(self.file.read_text())["results"]
        self.assertEqual(len(rows), len(results))
        for row, entry in zip(rows, results):
            self.assertNotIn(None, row)  # more cells than columns
            self.assertEqual({n: v for n, v in row.items() if v}, {
                n: v if isinstance(v, str) else json.dumps(v) for n, v in entry.items() if v is not None
            })  # fmt: skip

    def test_a_comma_does_not_make_a_column(self):
        done = run("--sweep", "bare", "-f", "sgemm", "--every", "5", "--math", "fast", "--csv", "-")
        incumbents = {row["incumbent"] for row in csv.DictReader(io.StringIO(done.stdout))}
        self.assertIn("myblas, lent workspace", incumbents)


class ReplayTest(Test):
    @staticmethod
    def call(function, calls, **sizes):
        plain = {"side": "L", "uplo": "L", "transa": "N", "transb": "N", "diag": "N", "m": 1, "n": 1, "k": 1,
                 "lda": 0, "ldb": 0, "ldc": 0, "incx": 1, "incy": 1, "batch": 1, "pointer_array": False}  # fmt: skip
        return {"function": function, "calls": calls} | plain | sizes

    def replay(self, calls, *arguments):
        log = self.folder / "log"
        log.write_text("".join(json.dumps(call) + "\n" for call in calls))
        done = run("replay", str(log), "--verify", "--json", str(self.file), *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(self.file.read_text()), done.stdout

    def test_calls_are_timed_as_they_were_made(self):
        measured, output = self.replay([
            self.call("sgemm", 2, transa="T", m=20, n=30, k=40, lda=41, ldb=40, ldc=20),
            self.call("GemmStridedBatchedEx", 7, m=8, n=9, k=10, lda=8, ldb=10, ldc=8, batch=3),
            self.call("sgemm", 3, transa="T", m=20, n=30, k=40, lda=41, ldb=40, ldc=20),
            self.call("Strsm", 1, side="R", uplo="U", diag="U", m=30, n=20, k=20, lda=20, ldb=31),
            self.call("Sgemv", 4, transa="T", m=50, n=60, lda=52, incx=2, incy=2),
            self.call("Isamax", 5, n=1000),
            self.call("somatcopy", 6, transa="T", m=30, n=40, lda=30, ldb=40),
        ])  # fmt: skip
        found = {(e["routine"], e["calls"]): e for e in measured["results"]}
        self.assertEqual(set(found), {("sgemm", 5), ("sgemm", 7), ("trsm", 1), ("gemv", 4), ("iamax", 5),
                                      ("transpose", 6)})  # fmt: skip
        wanted = {"transa": "T", "transb": "N", "m": 20, "n": 30, "k": 40, "lda": 41, "batch": 1}
        self.assertLessEqual(wanted.items(), found["sgemm", 5].items())
        self.assertEqual(found["sgemm", 7]["batch"], 3)
        self.assertLessEqual({"side": "R", "uplo": "U", "diag": "U", "ldb": 31}.items(), found["trsm", 1].items())
        self.assertLessEqual({"trans": "T", "lda": 52, "incx": 2}.items(), found["gemv", 4].items())
        for entry in measured["results"]:
            self.assertIsNotNone(entry["max_err"])
        products = [group for group in measured["summary"] if group["routine"] == "sgemm"]
        for group in products:
            entries = [e for e in measured["results"] if e["incumbent"] == group["incumbent"]]
            entries = [e for e in entries if e["routine"] == "sgemm"]
            self.assertEqual(group["calls"], 12)
            self.assertAlmostEqual(group["total_us"], sum(e["calls"] * e["time_us"] for e in entries), places=2)
        if products:
            self.assertRegex(output, r"  all 12 calls: \S+ ms, by \S+ \S+ ms ")

    def test_what_cannot_be_timed_is_said(self):
        measured, output = self.replay([
            self.call("sdot", 1, n=10),
            self.call("SgemmGroupedBatched", 2, m=4, n=4, k=4),
            self.call("sdot", 3, n=10, incx=2, incy=1),
            self.call("sdot", 4, n=11, incx=-1, incy=-1),
            self.call("somatcopy", 5, m=3, n=4, lda=3, ldb=3),
            self.call("sgemm", 6, m=10, n=10, k=10, lda=9, ldb=10, ldc=10),
            {"left_out": 7},
        ])  # fmt: skip
        self.assertEqual([e["routine"] for e in measured["results"]], ["dot"])
        self.assertEqual([e["calls"] for e in measured["skipped"]], [2, 3, 4, 5, 6, 7])
        for entry, reason in zip(measured["skipped"], ["no such routine", "differ", "not positive", "transposing",
                                                       "--lda = 9", "no place"]):  # fmt: skip
            self.assertIn(reason, entry["reason"])
        self.assertEqual(output.count("left out: "), 6)

    def test_a_replay_can_be_resumed_and_piped(self):
        calls = [self.call("sdot", n, n=n) for n in (10, 20, 30)]
        whole, _ = self.replay(calls)
        part = whole | {"results": whole["results"][:1], "run": whole["run"] | {"finished": 1}}
        self.file.write_text(json.dumps(part))
        resumed, output = self.replay(calls, "--resume")
        self.assertEqual((resumed["run"], len(table_of(output))), (whole["run"], 2))
        rows = csv.DictReader(io.StringIO(run("replay", str(self.folder / "log"), "--csv", "-").stdout))
        self.assertEqual([row["calls"] for row in rows], ["30", "20", "10"])  # those with most work first

    def test_numbers_that_no_log_has_are_refused(self):
        log = self.folder / "log"
        for fields, word in (
            ({"calls": -3}, "-3 calls"),
            ({"calls": 1e300}, "no call"),
            ({"m": 1e300}, "no call"),
            ({"incy": 0.5}, "no call"),
        ):
            log.write_text(json.dumps(self.call("sgemm", 1) | fields) + "\n")
            self.assert_refused(run("replay", str(log)), str(log), "line 1", word)

    def test_sums_of_calls_end_at_the_largest_number(self):
        measured, _ = self.replay([self.call("dgemm", 2**63 - 1)] * 2 + [self.call("sdot", 2**63 - 1, n=9)] * 2)
        self.assertEqual([e["calls"] for key in ("skipped", "results") for e in measured[key]], [2**63 - 1] * 2)

    def test_another_log_is_refused(self):
        calls = [self.call("sdot", n, n=n) for n in (10, 20, 30)]
        whole, _ = self.replay(calls)
        log = self.folder / "log"
        for others in (calls[:2], [*calls[:2], self.call("sdot", 30, n=31)]):
            log.write_text("".join(json.dumps(call) + "\n" for call in others))
            done = run("replay", str(log), "--verify", "--json", str(self.file), "--resume")
            self.assert_refused(done, str(self.file), "shapes")
        self.assertEqual(json.loads(self.file.read_text()), whole)

    def test_what_is_no_log_is_refused(self):
        log = self.folder / "log"
        self.assert_refused(run("replay", str(log)), "log cannot be read")
        log.write_text(json.dumps(self.call("sdot", 1, n=10)) + "\nno call\n")
        self.assert_refused(run("replay", str(log)), f"{log}, line 2")
        log.write_text(json.dumps(self.call("sdot", 1, n="ten")) + "\n")
        self.assert_refused(run("replay", str(log)), f"{log}, line 1")
        log.write_text("")
        self.assert_refused(run("replay", str(log)), "no call")
        self.assert_refused(run("replay"), "log")
        self.assert_refused(run("--verify", "replay", str(log)), "--verify")


if __name__ == "__main__":
    unittest.main()
