"""Runs myblas-bench on the host backend: the names in its JSON, its checks, its exit statuses."""

import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess

import measurements
import pytest
import rows
from runs import BENCH, BRIEF, ON_HOST, assert_refused, start, width_of, written_by

WRONG_ROUTINES = os.environ["WRONG_ROUTINES"]  # wrong_routines.c, by CTest

PRODUCT_DATA = ["uniform", "normal", "positive", "lognormal-4", "lognormal-8", "row-scaled",
                "column-scaled", "k-scaled", "graded", "outlier", "near-largest",
                "near-smallest"]  # fmt: skip

CONTEXT = {"gpu", "driver", "cuda", "cublas", "commit", "command", "date", "ceilings"}
COMMON = {
    "routine", "kernel", "math", "n", "elem_bytes", "offset", "timing", "cold", "time_us",
    "time_us_min", "time_us_max", "incumbent", "incumbent_timing",
    "incumbent_us", "ratio", "max_err", "checked", "sm_clock_mhz",
}  # fmt: skip
VECTOR = COMMON | {"incx", "gbps"}
MATRIX_VECTOR = VECTOR | {"lda"}
LEVEL3 = COMMON | {"lda", "gflops", "workspace"}
LEVEL1 = ["asum", "axpy", "copy", "dot", "nrm2", "iamax", "iamin", "scal", "swap", "rot", "rotm"]
LEVEL2 = ["gemv", "ger", "symv", "syr", "syr2", "trmv", "trsv"]
LEVEL3_ROUTINES = ["syrk", "syr2k", "symm", "trmm", "trsm"]

FIELDS = {
    "sgemm": COMMON | {"transa", "transb", "m", "k", "lda", "ldb", "ldc", "batch", "pointer_array",
                       "data", "gflops", "workspace"},
    "sgemmFused": LEVEL3 | {"transa", "transb", "m", "k", "ldb", "ldc", "activation"},
    "transpose": COMMON | {"m", "lda", "ldb", "in_place", "gbps"},
    "gemsum": COMMON | {"transa", "m", "lda", "gbps"},
    "histogram": COMMON | {"data", "gbps"},
    "geam": COMMON | {"transa", "transb", "m", "lda", "ldb", "ldc", "gbps"},
    **dict.fromkeys(["sum", "dsum", *LEVEL1], VECTOR),
    "gemv": MATRIX_VECTOR | {"trans", "m"},
    "ger": MATRIX_VECTOR | {"m"},
    **dict.fromkeys(["symv", "syr", "syr2"], MATRIX_VECTOR | {"uplo"}),
    **dict.fromkeys(["trmv", "trsv"], MATRIX_VECTOR | {"uplo", "trans", "diag"}),
    "syrk": LEVEL3 | {"uplo", "trans", "k", "ldc"},
    "syr2k": LEVEL3 | {"uplo", "trans", "k", "ldb", "ldc"},
    "symm": LEVEL3 | {"side", "uplo", "m", "ldb", "ldc"},
    "trmm": LEVEL3 | {"side", "uplo", "trans", "diag", "m", "ldb", "ldc"},
    "trsm": LEVEL3 | {"side", "uplo", "trans", "diag", "m", "ldb"},
}


def run(*arguments, backend="host", **environment):
    return start(*BRIEF, "--backend", backend, *arguments, **environment)


def has_gpu():
    return run("--device", backend="cuda").returncode == 0


def require_gpu():
    if not has_gpu():
        pytest.skip("no GPU")


def measure(*arguments, backend="host", **environment):
    options = [*BRIEF, "--backend", backend, "--verify"]
    _, text = written_by(*options, *arguments, **environment)
    measured = json.loads(text)
    assert text == measurements.json_text(measured) + "\n"
    return measured


def test_each_case_is_a_line():
    _, text = written_by(*ON_HOST, "--sweep", "random", "-f", "sum,sgemm", "--every", "200")
    cases = [line for line in text.splitlines() if line.startswith('  {"routine"')]
    assert [json.loads(case.rstrip(",")) for case in cases] == json.loads(text)["results"]


@pytest.mark.parametrize("routine", FIELDS)
def test_every_routine_has_its_fields_and_a_verified_result(routine):
    measured = measure("-f", routine, "-n", "100", "--offset", "1")
    assert CONTEXT <= set(measured["context"])
    assert measured["results"]
    for entry in measured["results"]:
        assert (entry["routine"], set(entry)) == (routine, FIELDS[routine])
        assert isinstance(entry["max_err"], float)
        assert entry["time_us_min"] <= entry["time_us"] <= entry["time_us_max"]
        if entry["incumbent"] is not None:
            assert entry["ratio"] >= 0


