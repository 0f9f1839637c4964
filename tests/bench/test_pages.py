"""The pages that the bench writes from results: rows, tables, plots, the rungs of the ladder."""

import gc
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import engine_tables
import machine
import measurements
import overview
import performance
import pytest
import python_tables
import ratio_maps
import render
import roofline
import rows
import rungs
import substitution_tables
import turns
import worker
from runs import BENCH, SCRIPTS

PARTS = ["sgemm_strict_public", "sgemm_strict_misaligned", "sgemm_strict_random", "sgemm_batched",
         "sgemm_strict_classes", "sgemm_emulated_public", "sgemm_fast_public", "sgemm_fast_random",
         "sgemm_emulated_bare", "sgemm_fast_bare", "sgemm_accuracy", "fused_strict",
         "fused_emulated", "fused_fast", "level3_strict", "level3_emulated", "level3_fast",
         "level2", "level1", "transpose", "transpose_cold", "transpose_random", "sum",
         "sum_cold"]  # fmt: skip

# ---- Rows ----------------------------------------------------------------------------------------


def product(n, ratio, incumbent="other"):
    return {"routine": "sgemm", "transa": "N", "transb": "T", "m": 10, "n": n, "k": 5, "batch": 1,
            "kernel": "some", "incumbent": incumbent, "ratio": ratio}  # fmt: skip


def test_classes_are_by_work_and_all_come_last():
    sizes = (99_999, 100_000, 999_999, 10**6, 10**7, 10**8, 10**9)
    groups = rows.by_class([product(n, 1.5) for n in sizes])
    assert {name: len(group) for name, group in groups.items()} == {
        "under 10 MFLOP": 1, "10 to 100 MFLOP": 2, "100 MFLOP to 1 GFLOP": 1, "1 to 10 GFLOP": 1,
        "above 10 GFLOP": 2, "all": 7,
    }  # fmt: skip
    entry = {"routine": "transpose", "m": 500, "n": 249, "elem_bytes": 4, "kernel": "some"}
    assert rows.class_of(entry) == "under 1 MB"
    assert rows.class_of(entry | {"n": 250}) == "1 to 10 MB"


def test_a_summary_says_what_its_rows_say():
    entries = [product(i, 0.5 + i / 100) for i in (70, 3, 20, 41, 100, 55, 8)]
    found = rows.Summary(entries)
    assert (found.cases, found.worst["n"]) == (7, 3)
    assert found.mean == pytest.approx(statistics.geometric_mean(e["ratio"] for e in entries))
    assert found.fifth == pytest.approx(0.53 + 0.3 * 0.05)  # 0.3 of the way to the second
    one = rows.Summary(entries[:1])
    assert (one.cases, one.mean, one.fifth) == (1, 1.2, 1.2)


def test_routines_of_blas_are_named_and_counted_by_their_rows():
    solution = {"routine": "trsm", "side": "L", "uplo": "U", "trans": "N", "diag": "N", "m": 40,
                "n": 40, "lda": 40, "kernel": "some", "gflops": 12.8, "time_us": 5.0,
                "incumbent_us": 10.0}  # fmt: skip
    assert rows.case_name(solution) == "LUNN 40x40 some"
    assert rows.is_square(solution)
    assert rows.flops(solution) == pytest.approx(40**3)
    assert rows.incumbent_rate(solution) == pytest.approx(0.0064)
    assert rows.class_of(solution) == "under 10 MFLOP"
    update = {"routine": "syrk", "uplo": "L", "trans": "T", "n": 40, "k": 7, "lda": 7,
              "kernel": "some"}  # fmt: skip
    assert (rows.case_name(update), rows.is_square(update)) == ("LT 40x7 some", False)
    vector = {"routine": "dot", "n": 8, "kernel": "some", "gbps": 0.0128, "time_us": 5.0}
    assert rows.case_name(vector) == "n=8 some"
    assert rows.moved_bytes(vector) == pytest.approx(64)
    symv = {"routine": "symv", "uplo": "U", "n": 8, "lda": 8, "kernel": "some"}
    assert (rows.form_of(symv), rows.case_name(symv)) == ("U", "U 8 some")


