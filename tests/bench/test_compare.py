"""`myblas-bench compare`: its verdicts and exit statuses."""

import json
import pathlib
import tempfile

from runs import SCRIPTS, start, width_of


def case(n, kernel, least, median, most):
    return {"routine": "sgemm", "m": n, "n": n, "k": n, "kernel": kernel, "cold": False,
            "time_us": median, "time_us_min": least, "time_us_max": most, "incumbent": None,
            "gflops": n / median}  # fmt: skip


def compare(before, after, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name, results in (("a", before), ("b", after)):
            context = {"gpu": "card", "commit": name}
            is_text = isinstance(results, str)
            paths.append(pathlib.Path(folder, f"{name}.json"))
            paths[-1].write_text(
                results if is_text else json.dumps({"context": context, "results": results})
            )
        done = start("compare", *paths, *arguments)
    return done.returncode, done.stdout, done.stderr


def test_what_is_slower_beyond_noise_is_named_and_fails():
    before = [case(100, "x", 9, 10, 11), case(200, "x", 9, 10, 11), case(300, "x", 9, 10, 11)]
    after = [case(100, "x", 12, 13, 14), case(200, "y", 4, 5, 6), case(300, "x", 9, 10.5, 13)]
    status, output, _ = compare(before, after)
    assert status == 1
    lines = output.splitlines()
    words = [line.split()[0] for line in lines if line.startswith(("slower", "faster", "same"))]
    assert words == ["slower", "faster"]
    cases = [line for line in lines if line.startswith("    sgemm")]
    assert cases == ["    sgemm NN 100x100x100: x", "    sgemm NN 200x200x200: x -> y"]
    assert "3 cases: 1 slower, 1 the same within noise, 1 faster" in output
    assert compare(before, after, "--all")[1].count("300x300x300") == 1
    assert width_of("\n".join(lines[2:])) <= 100


def test_the_noise_is_printed():
    spreads = {1: 0.5, 2: 1, 3: 4}
    before = [case(n, "x", 10 - s, 10, 10 + s) for n, s in spreads.items()]
    after = [case(1, "x", 19, 20, 21), case(2, "x", 10, 10, 10), case(3, "x", 9, 10, 11)]
    _, output, _ = compare(before, after, "--tolerance", "0.05")
    assert "spread by 20.0% of their median in A and by 10.0% in B" in output
    assert "differ by more than 5%" in " ".join(output.split())
    assert "(9.50 to 10.50)" in output
    assert "(19.00 to 21.00)" in output


def test_noise_and_faster_cases_pass():
    before = [case(100, "x", 9, 10, 14)]
    assert compare(before, [case(100, "x", 12, 13, 14)])[0] == 0
    assert compare(before, [case(100, "x", 1, 2, 3)])[0] == 0
    assert compare(before, before)[0] == 0
    steady = [case(100, "x", 10, 10, 10)]
    assert compare(steady, [case(100, "x", 10.05, 10.05, 10.05)])[0] == 0
    narrow = compare(steady, [case(100, "x", 10.05, 10.05, 10.05)], "--tolerance", "0.001")
    assert narrow[0] == 1


def test_of_several_kernels_the_same_are_compared():
    before = [case(100, "x", 9, 10, 11), case(100, "y", 90, 100, 110)]
    after = [case(100, "y", 90, 100, 110), case(100, "x", 9, 10, 11), case(100, "z", 1, 1, 1)]
    status, output, _ = compare(before, after)
    assert status == 0
    assert "2 cases: 0 slower, 2 the same" in output


def test_wrong_arguments():
    some = [case(100, "x", 9, 10, 11)]
    for before, after in (("no json", some), ("{}", some), (some, [case(7, "x", 1, 1, 1)])):
        status, _, errors = compare(before, after)
        assert (status, errors.count("\n")) == (2, 1), errors
    for wrong in (
        {"context": [], "results": some},
        {"context": {}, "results": [case(100, "x", 9, 10, 11) | {"time_us": 0}]},
        {"context": {}, "results": [case(0, "x", 9, 10, 11)]},
        {"context": {}, "results": [case(1e300, "x", 9, 10, 11)]},
    ):
        status, _, errors = compare(json.dumps(wrong), some)
        assert (status, errors.count("\n")) == (2, 1), errors
        assert "a.json" in errors
    for arguments in (["compare"], ["compare", "/nowhere", "/nowhere"], ["compare", "a", "b", "c"]):
        done = start(*arguments)
        assert done.returncode == 2, done.stderr
    helped = start("compare", "--help")
    assert helped.returncode == 0
    assert "--tolerance" in helped.stdout


def test_committed_results_can_be_compared():
    results = SCRIPTS / "results/h200"
    for file in ("ladder_sum.json", "sgemm_batched.json", "transpose.json"):
        path = str(results / file)
        done = start("compare", path, path)
        assert done.returncode == 0, done.stderr
        assert " 0 slower" in done.stdout