@pytest.mark.parametrize("form", ["LLNN", "RUTU", "LUTN", "RLNU"])
def test_every_form_of_a_matrix_is_verified(form):
    routines = LEVEL2 + LEVEL3_ROUTINES
    wanted = dict(zip(("side", "uplo", "trans", "diag"), form))
    options = [word for name, letter in wanted.items() for word in (f"--{name}", letter)]
    sizes = "-m 37 -n 45 -k 29 --incx 2 --ld-pad 3 --offset 1".split()
    measured = measure("-f", ",".join(routines), *sizes, *options, "--kernel", "all")
    assert {entry["routine"] for entry in measured["results"]} == set(routines)
    for entry in measured["results"]:
        assert {name: entry.get(name, letter) for name, letter in wanted.items()} == wanted
        if entry["routine"] == "trmm":  # padding, not tight
            assert (entry["lda"], entry["ldb"]) == ((37 if form[0] == "L" else 45) + 3, 40)


def test_the_work_is_that_of_the_routine():
    m, n, k = 40, 56, 24
    triangle = n * (n + 1) / 2
    flops = {"syrk": n * n * k, "syr2k": 2 * n * n * k, "symm": 2 * m * n * m, "trmm": m * n * m,
             "trsm": m * n * m}  # fmt: skip
    floats = {"gemv": m * n + m + n, "ger": 2 * m * n + m + n, "symv": triangle + 2 * n,
              "syr": 2 * triangle + n, "syr2": 2 * triangle + 2 * n, "trmv": triangle + 2 * n,
              "trsv": triangle + 2 * n, "asum": n, "nrm2": n, "iamax": n, "iamin": n, "dot": 2 * n,
              "copy": 2 * n, "scal": 2 * n, "axpy": 3 * n, "swap": 4 * n, "rot": 4 * n,
              "rotm": 4 * n}  # fmt: skip
    longer = 1000  # vectors of n take too little time
    matrices = ["-f", ",".join(LEVEL2 + LEVEL3_ROUTINES), "-m", str(m), "-n", str(n), "-k", str(k)]
    vectors = ["-f", ",".join(LEVEL1), "-n", str(longer * n)]
    for arguments, scale in ((matrices, 1), (vectors, longer)):
        for entry in measure(*arguments)["results"]:
            name = entry["routine"]
            work = flops.get(name) or 4 * scale * floats[name]
            rate = entry["gflops"] if name in flops else entry["gbps"]
            nanoseconds = entry["time_us"] * 1e3
            assert abs(rate * nanoseconds - work) < 0.1 * work + 0.5e-4 * nanoseconds  # rounded


@pytest.mark.parametrize("backend", ["host", "cuda"])
def test_a_wrong_routine_fails(backend):
    if backend == "cuda":
        require_gpu()

    def failed(routines, *arguments, **environment):
        asked = ["-f", ",".join(routines), "-n", "60", "--verify", *arguments]
        done = run(*asked, backend=backend, LD_PRELOAD=WRONG_ROUTINES, **environment)
        assert done.returncode == 1, done.stderr
        found, routine = set(), None  # a long case has a line of its own above the kernel's
        for line in map(str.split, done.stdout.splitlines()):
            routine = line[0] if line and line[0] in routines else routine
            if "FAIL" in line:
                found.add(routine)
        return found

    assert failed(LEVEL1) == set(LEVEL1)
    others = ["sgemmFused", "transpose", "geam", "gemsum"]
    assert failed(others) == failed(others, "--transa", "T") == set(others)
    matrices = LEVEL2 + LEVEL3_ROUTINES
    for form in ([], ["--side", "R", "--uplo", "U", "--trans", "T", "--diag", "U"]):
        assert failed(matrices, *form) == set(matrices)
        written = set(LEVEL3_ROUTINES) | {"ger", "syr", "syr2"}
        assert written <= failed(matrices, "--ld-pad", "2", *form, WRONG="outside")


def test_sizes_are_those_asked_for():
    measured = measure(*"-m 7 -n 5 -k 3 --transa T --lda 4 --ldc 9 --batch 2".split())
    wanted = {"m": 7, "n": 5, "k": 3, "transa": "T", "transb": "N", "lda": 4, "ldb": 3,
              "ldc": 9, "batch": 2}  # fmt: skip
    for entry in measured["results"]:
        assert wanted.items() <= entry.items()