def test_cases_are_grouped_by_incumbent():
    groups = rows.by_incumbent([product(1, 2.0, "a"), product(1, 3.0, "b"), product(2, None, "a")])
    assert {key[1]: len(group) for key, group in groups.items()} == {"a": 1, "b": 1}


# ---- Plots and tables ----------------------------------------------------------------------------


def test_a_plot_shows_what_is_there_and_is_left_out_without_what_it_needs():
    by_name = {shown.name: shown for shown in overview.OVERVIEWS}
    energy, accuracy = {"sgemm_energy": {"results": []}}, {"sgemm_accuracy": {"results": []}}
    assert by_name["accuracy"].of(energy) == {}
    assert by_name["accuracy"].of(energy | accuracy) == energy | accuracy
    assert by_name["roofline"].of(energy) == {}


def test_labels_keep_their_order_and_their_distance():
    places = roofline.spread([1.0, 1.01, 1.02, 3.0], 0.5)
    assert all(b - a > 0.499 for a, b in zip(places, places[1:])), places
    assert places[3] == 3.0


def test_sizes_fall_into_cells():
    bins = {1: 0, 7: 0, 8: 1, 63: 1, 64: 2, 512: 3, 4096: 4, 10**6: 4}
    assert {size: ratio_maps.bin_of(size, 8) for size in bins} == bins


def test_the_committed_regret_is_whole():
    for file in (SCRIPTS / "results").glob("*/regret.json"):
        regret = json.loads(file.read_text())
        for mode, quantiles in regret["quantiles"].items():
            of_mode = {row["set"]: row for row in regret["results"] if row["mode"] == mode}
            assert quantiles == sorted(quantiles)
            assert (quantiles[0], quantiles[-1]) == (1.0, of_mode["all"]["worst"])
            calls = sum(row["calls"] for name, row in of_mode.items() if name != "all")
            assert calls == of_mode["all"]["calls"]


def test_fused_products_are_a_table_of_ratios_and_costs():
    def entry(activation, incumbent, ratio, trans="T"):
        return {"transa": trans, "transb": "N", "m": 8, "n": 4, "k": 2, "activation": activation,
                "incumbent": incumbent, "ratio": ratio}  # fmt: skip

    entries = [
        entry("none", "cublasLtMatmul", 1.25),
        entry("none", "mysgemm", 0.8),
        entry("gelu", "mysgemm", 1.0),
        entry("none", "myblas strict", 3.0),
        entry("relu", "mysgemm", 1.25, "N"),
    ]
    assert performance.fused_table(entries)[-2:] == [
        "| TN 8 × 4 × 2 | 1.250 ×, +25.0% |  | +0.0% |",
        "| NN 8 × 4 × 2 |  | -20.0% |  |",
    ]


def test_handles_are_a_table():
    times = {"create_us": 1.0, "first_call_us": 20.04, "second_call_us": 9.0, "destroy_us": 0.5}
    first = {"library": "myblas", "file": None, "handle": "first"} | times
    later = {"library": "cublas", "file": "libcublas.so.13", "handle": "later"} | times
    later["churn_us"] = 31.0
    lines = performance.handles_table({"results": [first, later]}, [])
    assert lines[2:] == [
        "| myblas | first | 1.0 | 20.0 | 9.0 | 0.5 |  |",
        "| cublas (libcublas.so.13) | later | 1.0 | 20.0 | 9.0 | 0.5 | 31.0 |",
    ]  # fmt: skip


