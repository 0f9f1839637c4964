"""Long runs of myblas-bench on the host backend: progress, continuation after an interruption, CSV
on standard output, and replays of a program's calls.
"""

import csv
import functools
import io
import json
import operator
import os
import pty
import re
import signal
import subprocess
import time

import pytest
from runs import BENCH, ON_HOST, assert_refused, start

SWEEP = ["--sweep", "random", "-f", "sum,gemv,sgemm", "--every", "100", "--seed", "1"]


def run(*arguments, options=ON_HOST, **environment):
    return start(*arguments, *options, **environment)


def case_of(entry):
    outcomes = {"time_us", "time_us_min", "time_us_max", "incumbent_us", "ratio", "gflops",
                "gbps", "max_err"}  # fmt: skip
    return json.dumps({name: value for name, value in entry.items() if name not in outcomes})


def table_of(output):
    """The rows without the fields that differ from run to run."""
    lines = output.splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("case"))
    lines = lines[begin + 1 : lines.index("", begin)]
    of_incumbent = " "
    return [line.split()[:3] for line in lines if not line.startswith(of_incumbent)]


class InFolder:
    """Tests with a folder of their own."""

    @pytest.fixture(autouse=True)
    def make_folder(self, tmp_path):
        self.folder, self.file = tmp_path, tmp_path / "result.json"


class TestProgress:
    def on_terminal(self, *arguments, **environment):
        """Runs with a terminal as standard error. Returns the text on the terminal, and standard
        output."""
        master, slave = pty.openpty()
        process = subprocess.Popen(
            [BENCH, *SWEEP, *ON_HOST, *arguments], stdout=subprocess.PIPE, stderr=slave, text=True,
            env=os.environ | {"TERM": "xterm"} | environment,
        )  # fmt: skip
        os.close(slave)
        shown = b""
        while True:
            try:
                shown += os.read(master, 65536)
            except OSError:  # the end
                break
        os.close(master)
        output, _ = process.communicate(timeout=120)
        assert process.returncode == 0
        return shown.decode(), output

    def test_a_terminal_shows_how_far_it_is(self):
        shown, output = self.on_terminal()
        rows = table_of(output)
        assert "\x1b" not in output
        assert "\n" not in shown
        for done in range(1, len(rows)):
            line = rf"\x1b\[K{done} of {len(rows)} done, \d+ s left; {rows[done][0]} "
            assert re.search(line, shown)
        assert shown.endswith("\x1b[K"), "the last line stays there"
        assert max(map(len, shown.split("\r\x1b[K"))) < 80

    def test_nothing_is_shown_elsewhere_or_on_demand(self):
        assert run(*SWEEP).stderr == ""
        assert self.on_terminal("--progress", "never")[0] == ""
        assert self.on_terminal(TERM="dumb")[0] == ""

    def test_a_file_gets_lines_when_asked_for(self):
        plain, asked = run(*SWEEP), run(*SWEEP, "--progress", "always")
        assert table_of(asked.stdout) == table_of(plain.stdout)
        assert re.search(r"\A(\d+ of \d+ done.*; .*\n)+\Z", asked.stderr)
        assert "\x1b" not in asked.stderr
        assert_refused(run("--progress", "sometimes"), "--progress")