def test_lists_of_sizes_are_measured_in_all_combinations():
    squares = measure("-n", "8,16", "-f", "sgemm,sum")["results"]
    found = {(e["routine"], e.get("m"), e["n"], e.get("k")) for e in squares}
    assert found == {("sgemm", 8, 8, 8), ("sgemm", 16, 16, 16), ("sum", None, 8, None),
                     ("sum", None, 16, None)}  # fmt: skip
    products = measure("-m", "5,7", "-n", "9", "-k", "2,3")["results"]
    found = {(e["m"], e["n"], e["k"]) for e in products}
    assert found == {(m, 9, k) for m in (5, 7) for k in (2, 3)}
    assert_refused(run("-n", "8,0"))


def test_all_kernels_are_measured_or_said_to_be_skipped():
    listed = start("--backend", "host", "--list").stdout
    names = re.findall(r"^host  transpose +(\S+)", listed, re.M)
    assert names
    measured = measure("-f", "transpose", "-m", "20", "-n", "30", "--kernel", "all")
    seen = {entry["kernel"] for entry in measured["results"] + measured["skipped"]}
    assert seen == set(names)


@pytest.mark.parametrize("arguments", [
    "-m 9 -n 8 -k 7 --batch 3 --pointer-array --offset 1",
    "-f transpose -n 65 --in-place --ld-pad 2",
    "-f transpose -m 30 -n 41 --in-place --elem-bytes 2",
])
def test_a_batch_by_pointers_and_a_transpose_in_place_are_verified(arguments):
    for entry in measure(*arguments.split())["results"]:
        assert entry["checked"] == entry["m"] * entry["n"] * entry.get("batch", 1)
        assert entry.get("pointer_array") or entry.get("in_place")


@pytest.mark.parametrize("activation", ("none", "relu", "gelu"))
def test_a_fused_product_is_measured_beside_the_plain_one(activation):
    arguments = ["-m", "33", "-n", "20", "-k", "70", "--transa", "T", "--ld-pad", "1"]
    measured = measure("-f", "sgemmFused", "--activation", activation, *arguments)
    (entry,) = measured["results"]
    assert (entry["activation"], entry["incumbent"]) == (activation, "mysgemm")
    assert entry["checked"] == 33 * 20
    assert entry["max_err"] > 0


def sweep(routine, name, every, *arguments):
    measured = measure("-f", routine, "--sweep", name, "--every", str(every), *arguments)
    assert measured["results"]
    for entry in measured["results"]:
        assert entry["checked"] > 0
    return measured["results"]


def test_sweeps_have_the_shapes_that_they_are_named_for():
    for routine, every in (("sgemm", 113), ("transpose", 16)):
        forms = {
            (entry["lda"] - entry["m"], entry["ldb"] - entry["n"], entry["offset"])
            for entry in sweep(routine, "misaligned", every)
        }
        assert forms == {(1, 1, 0), (0, 0, 1)}
    forms = {(e["transa"], e["pointer_array"]) for e in sweep("sgemm", "batched", 5)}
    assert forms == {("N", False), ("T", False), ("N", True), ("T", True)}
    sizes = {entry["elem_bytes"] for entry in sweep("transpose", "elements", 16)}
    assert sizes == {1, 2, 8, 16}
    assert all(e["in_place"] for e in sweep("transpose", "in-place", 7))
    ragged = [e for e in sweep("sgemm", "batched", 3) if not rows.is_square(e)]
    assert len(ragged) > 10
    for entry in ragged:
        assert 4 <= min(entry[size] for size in "mnk")
    solution = {"LLNN", "LLTN", "RUNN", "RUTN", "RLTN"}
    forms = {"gemv": {"N", "T"}, "symv": {"L", "U"}, "trsv": {"LNN", "LTN", "UNN", "UTN"},
             "syrk": {"LN", "LT"}, "symm": {"LL", "LU", "RL", "RU"}, "trsm": solution}  # fmt: skip
    for routine, wanted in forms.items():
        public = sweep(routine, "public", 1)
        assert {rows.form_of(entry) for entry in public} == wanted
        drawn = sweep(routine, "random", 4)
        sizes = [entry[size] for entry in drawn for size in "mnk" if size in entry]
        assert 16 <= min(sizes) < max(sizes) <= 256
    lengths = [entry["n"] for entry in sweep("sum", "powers", 1)]
    assert sorted(set(lengths)) == [2**i for i in range(21)]