def test_a_report_tells_who_computed():
    first_line = "myblas-cublas-preload: python3, process 7: loaded, 6 calls seen\n"
    report = """routine              shape     served          ms forwarded          ms
Sgemm                small          1       0.010         0       0.000  served by: gemv (1)
Sgemm                large          3       0.120         1       0.001
    served by: stream_k/128x64 (2), none: nothing to compute (1)
    forwarded: an argument is wrong (1)
LtMatmul             large          0       0.000         1       0.001
    forwarded: the compute type is not FP32 (1)
total                               4       0.130         2       0.002
"""
    assert turns.calls_in(first_line + report) == {
        "served": {"Sgemm": 4},
        "kernels": {"stream_k/128x64": 2, "gemv": 1, "none: nothing to compute": 1},
        "forwarded": {"Sgemm": 1, "LtMatmul": 1},
        "reasons": {"an argument is wrong": 1, "the compute type is not FP32": 1},
    }
    assert turns.calls_in(first_line)["served"] == {}


def test_programs_are_a_table_for_each_suite():
    entry = {"suite": "PyTorch 2", "program": "mm 4096", "served": "Sgemm 1", "kernels": "",
             "forwarded": "", "reasons": "", "plain": 0.0025, "strict": 0.002, "fast": 0.0005,
             "strict_ratio": 1.25, "emulated_ratio": 4.5, "fast_ratio": 5.0, "noise": 0.01,
             "plain_error": 1e-6, "strict_error": 5e-7, "emulated_error": 3e-7,
             "fast_error": 2e-7}  # fmt: skip
    slower = entry | {"program": "dot", "served": "", "strict_ratio": 0.9, "forwarded": "Sdot 1",
                      "reasons": "no GPU can be used 1"}  # fmt: skip
    old = {"suite": "CuPy", "program": "mm", "plain": 1, "strict_ratio": 1, "fast_ratio": 2}
    lines = substitution_tables.programs([old, entry, slower])
    assert [line for line in lines if line.endswith(":")] == ["PyTorch 2:", "CuPy:"]
    figures = "2.5 | 1.25 | 4.50 | 5.00 | 0.010 | 1.0e-06 | 5.0e-07 | 3.0e-07 | 2.0e-07"
    assert f"| mm 4096 | Sgemm 1 | {figures} |" in lines
    assert "| mm | not counted | 1000 | 1.00 |  | 2.00 |  |  |  |  |  |" in lines
    assert any("| dot | forwarded: Sdot 1 (no GPU can be used 1) |" in line for line in lines)
    assert "Slower than plain by more than 3%: dot strict 0.90 (noise 0.01)." in lines


def test_programs_are_chosen_by_name():
    class Planted:
        def run(self):
            pass

        def error(self):
            return 1e-7

    start = finish = staticmethod(lambda: None)
    programs = dict.fromkeys(["attention 8", "attention 16", "mm 8"], Planted)
    suite = type("Suite", (), {"NAME": "some", "PROGRAMS": programs, "start": start,
                               "finish": finish})  # fmt: skip
    prepared = {}
    answer = worker.prepare(suite, prepared, "^att.* 8|mm", True)
    gc.enable()  # which timing does without
    assert list(prepared) == list(answer["errors"]) == ["attention 8", "mm 8"]
    assert list(worker.prepare(suite, {}, "", False)["errors"]) == list(programs)
    gc.enable()


def test_a_file_of_several_runs_names_the_commits_of_all():
    run = {"commit": "b", "command": "measure programs", "date": "2026"}
    assert machine.of_all_runs(run, None) == machine.of_all_runs(run, {}) == run
    both = machine.of_all_runs(run, run | {"commit": "a", "date": "2025"})
    assert both == run | {"commit": "a; b"}
    assert machine.of_all_runs(run, both) == both


# ---- Pages of results --------------------------------------------------------------------------


STAND_IN = f"""#!/bin/sh
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
"""


def measure_parts(folder, parts):
    """run_gpu.sh with one or a few shapes of each sweep, on the host: its result and its folder."""
    stand_in = folder / "build/bin/myblas-bench"
    stand_in.parent.mkdir(parents=True)
    stand_in.write_text(STAND_IN)
    stand_in.chmod(0o755)
    results = folder / "results"
    command = [SCRIPTS / "run_gpu.sh", "-o", results, folder / "build", *parts]
    return subprocess.run(command, capture_output=True, text=True, timeout=300), results


