#!/usr/bin/env python3
"""Writes the tables of docs/testing.md from the results that the tests left in tests/results.

This program writes everything between the markers <!-- tested:begin --> and
<!-- tested:end -->, and the same for `sanitizers`, `soak`, `grades`, `coverage`
and `planted`.
--check changes nothing and fails if the page says something else.
"""

import argparse
import itertools
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/testing.md"
RESULTS = ROOT / "tests/results"
sys.path.insert(0, str(ROOT / "tests"))
from sanitize_gpu import TOOLS, shards  # noqa: E402

# `by_name` of a run: True in early ones.
BY_NAME = {
    True: "Fortran names",
    "blas": "Fortran names",
    "cblas": "names of CBLAS",
    "cublas": "names of cuBLAS",
    "cublaslt": "`cublasLtMatmul`",
}


def number(value):
    return f"{value:,}"


def minutes(seconds):
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"


def load():
    """The runs of every file, one a line, in order."""
    runs = []
    for path in sorted(RESULTS.glob("*.jsonl")):
        for line in path.read_text().splitlines():
            runs.append(json.loads(line))
    return runs


def where(run):
    """What computed the calls of a run, in words."""
    if name := BY_NAME.get(run.get("by_name")):
        return f"{name} under the preload library, on the host"
    if run["backend"] == "cuda":
        return run["machine"]
    return "host, OpenBLAS" if run["openblas"] else "host, without OpenBLAS"


def fuzz_rows(runs):
    """A row for each machine and commit."""
    groups = {}
    for run in runs:
        groups.setdefault((where(run), run["commit"]), []).append(run)
    rows = []
    for (machine, commit), group in groups.items():
        names = ("cases", "calls", "elements", "undetermined", "bits_compared", "failures")
        total = {name: sum(run[name] for run in group) for name in names}
        notes = "".join(f": {run['note']}" for run in group if "note" in run)
        backend = group[0]["backend"]
        kernels = max(run["kernels"] for run in group)
        seeds = ", ".join(str(run["seed"]) for run in group)
        seconds = sum(run["seconds"] * run["processes"] * run["threads"] for run in group)
        names = group[0].get("by_name") or ""
        option = f" --{'blas' if names is True else names}" if names else ""
        command = f"test_fuzz --backend {backend}{option} --seed S"
        rows.append(
            [
                f"results, statuses and memory as documented: {machine}",
                "[random calls](#random-calls)",
                f"{number(total['cases'])} calls, {number(total['calls'] - total['cases'])} "
                f"repetitions; {f'{kernels} kernels; ' if kernels else ''}"
                f"{number(total['elements'] - total['undetermined'])} elements judged; bits "
                f"compared {number(total['bits_compared'])} times; {minutes(seconds)} of threads",
                "none wrong" if total["failures"] == 0 else f"{total['failures']} wrong{notes}",
                f"`{command}`, S = {seeds}",
                f"`{commit}`",
            ]
        )
    return rows