def test_scalars_gaps_shared_operands_and_shuffled_pointers_are_verified():
    sizes = ["-m", "33", "-n", "20", "-k", "17", "--ld-pad", "1", "--offset", "1"]
    for arguments, wanted in (
        (["--alpha", "-1", "--beta", "1"], {"alpha": -1, "beta": 1}),
        (["--beta", "0.5", "--batch", "3", "--batch-gap", "5"], {"beta": 0.5, "batch_gap": 5}),
        (["--batch", "4", "--pointer-array", "--shuffled"], {"shuffled": True}),
        (["--batch", "3", "--share-a"], {"share_a": True}),
        (["--batch", "3", "--batch-gap", "2", "--share-b"], {"batch_gap": 2, "share_b": True}),
    ):
        (entry, *_) = measure(*sizes, *arguments, "--kernel", "reference")["results"]
        names = ("alpha", "beta", "batch_gap", "shuffled", "share_a", "share_b")
        found = {name: entry.get(name) for name in names}
        assert found == dict.fromkeys(found) | wanted
        assert entry["max_err"] > 0


def test_classes_of_products_have_what_they_are_named_for():
    classes = ["general", "updates", "thin", "narrow", "deep", "batches", "networks", "tall"]
    measured = measure("--sweep", ",".join(classes), "--every", "3", "--seed", "3")
    by_class = {}
    for entry in measured["results"]:
        by_class.setdefault(entry["class"], []).append(entry)
    assert list(by_class) == classes
    assert all((e["alpha"], e["beta"]) == (-1, 1) for e in by_class["updates"])
    for name, least, most in (("thin", 17, 160), ("narrow", 1, 16)):
        assert all(least <= min(e["m"], e["n"]) <= most for e in by_class[name])
    assert all(min(e["m"], e["n"]) <= 16 and e["k"] <= 512 for e in by_class["tall"])
    assert all(max(e["m"], e["n"]) >= 1000 for e in by_class["tall"])
    assert all(e["k"] >= 1000 and max(e["m"], e["n"]) <= 128 for e in by_class["deep"])
    assert {e["pointer_array"] for e in by_class["batches"]} == {False, True}
    drawn = [e for e in measured["results"] if e["class"] != "networks"]
    assert len({e.get("beta", 0) for e in drawn}) > 2
    pads = [e["lda"] > (e["k"] if e["transa"] == "T" else e["m"]) for e in drawn]
    assert any(pads) and not all(pads)
    summary = [(group["class"], group["cases"]) for group in measured["summary"]]
    assert sorted(set(name for name, _ in summary)) == sorted(classes)
    for group in measured["summary"]:
        same = [e for e in by_class[group["class"]] if e["incumbent"] == group["incumbent"]]
        assert group["percentile_5"] == pytest.approx(rows.Summary(same).fifth, abs=5e-4)


def test_random_shapes_follow_from_the_seed():
    def shapes(routine, seed):
        entries = sweep(routine, "random", 100, "--seed", str(seed))
        return [(e["m"], e["n"], e.get("k"), e.get("transa"), e.get("transb")) for e in entries]

    for routine in ("sgemm", "transpose"):
        first = shapes(routine, 1)
        assert first == shapes(routine, 1)
        assert first != shapes(routine, 2)


def test_the_seed_follows_from_the_commit():
    def seed(*arguments, **environment):
        return measure("-n", "8", *arguments, **environment)["context"]["seed"]

    assert seed(MYBLAS_COMMIT="0123abcd4567-dirty") == 0x0123ABCD
    assert seed("--commit", "fedcba98") == 0xFEDCBA98
    assert seed("--commit", "fedcba98", "--seed", "5") == 5
    assert seed("--commit", "unknown") != seed("--commit", "unknown")