@pytest.fixture(scope="module")
def measured_parts(tmp_path_factory):
    return measure_parts(tmp_path_factory.mktemp("parts"), PARTS)


def run_script(name, *arguments):
    command = [sys.executable, SCRIPTS / name, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=600)


def test_each_part_writes_its_file(measured_parts):
    done, results = measured_parts
    assert done.returncode == 0, done.stdout + done.stderr
    assert [folder.name for folder in results.iterdir()] == ["h200"]
    assert {file.stem for file in (results / "h200").iterdir()} == set(PARTS)
    for file in (results / "h200").iterdir():
        assert json.loads(file.read_text())["summary"], file.name


def test_an_unknown_part_measures_nothing(tmp_path):
    refused, output = measure_parts(tmp_path, ["sum", "nonsense"])
    assert refused.returncode == 2
    assert not output.exists()


# Writes a line for each run, and its file; histogram takes long unless it is continued.
PLANTED_BENCH = """#!/bin/sh
if [ "$3" = --device ]; then
    echo "NVIDIA H200"
    exit
fi
for word; do
    [ "$before" != --json ] || file=$word
    before=$word
done
echo "${file%.json} $CUDA_VISIBLE_DEVICES $before" >>../../../runs
echo '"commit": "abc"' >"$file"
sleep 0.3
[ "$file$before" != histogram.json--force ] || sleep 60
[ "$file" != gemsum.json ]
"""


def test_parts_are_spread_over_gpus_and_continued_after_a_cut(tmp_path):
    bench, header = tmp_path / "b/bin/myblas-bench", tmp_path / "b/bench/generated/build_commit.h"
    for path, text in ((bench, PLANTED_BENCH), (header, 'build_commit = "abc";')):
        path.parent.mkdir(parents=True)
        path.write_text(text)
    bench.chmod(0o755)
    results, log = tmp_path / "results/h200", tmp_path / "runs"

    def measure(*arguments):
        command = [SCRIPTS / "run_gpu.sh", "-g", "4,7", "-o", results.parent, *arguments]
        command.append(bench.parents[1])
        parts = ["sum", "enqueue", "histogram", "gemsum", "level1"]
        done = subprocess.run([*command, *parts], capture_output=True, text=True, timeout=60)
        runs = [line.split() for line in log.read_text().splitlines()]
        log.unlink()
        return done.returncode, runs, sorted(file.stem for file in results.glob("*.json"))

    status, runs, files = measure("-t", "3")
    assert status == 1
    assert runs[0] == ["enqueue", "4", "--force"]  # which times the host
    assert sorted(part for part, *_ in runs) == ["enqueue", "gemsum", "histogram", "level1", "sum"]
    assert {gpu for _, gpu, _ in runs} == {"4", "7"}
    assert files == ["enqueue", "level1", "sum"]
    # One was cut, one had a wrong result.
    assert sorted(f.stem for f in (results / "unfinished").iterdir()) == ["gemsum", "histogram"]

    status, runs, files = measure("-r")
    assert sorted((part, last) for part, _, last in runs) == [
        ("gemsum", "--resume"), ("histogram", "--resume")
    ]  # fmt: skip
    assert (status, files) == (1, ["enqueue", "histogram", "level1", "sum"])

    # Files of another commit do not count.
    header.write_text('build_commit = "abd";')
    assert len(measure("-r")[1]) == 5