class TestResume(InFolder):
    def measure(self, *arguments):
        done = run(*SWEEP, "--json", str(self.file), *arguments)
        assert done.returncode == 0, done.stderr
        return json.loads(self.file.read_text()), done.stdout

    def interrupt(self, measured, finished):
        """Shortens the file to that of an interrupted run. Each shape of this sweep has one row."""
        part = measured | {"results": measured["results"][:finished]}
        part["run"] = measured["run"] | {"finished": finished}
        self.file.write_text(json.dumps(part))
        return part

    def test_it_goes_on_where_it_was_interrupted(self):
        whole, _ = self.measure()
        shapes = len(whole["results"])
        assert whole["run"] == {"shapes": shapes, "finished": shapes, "all_passed": True}
        part = self.interrupt(whole, 5)
        resumed, output = self.measure("--resume", "--progress", "never")
        assert len(table_of(output)) == shapes - 5
        assert resumed["results"][:5] == part["results"]
        assert list(map(case_of, resumed["results"])) == list(map(case_of, whole["results"]))
        assert resumed["context"] == whole["context"]
        assert resumed["run"] == whole["run"]
        assert [g["cases"] for g in resumed["summary"]] == [g["cases"] for g in whole["summary"]]
        again, output = self.measure("--resume")
        assert (again["results"], table_of(output)) == (resumed["results"], [])

    def test_a_seed_that_was_drawn_is_kept(self):
        sweep = [option for option in SWEEP if option not in ("--seed", "1")]
        named = ["--json", str(self.file)]
        unknown = {"MYBLAS_COMMIT": "unknown"}  # not a hash, so no seed follows from it
        assert run(*sweep, *named, **unknown).returncode == 0
        whole = json.loads(self.file.read_text())
        self.interrupt(whole, 5)
        assert run(*sweep, *named, "--resume", **unknown).returncode == 0
        resumed = json.loads(self.file.read_text())
        assert list(map(case_of, resumed["results"])) == list(map(case_of, whole["results"]))

    def test_without_a_file_it_begins(self):
        measured, _ = self.measure("--resume")
        assert measured["run"]["finished"] == len(measured["results"])

    def test_an_interrupted_run_is_not_overwritten_by_accident(self):
        whole, _ = self.measure()
        shapes = len(whole["results"])
        self.interrupt(whole, 5)
        before = self.file.read_text()
        named = ["--json", str(self.file)]
        for other in (SWEEP, ["-n", "8"], ["accuracy", "-n", "8", "-k", "8"]):
            refused = run(*other, *named, options=[])
            assert_refused(refused, str(self.file), f"5 of {shapes}", "--resume", "--force")
        assert self.file.read_text() == before
        assert_refused(run(*SWEEP, *named, "--resume", "--force"), "--resume", "--force")
        again, _ = self.measure("--force")
        assert again["run"] == whole["run"]
        assert again["context"]["command"] == whole["context"]["command"]
        self.measure()  # a complete run may be replaced

    def test_a_wrong_result_is_remembered(self):
        part = self.interrupt(self.measure()[0], 5)
        part["run"]["all_passed"] = False
        self.file.write_text(json.dumps(part))
        assert run(*SWEEP, "--json", str(self.file), "--resume").returncode == 1

    @pytest.mark.parametrize("keys, value", [
        (["results"], [7]),
        (["results"], {}),
        (["run", "shapes"], 1e300),
        (["run", "shapes"], -1),
        (["context", "seed"], 1e300),
    ])  # fmt: skip
    def test_a_file_of_another_form_is_refused(self, keys, value):
        wrong = self.interrupt(self.measure()[0], 5)
        functools.reduce(operator.getitem, keys[:-1], wrong)[keys[-1]] = value
        self.file.write_text(json.dumps(wrong))
        refused = run(*SWEEP, "--json", str(self.file), "--resume")
        assert_refused(refused, str(self.file), "no file of a run")

    def test_a_killed_run_leaves_whole_shapes(self):
        sweep = "--sweep random -f sum --every 25 --seed 1 --json".split() + [str(self.file)]
        options = ["--backend", "host", "--min-time", "0.01"]
        process = subprocess.Popen([BENCH, *sweep, *options], stdout=subprocess.DEVNULL)
        give_up = time.monotonic() + 60
        finished = 0
        while finished < 3 and time.monotonic() < give_up:
            time.sleep(0.01)
            if self.file.exists():
                finished = json.loads(self.file.read_text())["run"]["finished"]
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        left = json.loads(self.file.read_text())
        assert len(left["results"]) == left["run"]["finished"]
        assert len(left["results"]) >= 3
        assert run(*sweep, "--resume", options=options).returncode == 0
        whole = json.loads(self.file.read_text())
        assert whole["results"][: len(left["results"])] == left["results"]
        assert len(whole["results"]) == whole["run"]["shapes"]
        assert list(self.folder.iterdir()) == [self.file]

    def test_another_run_is_refused(self):
        whole, _ = self.measure()
        before = self.file.read_text()
        named = ["--json", str(self.file), "--resume"]
        assert_refused(run(*SWEEP, "--verify", *named), str(self.file), "command")
        assert_refused(run(*SWEEP, *named, MYBLAS_COMMIT="0123abcd"), "commit", "0123abcd")
        assert self.file.read_text() == before
        self.file.write_text("{}")
        assert_refused(run(*SWEEP, *named), str(self.file))
        assert_refused(run(*SWEEP, "--resume"), "--json")
        assert whole["results"]


class TestCsv(InFolder):
    def test_standard_output_is_csv_alone(self):
        done = run(*SWEEP, "--csv", "-", "--json", str(self.file))
        assert (done.returncode, done.stderr) == (0, "")
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        results = json.loads(self.file.read_text())["results"]
        assert len(rows) == len(results)
        for row, entry in zip(rows, results):
            assert None not in row  # more cells than columns
            text = {n: v if isinstance(v, str) else json.dumps(v) for n, v in entry.items()}
            assert {n: v or "null" for n, v in row.items()} == dict.fromkeys(row, "null") | text

    def test_a_comma_does_not_make_a_column(self):
        done = run("--sweep", "bare", "-f", "sgemm", "--every", "5", "--math", "fast", "--csv", "-")
        incumbents = {row["incumbent"] for row in csv.DictReader(io.StringIO(done.stdout))}
        assert "myblas, lent workspace" in incumbents