def test_a_kernel_that_the_environment_forces_is_measured():
    for routine, variable, kernel in (
        ("sgemm", "MYBLAS_SGEMM_KERNEL", "reference"),
        ("asum", "MYBLAS_SUM_KERNEL", "serial"),
        ("gemv", "MYBLAS_SGEMM_KERNEL", "reference"),
        ("sgemmFused", "MYBLAS_SGEMM_KERNEL", "reference"),
        ("iamin", "MYBLAS_IAMAX_KERNEL", "blocks"),
        ("ger", "MYBLAS_SYR_KERNEL", "reference"),
        ("trsm", "MYBLAS_TRSM_KERNEL", "products"),
    ):
        measured = measure("-f", routine, "-n", "50", **{variable: kernel})
        assert {entry["kernel"] for entry in measured["results"]} == {kernel}
        assert_refused(run("-f", routine, "-n", "50", **{variable: "nonsense"}), "nonsense")
        measure("-f", routine, "-n", "50", **{variable: ""})
    chosen = measure("-n", "50", "--kernel", "blocked", MYBLAS_SGEMM_KERNEL="nonsense")
    assert chosen["results"][0]["kernel"] == "blocked"


def test_a_family_is_measured_by_what_the_library_takes_of_it():
    require_gpu()
    for arguments, environment in (
        (["--kernel", "small_tile"], {}),
        ([], {"MYBLAS_SGEMM_KERNEL": "small_tile"}),
    ):
        measured = measure("-n", "100", *arguments, backend="cuda", **environment)
        for entry in measured["results"]:
            assert entry["kernel"].startswith("small_tile/")
    assert_refused(run("-n", "100", "--kernel", "small", backend="cuda"), "small")


def test_the_own_workspace_is_measured_beside_a_lent_one():
    sources = {"lent": measure("-n", "50"), "own": measure("-n", "50", "--workspace", "own")}
    for source, measured in sources.items():
        assert {entry["workspace"] for entry in measured["results"]} == {source}
    entries = sweep("sgemm", "bare", 1, "--math", "fast")
    assert {entry["workspace"] for entry in entries} == {"own"}
    lent = [entry for entry in entries if entry["incumbent"] == "myblas, lent workspace"]
    assert len(lent) == len({rows.name_of(entry) for entry in entries})


def test_another_library_is_measured_beside_this_one(tmp_path):
    library = pathlib.Path(BENCH).parent.parent / "lib/libmyblas.so.1"
    if not library.exists():
        pytest.skip(f"there is no {library}")
    other = tmp_path / "before/lib/libmyblas.so"
    other.parent.mkdir(parents=True)
    shutil.copy(library, other)
    for routine in FIELDS:
        measured = measure("-f", routine, "-n", "60", "--against", other)
        ratios = [e["ratio"] for e in measured["results"] if e["incumbent"] == "myblas@before"]
        assert len(ratios) == 1 and ratios[0] > 0
    batches = sweep("sgemm", "batched", 5, "--against", other)
    assert "myblas@before" in {entry["incumbent"] for entry in batches}


def test_help_is_at_most_80_columns_wide():
    commands = "tune compare replay accuracy grade energy readings explain handles".split()
    for arguments in ([], *([command] for command in commands)):
        done = start(*arguments, "--help")
        assert (done.returncode, done.stderr) == (0, "")
        assert width_of(done.stdout) <= 80
        assert "--help" in done.stdout
    text = " ".join(run("--help").stdout.split())
    modes = "(strict): emulated, fast, reproducible, strict"
    for values in ("asum, axpy, copy,", modes, "ladder: every kernel"):
        assert values in text
    assert [command for command in commands if command not in text] == []


@pytest.mark.parametrize("arguments", [
    "--list",
    "--quick",
    "-f transpose,sum -n 100 --kernel all",
    "-m 123456 -n 17 -k 19 --lda 123457 --batch 2 --offset 1",
])  # fmt: skip
def test_tables_are_at_most_100_columns_wide(arguments):
    done = run(*arguments.split())
    assert done.returncode == 0, done.stderr
    assert width_of(done.stdout) <= 100


def test_the_summary_says_what_the_rows_say():
    routines = "sgemmFused,transpose,sum,dot,gemv,symv,ger,trsv,syrk,symm,trsm"
    arguments = ["-f", routines, "--sweep", "random", "--every", "7", "--threshold", "0.5"]
    measured = measure(*arguments)
    ratios = {}
    for entry in measured["results"]:
        if entry["incumbent"]:
            ratios.setdefault((entry["routine"], entry["incumbent"]), []).append(entry["ratio"])
    assert [(group["routine"], group["incumbent"]) for group in measured["summary"]] == list(ratios)
    for group in measured["summary"]:
        found = ratios[group["routine"], group["incumbent"]]
        assert group["cases"] == len(found)
        mean = statistics.geometric_mean(found)
        assert group["geometric_mean"] == pytest.approx(mean, rel=0.02)
        assert group["worst"]["ratio"] == pytest.approx(min(found), abs=1e-4)
        assert group["worst"]["case"] in map(rows.case_name, measured["results"])
        under = [entry["ratio"] for entry in group["under_threshold"]]
        assert under == sorted(under)
        assert len(under) == sum(ratio < 0.5 for ratio in found)