def test_the_page_and_its_plots_follow_the_results(measured_parts, tmp_path):
    pytest.importorskip("matplotlib")
    results, page = measured_parts[1], tmp_path / "docs/performance.md"

    def performance_page(*arguments):
        return run_script("performance.py", "--results", results, "--page", page, *arguments)

    done = performance_page()
    assert (done.returncode, done.stderr) == (0, "")
    plots = sorted((page.parent / "plots/h200").iterdir())
    text = page.read_text()
    assert text.count("\n## ") == 1
    assert text.count("\n### ") == len(PARTS) + 1  # and one for what several parts show
    assert text.count("](plots/") == len(plots)
    assert performance_page("--check").returncode == 0

    # Drawn again, the bytes are the same. All is well-formed, and has colours for dark pages.
    drawn = [plot.read_bytes() for plot in plots]
    for picture in drawn:
        assert picture.count(b"prefers-color-scheme:dark") == 1
        ElementTree.fromstring(picture)
    performance_page()
    assert [plot.read_bytes() for plot in plots] == drawn

    # Other results, another page, a section without results
    part = results / "h200/sum.json"
    measured = part.read_text()
    part.write_text(measured + "\n")
    assert performance_page("--check").returncode == 1
    part.write_text(measured)
    page.write_text(text + "faster\n")
    assert performance_page("--check").returncode == 1
    page.write_text(text)
    part.unlink()
    assert performance_page("--check").returncode == 1
    performance_page()
    assert page.read_text().count("\n### ") == len(PARTS)
    part.write_text(measured)


def test_the_readme_shows_what_was_measured_of_blas(tmp_path):
    def entry(n, ratio, incumbent="cublasSsyrk", trans="N"):
        return {"routine": "syrk", "uplo": "L", "trans": trans, "n": n, "k": n, "kernel": "some",
                "gflops": 25e3, "time_us": 5.0, "incumbent": incumbent,
                "incumbent_us": 5.0 * ratio, "ratio": ratio}  # fmt: skip

    context = {"gpu": "NVIDIA H200", "cpu": None, "commit": "abc"}
    results = [entry(4096, 1.25), entry(4096, 3.0, "myblas strict"), entry(4096, 9.0, trans="T"),
               entry(100, 0.5)]  # fmt: skip
    assert render.rates_of_level3(tmp_path) == []
    folder = tmp_path / "h200"
    folder.mkdir()
    for mode in ("strict", "fast"):
        text = json.dumps({"context": context, "results": results})
        (folder / f"level3_{mode}.json").write_text(text)
    table = render.rates_of_level3(tmp_path)
    assert "| syrk LN | 4096 | 25.0 (1.25 ×) | 20.0 | 25.0 (1.25 ×) |" in table
    assert len([line for line in table if line.startswith("| syrk")]) == 1
    lines = render.ratios_of_blas(measurements.files_of(folder))
    assert len(lines) == 2  # modes beside each other are on the performance page
    assert lines[0] == ("level 3 but sgemm, strict", "cuBLAS", 3, "1.78", "0.50")


def test_the_readme_shows_the_gpu_that_was_measured_last(tmp_path):
    def measure(gpu, part, date):
        (tmp_path / gpu).mkdir(exist_ok=True)
        text = json.dumps({"context": {"gpu": gpu, "date": date}})
        (tmp_path / gpu / f"{part}.json").write_text(text)

    def shown():
        files = measurements.latest_files(tmp_path, ["a", "b"], ["c"])
        return {part: measured["context"]["gpu"] for part, measured in files.items()}

    assert shown() == {}
    measure("h100", "c", "2026-09")
    assert shown() == {}
    measure("h200", "a", "2026-02")
    measure("h100", "b", "2026-02")
    assert shown() == {"a": "h200"}  # which comes first
    measure("h100", "a", "2026-03")
    assert shown() == {"a": "h100", "b": "h100", "c": "h100"}