class TestReplay(InFolder):
    @staticmethod
    def call(function, calls, **sizes):
        plain = {"side": "L", "uplo": "L", "transa": "N", "transb": "N", "diag": "N", "m": 1,
                 "n": 1, "k": 1, "lda": 0, "ldb": 0, "ldc": 0, "incx": 1, "incy": 1, "batch": 1,
                 "pointer_array": False}  # fmt: skip
        return {"function": function, "calls": calls} | plain | sizes

    def replay(self, calls, *arguments):
        log = self.folder / "log"
        log.write_text("".join(json.dumps(call) + "\n" for call in calls))
        done = run("replay", str(log), "--verify", "--json", str(self.file), *arguments)
        assert done.returncode == 0, done.stderr
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
        assert set(found) == {("sgemm", 5), ("sgemm", 7), ("trsm", 1), ("gemv", 4), ("iamax", 5),
                                      ("transpose", 6)}  # fmt: skip
        wanted = {"transa": "T", "transb": "N", "m": 20, "n": 30, "k": 40, "lda": 41, "batch": 1}
        assert wanted.items() <= found["sgemm", 5].items()
        assert found["sgemm", 7]["batch"] == 3
        wanted = {"side": "R", "uplo": "U", "diag": "U", "ldb": 31}
        assert wanted.items() <= found["trsm", 1].items()
        assert {"trans": "T", "lda": 52, "incx": 2}.items() <= found["gemv", 4].items()
        for entry in measured["results"]:
            assert entry["max_err"] is not None
        products = [group for group in measured["summary"] if group["routine"] == "sgemm"]
        for group in products:
            entries = [e for e in measured["results"] if e["incumbent"] == group["incumbent"]]
            entries = [e for e in entries if e["routine"] == "sgemm"]
            assert group["calls"] == 12
            total = sum(e["calls"] * e["time_us"] for e in entries)
            assert group["total_us"] == pytest.approx(total, abs=5e-3)
        if products:
            assert re.search(r"  all 12 calls: \S+ ms, by \S+ \S+ ms ", output)

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
        assert [e["routine"] for e in measured["results"]] == ["dot"]
        assert [e["calls"] for e in measured["skipped"]] == [2, 3, 4, 5, 6, 7]
        reasons = "no such routine|differ|not positive|transposing|--lda = 9|no place".split("|")
        for entry, reason in zip(measured["skipped"], reasons):
            assert reason in entry["reason"]
        assert output.count("left out: ") == 6

    def test_a_replay_can_be_resumed_and_piped(self):
        calls = [self.call("sdot", n, n=n) for n in (10, 20, 30)]
        whole, _ = self.replay(calls)
        part = whole | {"results": whole["results"][:1], "run": whole["run"] | {"finished": 1}}
        self.file.write_text(json.dumps(part))
        resumed, output = self.replay(calls, "--resume")
        assert (resumed["run"], len(table_of(output))) == (whole["run"], 2)
        printed = run("replay", str(self.folder / "log"), "--csv", "-").stdout
        rows = csv.DictReader(io.StringIO(printed))
        assert [row["calls"] for row in rows] == ["30", "20", "10"]  # those with most work first

    @pytest.mark.parametrize("fields, word", [
        ({"calls": -3}, "-3 calls"),
        ({"calls": 1e300}, "no call"),
        ({"m": 1e300}, "no call"),
        ({"incy": 0.5}, "no call"),
    ])  # fmt: skip
    def test_numbers_that_no_log_has_are_refused(self, fields, word):
        log = self.folder / "log"
        log.write_text(json.dumps(self.call("sgemm", 1) | fields) + "\n")
        assert_refused(run("replay", str(log)), str(log), "line 1", word)

    def test_sums_of_calls_end_at_the_largest_number(self):
        most = 2**63 - 1
        calls = [self.call("dgemm", most), self.call("sdot", most, n=9)]
        measured, _ = self.replay([call for call in calls for _ in range(2)])
        entries = measured["skipped"] + measured["results"]
        assert [entry["calls"] for entry in entries] == [most] * 2

    def test_another_log_is_refused(self):
        calls = [self.call("sdot", n, n=n) for n in (10, 20, 30)]
        whole, _ = self.replay(calls)
        log = self.folder / "log"
        for others in (calls[:2], [*calls[:2], self.call("sdot", 30, n=31)]):
            log.write_text("".join(json.dumps(call) + "\n" for call in others))
            done = run("replay", str(log), "--verify", "--json", str(self.file), "--resume")
            assert_refused(done, str(self.file), "shapes")
        assert json.loads(self.file.read_text()) == whole

    def test_what_is_no_log_is_refused(self):
        log = self.folder / "log"
        assert_refused(run("replay", str(log)), "log cannot be read")
        log.write_text(json.dumps(self.call("sdot", 1, n=10)) + "\nno call\n")
        assert_refused(run("replay", str(log)), f"{log}, line 2")
        log.write_text(json.dumps(self.call("sdot", 1, n="ten")) + "\n")
        assert_refused(run("replay", str(log)), f"{log}, line 1")
        log.write_text("")
        assert_refused(run("replay", str(log)), "no call")
        assert_refused(run("replay"), "log")
        assert_refused(run("--verify", "replay", str(log)), "--verify")