def test_all_kernels_together_have_no_summary():
    measured = measure("-f", "sum", "-n", "100", "--kernel", "all")
    assert measured["summary"] == []


def test_the_seed_repeats_the_data():
    errors = {
        measure("-n", "64", "--kernel", "reference", "--seed", "7")["results"][0]["max_err"]
        for _ in range(2)
    }
    assert len(errors) == 1


@pytest.mark.parametrize("data", PRODUCT_DATA)
def test_products_of_each_kind_of_data_are_verified(data):
    arguments = ["-m", "33", "-n", "20", "-k", "70", "--transa", "T", "--batch", "2"]
    for entry in measure(*arguments, "--data", data, "--ld-pad", "1")["results"]:
        assert entry["data"] == data
        assert entry["max_err"] > 0


def accuracy(*arguments):
    printed, text = written_by("accuracy", "--backend", "host", *arguments)
    assert width_of(printed) <= 100
    return json.loads(text)


def test_accuracy_has_every_mode_on_every_kind_of_data():
    measured = accuracy("-n", "20,33", "-k", "64,300", "--seed", "3")
    assert CONTEXT <= set(measured["context"])
    cases = {}
    for entry in measured["results"]:
        case = cases.setdefault((entry["data"], entry["n"], entry["k"]), {})
        case[entry["contender"]] = entry
    wanted = {(data, n, k) for data in PRODUCT_DATA for n in (20, 33) for k in (64, 300)}
    assert set(cases) == wanted
    for (_, _, k), case in cases.items():
        assert {"strict", "emulated", "fast"} <= set(case)
        yardstick = case.get("cblas_sgemm")
        for entry in case.values():
            assert 0 < entry["mean_ulp"] <= entry["max_ulp"] <= k + 4
            assert 0 < entry["frobenius"] < 1e-5
            if yardstick:
                ratio = entry["max_ulp"] / yardstick["max_ulp"]
                assert entry["max_ratio"] == pytest.approx(ratio, rel=0.01)
    assert [group["contender"] for group in measured["summary"]] == ["emulated", "fast"]
    assert all(group["cases"] == len(cases) for group in measured["summary"])


def test_handles_are_timed():
    printed, text = written_by(*"handles --backend host -n 16 --count 50".split())
    assert width_of(printed) <= 100
    measured = json.loads(text)
    assert CONTEXT <= set(measured["context"])
    first, later = measured["results"]
    for entry, which in ((first, "first"), (later, "later")):
        assert (entry["library"], entry["handle"], entry["n"]) == ("myblas", which, 16)
        for name in ("create_us", "first_call_us", "second_call_us", "destroy_us"):
            assert entry[name] > 0
    assert later["churn_handles"] == 50
    assert later["churn_us"] > 0


def test_handles_of_cublas_need_one():
    command = ["handles", "--library", "cublas"]
    assert_refused(start(*command, "--backend", "host"), "--library cublas")
    done = start(*command)
    if has_gpu():
        assert done.returncode == 0, done.stderr
        assert "\ncublas   later " in done.stdout
    else:
        assert_refused(done, status=1)
        assert re.search("there is no cuBLAS|cublasCreate", done.stderr)


def test_energy_that_nobody_counts_is_a_failure():
    done = start("energy", "-n", "8", "--backend", "host")
    assert_refused(done, "energy needs a GPU", status=1)


def test_accuracy_follows_from_the_seed():
    def errors(seed):
        results = accuracy("-n", "30", "-k", "50", "--data", "normal", "--seed", seed)["results"]
        return [(entry["max_ulp"], entry["mean_ulp"]) for entry in results]

    assert errors("1") == errors("1")
    assert errors("1") != errors("2")