def test_the_python_package_is_a_part_of_its_page():
    ratio = {f"{mode}_ratio": 1.25 for mode in ("strict", "emulated", "fast")}
    error = {f"{name}_error": 1e-7 for name in ("plain", "strict", "emulated", "fast")}
    run = {"plain": 0.002, "noise": 0.01} | ratio | error
    calls = {"plain": 5.0, "preload": 4.0, "python": 12.3, "plain again": 5.0}
    row = {"n": 1024, "mode": "strict", "library": 40.0, "matmul": 50.0, "ratio": 0.8}
    measured = {
        "context": {"gpu": "NVIDIA H200", "commit": "abc", "date": "2026-01-02T", "command": "me"},
        "products": {"suite": "PyTorch 2", "programs": [{"program": "mm 64"} | run]},
        "training": {"shape": "a shape", "steps": 20} | run,
        "calls": {"mm 64": calls, "bmm 64": calls | {"compiled": 4.5}},
        "cupy": {"package": "CuPy 14", "microseconds": [row]},
        "jax": {"package": "JAX 1", "microseconds": [row | {"matmul": 80.0, "ratio": 0.5}]},
        "emulation": {"n": 8192, "requests": [
            {"request": "A", "us": 5000.0, "ratio": 4.0, "error": 1e-7},
            {"request": "B", "us": 5000.0, "ratio": 4.0, "error": 1e-7, "cublas_us": 20000.0,
             "cublas_error": 2e-7},
        ]},
    }  # fmt: skip
    files = {"python": measured}
    lines = python_tables.of_package(files)
    errors = "1.0e-07 | 1.0e-07 | 1.0e-07 |"
    assert f"| mm 64 | 2 | 1.25 | 1.25 | 1.25 | 0.010 | {errors}" in lines
    assert f"| a step | 2 | 1.25 | 1.25 | 1.25 | 0.010 | 1.0e-07 | {errors}" in lines
    assert "| mm 64 | 5.0 | 4.0 | 12.3 |" in lines  # not compiled for all
    assert "| 1024 | strict | 50 | 0.80 | 80 | 0.50 |" in lines
    assert lines[-2].endswith("2026-01-02: `me`")
    lines = python_tables.of_emulation(files)
    assert "| `A` | refused |  | 5.00 | 4.00 | 1.0e-07 |" in lines
    assert "| `B` | 20.00 | 2.0e-07 | 5.00 | 4.00 | 1.0e-07 |" in lines
    assert python_tables.of_package({}) == python_tables.of_emulation({}) == []


def planted_engines():
    """cuBLASMp on two GPUs, what one takes, and host matrices, plain without a GPU."""
    rows_of = {
        ("cuBLASMp", "torch.mm", 1): {"plain": 100.0, "fast": 25.0},
        ("cuBLASMp", "AG+GEMM", 2): {"plain": 52.0, "fast": 13.0},
        ("BLAS of host matrices", "sgemm_", 2): {"fast": 40.0},
        ("BLAS of host matrices", "sgemm_", 0): {"plain": 8000.0},
    }
    results = [
        {"engine": engine, "work": work, "n": 1000, "gpus": gpus, "mode": mode, "ms": ms,
         "error": 2e-7, "is_right": True}
        for (engine, work, gpus), by_mode in rows_of.items() for mode, ms in by_mode.items()
    ]  # fmt: skip
    jobs = [
        {"part": "host", "gpus": 2, "mode": "fast", "status": "ended", "served": "sgemm 4",
         "kernels": "some 4", "forwarded": "sdot 1", "reasons": "too small 1"},
        {"part": "jax", "gpus": 2, "mode": "fast", "status": "status 1"},
    ]  # fmt: skip
    context = {"gpu": "2 x GPU", "commit": "c", "date": "2026-01-01", "command": "measure.py",
               "versions": {"JAX": "1.2"}}  # fmt: skip
    links = [{"gpus": 2, "up": 1.0, "down": 0.5, "both": 1.2, "ring": 9.0}]
    return {"context": context, "links": links, "results": results, "jobs": jobs}