def soak_rows(runs):
    """A row for each soak."""
    rows = []
    for run in runs:
        rounds = run["rounds"]
        held = [of_round["rss_mib"] for of_round in rounds[len(rounds) // 4 :]]
        result = run["grows"] or f"{min(held):.0f} to {max(held):.0f} MiB after the first quarter"
        if lost := run.get("lost_bytes_of_graph"):
            grown = rounds[-1]["lost_mib"] - rounds[0]["lost_mib"]
            result += f"; {grown:.1f} MiB lost by the driver, {lost:.0f} bytes a graph"
        if run["failures"]:
            result += f"; {run['failures']} wrong"
        handles = sum(of_round["handles"] for of_round in rounds)
        rows.append(
            [
                f"memory does not grow: {where(run)}",
                "[soak](#soak)",
                f"{minutes(run['seconds'])}, {run['threads']} threads; {number(run['calls'])} "
                f"calls; {number(handles)} handles; {len(rounds)} rounds",
                result,
                f"`test_fuzz --backend {run['backend']} --soak --seed S`, S = {run['seed']}",
                f"`{run['commit']}`",
            ]
        )
    return rows


def soak_curves(runs):
    """Memory and speed of each soak, in ten parts of its time."""
    parts = 10
    names = {"rss_mib": "memory, MiB", "own_mib": "not freed, MiB", "driver_mib": "driver's, MiB"}
    names |= {"lost_mib": "lost by the driver, MiB", "gpu_used_mib": "GPU memory of all, MiB"}
    names |= {"calls_per_second": "calls per second"}
    lines = ["| Soak | | " + " | ".join(f"{i / parts:.0%}" for i in range(1, parts + 1)) + " |"]
    lines.append("| --- | --- |" + " ---: |" * parts)
    for run in (run for run in runs if run["tool"] == "soak"):
        rounds = run["rounds"]
        ends = [max(len(rounds) * i // parts, 1) - 1 for i in range(1, parts + 1)]
        for key, name in names.items():
            values = [rounds[end].get(key, 0) for end in ends]
            if any(values):
                places = 2 if key in ("own_mib", "lost_mib") else 0
                cells = " | ".join(f"{value:.{places}f}" for value in values)
                lines.append(f"| {where(run)}, `{run['commit']}` | {name} | {cells} |")
    return "\n".join(lines)


def faults_rows(runs):
    """A row for each run in which calls of CUDA failed."""
    rows = []
    for run in runs:
        option = " --long" if run["long"] else ""
        rows.append(
            [
                "failures as documented: a stand-in for CUDA",
                "[faults](#faults)",
                f"{run['scenarios']} scenarios; {number(run['failed_calls'])} calls of "
                f"{len(run['calls'])} functions failed, {number(run['failed_allocations'])} "
                f"allocations refused; {run['situations']} situations",
                "none wrong" if run["failures"] == 0 else f"{run['failures']} wrong",
                f"`test_faults{option}`",
                f"`{run['commit']}`",
            ]
        )
    return rows


def sanitizer_groups(runs):
    """For each machine and check: the last line of each piece, None if it did not begin.

    Programs without any line on the machine are left out, and so are pieces of chosen kernels.
    """
    groups = {}
    for run in (run for run in runs if run["tool"] == "compute-sanitizer"):
        if "kernel" in run:
            continue
        pieces = groups[run["machine"]] = groups.pop(run["machine"], {})  # now the last one
        pieces[run["check"], run["program"], run["shard"]] = run
    by_check = {}
    for machine, results in groups.items():
        for check in TOOLS:
            pieces = by_check.setdefault((machine, check), {})
            for name in sorted({program for _, program, _ in results}):
                count = shards(check, name)
                for shard in (f"{i}/{count}" for i in range(count)):
                    pieces[name, shard] = results.get((check, name, shard))
    return by_check


def commits_of(pieces):
    """The commits at which the pieces were run, for the page."""
    return ", ".join(f"`{c}`" for c in dict.fromkeys(p["commit"] for p in pieces.values() if p))


def outcome_of(piece):
    """What became of a piece under a sanitizer."""
    if piece is None:
        return "not begun"
    if not piece["ended"]:
        return "cut"
    return "passed" if piece["errors"] == 0 and piece["status"] == 0 else "errors"


CHECKS = {
    "racecheck": "no races in shared memory",
    "initcheck": "no reads of memory that nothing has written",
    "memcheck": "no accesses out of bounds",
    "synccheck": "barriers as they must be",
}
OUTCOMES = ("passed", "errors", "cut", "not begun")


def sanitizer_rows(runs):
    """A row for each check."""
    rows = []
    for (machine, check), pieces in sanitizer_groups(runs).items():
        outcomes = [outcome_of(piece) for piece in pieces.values()]
        counts = {name: outcomes.count(name) for name in OUTCOMES}
        seconds = [piece["seconds"] for piece in pieces.values() if piece]
        longest = f"; the longest ran for {max(seconds):.0f} s" if seconds else ""
        names = dict(zip(OUTCOMES, ("passed", "with errors", "cut", "not begun"), strict=True))
        rows.append(
            [
                f"{CHECKS[check]}: {machine}",
                f"[{check}](#under-compute-sanitizer)",
                f"{len(pieces)} pieces of {len({name for name, _ in pieces})} programs{longest}",
                ", ".join(f"{counts[name]} {text}" for name, text in names.items() if counts[name]),
                f"`tests/sanitize_gpu.py --tool {check} BUILD`",
                commits_of(pieces),
            ]
        )
    return rows


def ranges(numbers):
    """Ascending numbers as texts: 1, 2, 3, 7 as "1 to 3" and "7"."""
    texts = []
    for _, run in itertools.groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        run = [number for _, number in run]
        texts.append(f"{run[0]} to {run[-1]}" if len(run) > 1 else str(run[0]))
    return texts


def sanitizer_table(runs):
    """What became of the pieces on the machine that was used last.

    One row for the programs that share an outcome in all pieces, and one for each other program.
    """
    groups = sanitizer_groups(runs)
    if not groups:
        return "No run is recorded yet."
    machine, _ = list(groups)[-1]
    lines = ["| Check | Program | Passed | Errors | Cut | Not begun |"]
    lines.append("| --- | --- | --- | --- | --- | --- |")
    for check in TOOLS:
        by_program = {}
        for (program, shard), piece in groups[machine, check].items():
            by_program.setdefault(program, []).append((shard, piece))
        alike = {}
        for program, pieces in sorted(by_program.items()):
            outcomes = {outcome_of(piece) for _, piece in pieces}
            if len(outcomes) == 1 and outcomes != {"errors"}:
                alike.setdefault(outcomes.pop(), []).append(program)
        rows = []
        for outcome, programs in alike.items():
            names = ", ".join(f"`{program}`" for program in programs)
            rows.append([names, *("all" if name == outcome else "-" for name in OUTCOMES)])
            for program in programs:
                del by_program[program]
        for program, pieces in sorted(by_program.items()):
            cells = {name: [] for name in OUTCOMES}
            for shard, piece in pieces:
                outcome = outcome_of(piece)
                number_of, count = shard.split("/")
                if outcome == "errors":
                    cells[outcome].append(f"{number_of} ({piece['errors']})")
                else:
                    cells[outcome].append(int(number_of))
            cells = {
                name: cell if name == "errors" else ranges(cell) for name, cell in cells.items()
            }
            texts = [", ".join(cell) or "-" for cell in cells.values()]
            rows.append([f"`{program}`, of {count}", *texts])
        lines += [f"| {check} | {' | '.join(row)} |" for row in rows]
    everything = {(check, name): p for check in TOOLS for name, p in groups[machine, check].items()}
    return "\n".join([*lines, "", f"{machine}, {commits_of(everything)}"])


def chosen_kernels_table(runs):
    """The last line of each piece that tested chosen kernels alone; empty if there is none."""
    last = {}
    for run in (run for run in runs if run["tool"] == "compute-sanitizer" and "kernel" in run):
        last[run["machine"], run["check"], run["kernel"], run["program"]] = run
    if not last:
        return ""
    lines = ["", "", "Pieces of a few kernels alone, which are not whole ones:", ""]
    lines.append("| Check | Program | Kernels | Result | Machine | Commit |")
    lines.append("| --- | --- | --- | --- | --- | --- |")
    for (machine, check, kernel, program), run in sorted(last.items()):
        kernels = ", ".join(f"`{name}`" for name in run["kernels"] or [kernel])
        cells = [check, f"`{program}`", kernels, outcome_of(run), machine, f"`{run['commit']}`"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def coverage():
    path = RESULTS / "coverage.json"
    return json.loads(path.read_text()) if path.exists() else None


def coverage_rows():
    """The row of the recorded count of lines."""
    run = coverage()
    if not run:
        return []
    with_cuda = "with CUDA" if run["cuda"] else "without CUDA"
    return [
        [
            f"tests run the lines of `src` and `abi`: a build {with_cuda}",
            "[counters](#coverage)",
            f"{number(run['lines'])} lines, {number(run['branches'])} branches",
            f"{100 * run['lines_run'] / run['lines']:.1f}% of the lines, "
            f"{100 * run['branches_run'] / run['branches']:.1f}% of the branches"
            + (f" ({run['note']})" if "note" in run else ""),
            "`scripts/coverage.py BUILD`",
            f"`{run['commit']}`",
        ]
    ]


def coverage_table():
    """The lines that no test runs, file by file."""
    run = coverage()
    if not run:
        return "No run is recorded yet."
    lines = ["| File | Lines | Run | Not run |", "| --- | ---: | ---: | --- |"]
    for file in sorted(run["files"], key=lambda file: file["run"] - file["lines"]):
        if file["missed"]:
            share = 100 * file["run"] / file["lines"]
            lines.append(
                f"| `{file['file']}` | {file['lines']} | {share:.0f}% | {file['missed']} |"
            )
    return "\n".join(lines)


def planted_rows(faults):
    """A row for each commit at which faults were planted."""
    rows = []
    for commit in dict.fromkeys(fault["commit"] for fault in faults):
        planted = [fault for fault in faults if fault["commit"] == commit and "needs" not in fault]
        seen = sum(fault["seen_by"] is not None for fault in planted)
        rows.append(
            [
                "tests see wrong lines: without a GPU",
                "[planted faults](#planted-faults)",
                f"{len(planted)} wrong lines, one at a time",
                f"{seen} seen by the tests",
                "`tests/planted/plant.py`",
                f"`{commit}`",
            ]
        )
    return rows


def planted_table(runs):
    """The faults of the latest run."""
    faults = [run for run in runs if run["tool"] == "planted"]
    if not faults:
        return "No run is recorded yet."
    lines = ["| Area | Fault | File | Seen by |", "| --- | --- | --- | --- |"]
    for fault in faults:
        if fault["commit"] != faults[-1]["commit"]:
            continue
        if "needs" in fault:
            outcome = f"needs {fault['needs']}"
        else:
            outcome = f"`{fault['seen_by']}`" if fault["seen_by"] else "**not seen**"
        lines.append(f"| {fault['area']} | {fault['fault']} | `{fault['file']}` | {outcome} |")
    return "\n".join(lines)


def table(runs):
    names = ("Property", "How", "Count", "Result", "Command", "Commit")
    lines = [f"| {' | '.join(names)} |", "|" + " --- |" * len(names)]
    soaks = [run for run in runs if run["tool"] == "soak"]
    rows = fuzz_rows([run for run in runs if run["tool"] == "fuzz"]) + soak_rows(soaks)
    rows += faults_rows([run for run in runs if run["tool"] == "faults"])
    rows += sanitizer_rows(runs)
    rows += grade_rows() + coverage_rows()
    rows += planted_rows([run for run in runs if run["tool"] == "planted"])
    lines += [f"| {' | '.join(row)} |" for row in rows]
    calls = dict.fromkeys(("host", "cuda"), 0)
    for run in (run for run in runs if run["tool"] == "fuzz" or run in soaks):
        calls[run["backend"]] += run["cases"]
    lines += ["", f"Together {number(calls['host'])} random calls on the host and "]
    lines[-1] += f"{number(calls['cuda'])} on GPUs, without repetitions."
    return "\n".join(lines)


def grade_rows():
    """A row for each machine: the grade of each mode."""
    rows = []
    for path in sorted(RESULTS.glob("grade_*.json")):
        measured = json.loads(path.read_text())
        context, orders = measured["context"], measured["n"]
        grades = (f"{card['contender']} {card['grade']}" for card in measured["results"])
        rows.append(
            [
                f"accuracy: {context['gpu'] or context['cpu']}",
                "[grades](#grades)",
                f"{len(measured['results'][0]['inputs'])} kinds of inputs; orders {orders[0]} to "
                f"{orders[-1]}",
                ", ".join(grades),
                f"`{context['command']}`",
                f"`{context['commit']}`",
            ]
        )
    return rows


RULES = {
    "exact": "integers and zeros",
    "subnormals": "subnormal numbers",
    "same_bits_again": "bits again",
    "same_bits_elsewhere": "bits from another thread",
}
CLASSES = ("near overflow", "NaN", "Inf", "alpha = 0")  # inputs of the same names


def grade_tables():
    """The card of each machine: a row for each mode and for each other library."""
    parts = []
    for path in sorted(RESULTS.glob("grade_*.json")):
        measured = json.loads(path.read_text())
        context, orders = measured["context"], measured["n"]
        lines = [
            "| | Grade | Computes like | Error / bound: elements | rows and columns | norm "
            "| Growth | Rules not kept |",
            "| --- | :---: | --- | ---: | ---: | ---: | ---: | --- |",
        ]
        for card in measured["results"]:
            worst = [f"{card['worst'][bound]:.2g}" for bound in ("element", "lines", "norms")]
            broken = [text for rule, text in RULES.items() if not card[rule]]
            broken += [name for name in CLASSES if card["inputs"][name]["off_class"]]
            cells = [card["contender"], card["grade"], card["arithmetic"], *worst]
            cells += [f"{card['growth']:.2f}", ", ".join(broken) or "-"]
            lines.append(f"| {' | '.join(cells)} |")
        lines += [
            "",
            f"{context['gpu'] or context['cpu']}, orders {orders[0]} to {orders[-1]}, commit "
            f"`{context['commit']}`: `{context['command']}`",
        ]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def replace(page, name, text):
    """The page with the text between the markers of the name."""
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    head, rest = page.split(begin)
    return f"{head}{begin}\n\n{text}\n\n{end}{rest.split(end)[1]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    old = PAGE.read_text()
    runs = load()
    new = old
    for name, text in (
        ("tested", table(runs)),
        ("sanitizers", sanitizer_table(runs) + chosen_kernels_table(runs)),
        ("soak", soak_curves(runs)),
        ("grades", grade_tables()),
        ("coverage", coverage_table()),
        ("planted", planted_table(runs)),
    ):
        new = replace(new, name, text)
    if new == old:
        return
    if check:
        sys.exit(f"{PAGE.relative_to(ROOT)} is out of date: run docs/testing.py")
    PAGE.write_text(new)


if __name__ == "__main__":
    main()