@pytest.mark.parametrize("arguments", [
    "-f nonsense",
    "--nonsense",
    "-m 0",
    "-m 10 --lda 9",
    # Counts of elements that wrap in 64 bits
    "-m 1099511627776 -n 16777216 -k 1",
    "-f transpose -m 4294967296 -n 4294967296",
    "-m 16777216 -n 1 -k 1 --batch 1099511627776",
    "-f sum -n 1099511627776 --incx 1099511627776",
    "-m 1099511627777",
    "-f sum -k 4",
    "-f sum --data skewed",
    "--data skewed",
    "-f histogram --data normal",
    "-f gemsum --ldb 2000",
    "-f transpose --elem-bytes 3",
    "--kernel nonsense",
    "--timing graph",
    "--sweep ladder -m 4",
    "--sweep ladder,public",
    "--sweep batched -f transpose",
    "--sweep in-place -f sgemm",
    "--sweep public --pointer-array",
    "-f sum --in-place",
    "--activation relu",
    "-f sgemmFused --activation tanh",
    "-f sgemmFused --batch 2",
    "--sweep public -f sgemmFused --activation relu",
    "--sweep ladder -f sgemmFused",
    "-f syrk --side R",
    "-f symm --trans T",
    "-f gemv --uplo U",
    "-f trsm -k 4",
    "-f trsm --diag T",
    "-f trsm -m 4 --lda 3",
    "-f dot,gemv --ldb 4",
    "--sweep public --uplo U -f syrk",
    "--sweep powers -f gemv",
    "-f transpose -m 4 -n 5 --ld-pad 1 --in-place",
    "-n 4 --ld-pad -1",
    "--quick -f sum",
    "--json /nonexistent/folder/file.json",
    "--against /nonexistent/libmyblas.so",
    f"--against {__file__}",
    "--sweep bare,public",
    "--sweep bare --workspace own",
    "--sweep bare --kernel blocked",
    "--sweep bare -f sum",
    "--sweep updates -f sum",
    "--sweep public --beta 1",
    "-f sum --beta 1",
    "--batch 2 --shuffled",
    "--batch 2 --pointer-array --share-a",
    "--batch-gap -1",
    "--rival cublaslt:0",
    "--rival cublas",
])
def test_bad_input_is_one_line_and_status_2(arguments):
    assert_refused(run(*arguments.split()))


def test_a_wrong_variable_is_named():
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
        assert_refused(run("-n", "8", **{variable: value}), variable)
    done = run("-n", "8", MYBLAS_MATH="magic", MYBLAS_NUM_THREADS="0")
    assert "MYBLAS_MATH=magic" in done.stderr
    assert "MYBLAS_NUM_THREADS=0" in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_results_that_cannot_be_written_are_a_failure():
    with open("/dev/full", "w") as full:
        command = [BENCH, *ON_HOST, "-n", "8"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)


def test_no_other_kernel_replaces_a_forced_one():
    for arguments in (["--kernel", "magic"], ["--kernel", "magic", "-f", "sum"]):
        assert_refused(run("-n", "8", *arguments), "--kernel magic")
    accuracy = ["accuracy", "--backend", "host", "-n", "8"]
    refused = start(*accuracy, MYBLAS_SGEMM_KERNEL="reference")
    assert_refused(refused, "MYBLAS_SGEMM_KERNEL=reference")


@pytest.mark.parametrize("command", ["tune sgemm", f"readings --out {os.devnull}", "explain"])
def test_commands_with_files_of_their_own_refuse_json(command):
    assert_refused(start(*command.split(), "--json", os.devnull), "--json")