def test_engines_are_compared_with_plain_and_with_one_gpu(tmp_path):
    (tmp_path / "gpux2").mkdir()
    (tmp_path / "gpux2/engines.json").write_text(json.dumps(planted_engines()))
    text, plots = performance.render(tmp_path)
    assert "## 2 x GPU" in text
    assert "| AG+GEMM | 1000 | 1 | 100 | 25 (4.00 ×) |  |" in text
    assert "| AG+GEMM | 1000 | 2 | 52 | 13 (4.00 ×) | 1.92, 1.92 |" in text
    # 8 MB go up at 1 GB/s, 4 MB come down at half of that, all of it takes 10 ms.
    assert "| sgemm_ | 1000 | 2 | 8000 | 40 (200.00 ×) | –, – | 10 |" in text
    assert "| host | 2 | fast | some 4 | sdot 1 (too small 1) |" in text
    assert "cut off: jax, fast, 2 GPUs (status 1)." in text
    assert "With JAX 1.2." in text
    (name,) = plots
    plot, shown, digest = plots[name]
    assert [work.name for work in engine_tables.drawn(shown)] == ["AG+GEMM"]
    performance.draw(plot, shown, digest, tmp_path / "engines.svg")
    assert "AG+GEMM, 1000" in (tmp_path / "engines.svg").read_text()
    brief = render.engines_in_brief(tmp_path)
    assert "| cuBLASMp | AG+GEMM | 1000 | 2 | 52 | 13 (4.00 ×) |" in brief
    assert not any("sgemm_" in line for line in brief)
    assert any("sgemm_" in line for line in render.engines(tmp_path))


def test_pages_have_a_part_for_each_gpu_and_the_readme_the_first(tmp_path):
    h100, h200 = "NVIDIA H100 80GB HBM3", "NVIDIA H200"
    results, readme, ladder_page = (
        tmp_path / name for name in ("results", "README.md", "docs/ladder.md")
    )
    marked = {"README": ["sweeps"], "docs/ladder": ["overview", "rungs", "ladder"],
              "docs/python": ["measured"], "docs/porting": ["measured"],
              "docs/several_gpus": ["engines"]}  # fmt: skip
    (tmp_path / "docs").mkdir()
    for page, names in marked.items():
        marks = [f"<!-- {name}:{end} -->\n" for name in names for end in ("begin", "end")]
        (tmp_path / f"{page}.md").write_text("".join(marks))

    def render_pages(*arguments):
        return run_script("render.py", "--results", results, "--root", tmp_path, *arguments)

    def both_pages():
        assert render_pages().stderr == ""
        return readme.read_text() + ladder_page.read_text()

    def headings():
        text, plots = performance.render(results)
        return [line for line in text.splitlines() if line.startswith("## ")], plots

    shutil.copytree(SCRIPTS / "results/h100", results / "h100")
    assert headings()[0] == [f"## {h100}"]
    of_h100 = both_pages()
    assert f"on one {h100}" in readme.read_text()

    (results / "h200").mkdir()
    for file in (results / "h100").iterdir():
        (results / "h200" / file.name).write_text(file.read_text().replace(h100, h200))
    found, plots = headings()
    assert found == [f"## {h200}", f"## {h100}"]
    assert {pathlib.Path(plot).parent.name for plot in plots} == {"h200", "h100"}
    assert render_pages("--check").returncode == 1
    assert both_pages() == of_h100.replace(h100, h200)

    # The fastest kernel of a family is a rung.
    ladder = results / "h200/ladder_sgemm.json"
    text = ladder.read_text().replace('"warp_tile"', '"warp_tile/256x128"')
    ladder.write_text(text.replace('"warp_tile_64x64"', '"warp_tile/64x64"'))
    renamed = both_pages().replace("`warp_tile/256x128`", "`warp_tile`")
    assert renamed == of_h100.replace(h100, h200)

    # Results that the first GPU lacks come from the next one.
    (results / "h200/ladder_sum.json").unlink()
    assert both_pages().count(f"{h100}, driver") == 1
    ladder.write_text(ladder.read_text().replace('"coalesced"', '"another"'))
    assert both_pages().count(f"{h100}, driver") == 2

    # Rungs that all of them lack are called newer.
    ladder = results / "h100/ladder_sgemm.json"
    ladder.write_text(ladder.read_text().replace('"coalesced"', '"another"'))
    assert "| `coalesced` | | | | newer than these results |" in both_pages()

    # The code that the page shows is that of the sources.
    assert render_pages("--check").returncode == 0
    text = ladder_page.read_text()
    ladder_page.write_text(text.replace("float acc = 0;", "float acc = 1;", 1))
    assert render_pages("--check").returncode == 1