def explain(*arguments):
    listed = start("--backend", "cuda", "--list")
    if " sgemm " not in listed.stdout:
        pytest.skip("built without CUDA")
    done = start("explain", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert width_of(done.stdout) <= 100
    header, table, legend = done.stdout.split("\n\n")
    columns, *lines = table.splitlines()
    assert columns.startswith("kernel ") and legend.startswith("time = factor x ")
    assert width_of(listed.stdout) <= 100
    named = re.findall(r"^cuda  sgemm +(\S+)", listed.stdout, re.M)
    assert sorted(line.split()[0] for line in lines) == sorted(named)
    return header, lines


def test_a_choice_is_explained_for_any_card():
    header, lines = explain("-m", "1000", "-n", "1000", "-k", "1000", "--device", "h200")
    assert "sgemm NN 1000x1000x1000, strict, 4096 MiB of workspace\n" in header
    assert "\nh200: sm_90, 132 multiprocessors at 1980 MHz" in header
    assert lines[0].startswith("stream_k/")
    assert [line.endswith(" chosen") for line in lines] == [True] + [False] * (len(lines) - 1)
    for card in ("h100-sxm", "h100-pcie", "gh200", "a100-80g", "l40s", "rtx4090", "b200"):
        header, lines = explain("-n", "512", "--math", "fast", "--device", card)
        assert lines[0].endswith(" chosen")
        hopper = [line for line in lines if line.startswith("fp16x3/")]
        refused = [line for line in hopper if line.endswith("it does not run on this architecture")]
        assert len(refused) == (0 if " sm_90," in header else len(hopper))


@pytest.mark.parametrize("asked, named", [
    ("h100", "h100-sxm"), ("H100", "h100-sxm"), ("a100", "a100-80g"), ("H100-PCIe", "h100-pcie"),
    ("RTX4090", "rtx4090"),
])  # fmt: skip
def test_a_card_may_be_named_by_its_model(asked, named):
    header, _ = explain("-n", "512", "--device", asked)
    assert f"\n{named}: sm_" in header


@pytest.mark.parametrize("arguments, wanted", [
    ("-m 1 -n 4096 -k 4096", ("gemv", "skinny")),
    ("-n 8 --batch 10000", ("small_tile/",)),
    ("-n 8192 --math fast", ("fp16x3/",)),
    ("-n 8192 --math emulated", ("fp16x3/",)),
    ("-n 4096 --transa T --offset 1", ("stream_k/", "warp_tile/", "small_tile/")),
])
def test_an_explanation_follows_the_call(arguments, wanted):
    lines = explain(*arguments.split(), "--device", "h200")[1]
    assert lines[0].startswith(wanted), lines[0]


def test_an_explanation_counts_the_reading_of_c():
    shape = "-m 2000 -n 1800 -k 64 --alpha -1 --device h200 --beta".split()
    written, read = (explain(*shape, beta)[1][0].split()[1] for beta in ("0", "0.5"))
    assert float(written) < float(read)


@pytest.mark.parametrize("row, reason", [
    ("batch NN 64 64 sixteen 64 64 64 0 1 0 0", "line 3: no call"),
    ("batch N 64 64 16 64 64 64 0 1 0 0", "line 3: no call"),
    ("batch NN 64 64 16 64 16 64 0 9000 0 0", "line 3: the call is too large"),
    ("batch NN 64 64 16 63 16 64 0 1 0 0", "lda"),
    ("batch NN 64 64 16 64 16 64 0 1 0 0", "readings needs a GPU"),
])
def test_earlier_readings_are_checked(tmp_path, row, reason):
    names = "set form m n k lda ldb ldc offset batch pointers beta incumbent"
    earlier = tmp_path / "earlier.tsv"
    earlier.write_text("# {}\n" + "".join("\t".join(line.split()) + "\n" for line in (names, row)))
    options = f"readings --calls {earlier} --out /dev/null --backend host"
    assert_refused(start(*options.split()), reason)


@pytest.mark.parametrize("arguments, reason", [
    ("tune sgemm --backend host", "nothing to tune"),
    ("tune sgemm -m 4", "not expected"),
    ("tune transpose", "transpose"),
    ("tune", "routine"),
    ("--repeats 3 tune sgemm", "--repeats"),
    ("explain -n 100 --device h300", "no card named h300; there are h200 "),
    ("explain -n 100 --device h", "no card named h; there are h200 "),
    ("explain -n 100 --backend host", "--device"),
    ("explain -n 100 --device h200 --math loose", "loose"),
    ("explain -n 0 --device h200", "-n"),
    ("explain -f sum --device h200", "not expected"),
    ("explain -n 100 --lda 99 --device h200", "lda"),
    ("explain -n 100 --workspace-mib -1 --device h200", "workspace"),
    ("readings --backend host --out /dev/null", "readings needs a GPU"),
    ("readings --backend host", "--out"),
    ("readings --calls none.tsv --out /dev/null --backend host", "none.tsv has no readings"),
    ("readings --calls x.tsv --sets batch --out /dev/null --backend host", "--sets"),
    ("readings --sets nonsense --out /dev/null --backend host", "nonsense"),
    ("accuracy --data skewed --backend host", "skewed"),
    ("accuracy -n 0", "-n"),
    ("energy --seconds 0", "--seconds"),
    ("handles --library openblas", "--library"),
    ("handles --count 0", "--count"),
    ("--verify accuracy", "--verify"),
])
def test_subcommands_refuse_what_they_cannot_do(arguments, reason):
    assert_refused(start(*arguments.split()), reason)