# ---- The rungs of the ladder ---------------------------------------------------------------------

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


def rungs_of(folder, sources):
    for name in ("ladder", "simt"):
        (folder / name).mkdir()
    for name, text in sources.items():
        (folder / name).write_text(text)
    return rungs.all_rungs(folder)


def test_a_source_describes_its_rung(tmp_path):
    # The second one is a production kernel, beside one that is no rung.
    sources = {"simt/other.cu": SECOND_RUNG, "simt/none.cu": "// A kernel."}
    first, second = rungs_of(tmp_path, {"ladder/01_first.cu": FIRST_RUNG} | sources)
    assert (first.number, first.name, first.idea) == (1, "first", "an idea, in two lines")
    assert first.fields["New"] == "something. It goes on."
    assert first.limit() == "loads, 2 of them"
    assert first.sketch == ["row 0   t0", "", "    1   t1"]
    loop = """\
for (int k = 0; k < 2; ++k)
#pragma unroll
    for (int i = 0; i < 4; ++i)
        f(k,
          i);"""
    shown = ["\n".join(piece) for _, piece in first.code]
    assert shown == ["constexpr int shown{1}; // not the end: {", loop]
    row = "| 2 | [`second`](#rung-2-second) | another idea | time |"
    assert row in rungs.overview([first, second])
    assert "\n".join(rungs.sections([first, second])).endswith("""
```diff
+ while (true) {
+     for (int k = 0; k < 2; ++k) {
+         g(k);
+     }
+ }
```
""")


def test_new_lines_are_marked():
    before = ["for (;;) {", "    f();", "}"]
    now = ["while (true) {", "    for (;;) {", "", "        f();", "        g();", "    }", "}"]
    marked = ["+ while (true) {", "      for (;;) {", "", "          f();", "+         g();",
              "+     }", "+ }"]  # fmt: skip
    assert rungs.mark_new(now, before) == marked


WITH_FIRST = {"ladder/01_first.cu": FIRST_RUNG}


@pytest.mark.parametrize("others, file, change, message", [
    (WITH_FIRST, "ladder/02_second.cu", ("Rung 2, ", ""), "does not begin with"),
    (WITH_FIRST, "ladder/02_second.cu", ("Rung 2", "Rung 3"), "describes rung 3, second"),
    (WITH_FIRST, "simt/x.cu", ("Rung 2", "Rung 1"), r"numbered \[1, 1\]"),
    ({}, "ladder/02_second.cu", ("", ""), r"numbered \[2\]"),
    (WITH_FIRST, "ladder/02_second.cu", ("// New: more.\n", ""), "lacks New"),
    (WITH_FIRST, "ladder/02_second.cu", ("//\n//   t0\n", ""), "lacks a sketch"),
    (WITH_FIRST, "ladder/02_second.cu", (" // docs/ladder.md", ""), "mark no code"),
    (WITH_FIRST, "ladder/02_second.cu", ("}", ""), "no statement ends after while"),
])  # fmt: skip
def test_a_source_that_is_no_rung_is_refused(tmp_path, others, file, change, message):
    with pytest.raises(measurements.Problem, match=message):
        rungs_of(tmp_path, others | {file: SECOND_RUNG.replace(*change)})


def test_the_rungs_are_in_the_order_of_the_registry():
    registry = (rungs.SGEMM.parents[1] / "select" / "cuda_registry.cpp").read_text()
    at = [registry.index(f"cuda::sgemm_{rung.name}") for rung in rungs.all_rungs()]
    assert at == sorted(at)
