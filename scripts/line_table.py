#!/usr/bin/env python3
"""scripts/line_table.py [COMMIT...]: how much there is to read, as a table of Markdown.

A column for each commit, or one of the index if none is named: lines by folder (--kinds: also by
kind), written by hand, and in brackets those that are neither blank nor comment; the longest file
and function; the most parameters of a template; the files that a routine touches; lines of code
that stand twice, or are wider than 100 columns; rows of the glossary. A generated file says so on
its first line ("written by" a script), a generated part on the lines before and after it.
Measurements and pictures do not count. The functions need lizard (pip install lizard) and are left
out without it. docs/experiments/house.md has the table of two commits.
"""

import argparse
import collections
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
WIDTH = 100
KINDS = {
    "device code": ("cu", "cuh"),
    "C and C++": ("c", "cpp", "h", "inc"),
    "Python": ("py",),
    "shell": ("sh", "awk", "run"),
    "Fortran": ("f90",),
    "CMake": ("cmake", "txt"),
    "pages": ("md", "1", "7"),
    "symbols": ("map", "symbols"),
}
KIND_OF = {suffix: kind for kind, suffixes in KINDS.items() for suffix in suffixes}
CODE = ("device code", "C and C++", "Python", "shell", "Fortran", "CMake")
FOLDERS = ("src", "abi", "include", "bench", "tests", "tools", "python", "examples", "scripts",
           "docs")  # fmt: skip
NOT_TEXT = re.compile(r"bench/(readings|results)/|tests/libfuzzer/corpus/|docs/(plots|pictures)/")
MARK = re.compile(r"written by (scripts|bench)/\w+\.py(.*: (begin|end) \*/)?", re.IGNORECASE)
ROUTINE = re.compile(r"\bsymv_[p]roblem\b")  # does not find itself
RUN = 6  # lines that stand together twice before they count
COMMENT = re.compile(r"\s*(//|#(?!\s*(include|define|if|el|en|un|pragma|error))|!|/?\*)")


def git(*arguments):
    return subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, check=True).stdout


def tracked(commit):
    """{path: lines} of the files that are text written or generated for this project."""
    names = git("ls-tree", "-r", "--name-only", commit) if commit else git("ls-files")
    found = {}
    for name in names.decode().splitlines():
        suffix = name.rsplit(".", 1)[-1] if "." in name else pathlib.Path(name).name
        if suffix in KIND_OF and not NOT_TEXT.match(name):
            data = git("show", f"{commit}:{name}") if commit else (ROOT / name).read_bytes()
            found[name] = data.decode().splitlines()
    return found


def kind_of(name):
    return KIND_OF[name.rsplit("/", 1)[-1].rsplit(".", 1)[-1]]


def generated_lines(lines):
    """The numbers of the lines that a script writes."""
    if any(MARK.search(line) and not line.endswith("begin */") for line in lines[:1]):
        return set(range(len(lines)))
    found, inside = set(), False
    for number, line in enumerate(lines):
        mark = MARK.search(line)
        if mark and mark[3]:
            inside = mark[3] == "begin"
        elif inside:
            found.add(number)
    return found


def by_folder(files, has_kinds):
    """{"folder: kind": "lines by hand (neither blank nor comment)"}"""
    counts = collections.Counter()
    for name, lines in files.items():
        place = name.split("/")[0]
        key = place if place in FOLDERS else "others", kind_of(name)
        generated = generated_lines(lines)
        counts["generated"] += len(generated)
        for number, line in enumerate(lines):
            if number not in generated:
                counts[key, "by hand"] += 1
                counts[key, "statements"] += bool(line.strip()) and not COMMENT.match(line)
    found = {}
    for folder in (*FOLDERS, "others"):
        keys = [(folder, kind) for kind in KINDS if counts[(folder, kind), "by hand"]]
        code = [key for key in keys if key[1] in CODE]
        kinds = [key for key in keys if has_kinds or key[1] == "pages"]
        rows = [("code", code), *((key[1], [key]) for key in kinds)]
        for name, some in rows:
            by_hand, statements = (
                sum(counts[key, what] for key in some) for what in ("by hand", "statements")
            )
            found[f"{folder}: {name}"] = f"{by_hand} ({statements})"
    return found | {"generated lines of code, symbols and pages": counts["generated"]}


def longest_function(files):
    try:
        import lizard
    except ImportError:
        return ""
    found = []
    for name, lines in files.items():
        if kind_of(name) in CODE[:3]:
            plain = name.removesuffix(".cuh").removesuffix(".cu")
            readable = name if plain == name else f"{plain}.cpp"
            text = "\n".join(lines)
            for of in lizard.analyze_file.analyze_source_code(readable, text).function_list:
                found.append((of.length, of.name, name))
    length, function, name = max(found)
    return f"{length} (`{function}`, {name})"


def parameters_of_templates(lines):
    """The number of parameters of each template."""
    text = "\n".join(line.split("//")[0] for line in lines)
    for begin in re.finditer(r"\btemplate\s*<", text):
        depth, commas = 1, 0
        for symbol in text[begin.end() :]:
            depth += (symbol in "<({") - (symbol in ">)}")
            commas += symbol == "," and depth == 1
            if depth == 0:
                break
        yield commas + 1


def repeated_lines(files):
    """The number of lines that stand a second time, in runs of RUN."""
    places = collections.defaultdict(list)
    for name, lines in files.items():
        said = [(i, line.strip()) for i, line in enumerate(lines) if not COMMENT.match(line)]
        said = [(i, line) for i, line in said if re.search(r"\w.*\w", line)]
        said = [(i, line) for i, line in said if not re.match("#include|import|from", line)]
        for at in range(len(said) - RUN + 1):
            run = said[at : at + RUN]
            places[tuple(line for _, line in run)].append({(name, i) for i, _ in run})
    return len(set().union(*(lines for runs in places.values() for lines in runs[1:])))


def measures(files, has_kinds):
    code = {name: lines for name, lines in files.items() if kind_of(name) in CODE}
    by_hand = {name: lines for name, lines in code.items() if not generated_lines(lines)}
    longest = max(by_hand, key=lambda name: len(by_hand[name]))
    of_c = {name: lines for name, lines in by_hand.items() if kind_of(name) in CODE[:2]}
    most, widest = max((max(parameters_of_templates(of_c[n]), default=0), n) for n in of_c)
    glossary = files.get("docs/glossary.md", [])
    heads = ("| Word ", "| Then ", "| --- ")
    rows = [line for line in glossary if line.startswith("| ") and not line.startswith(heads)]
    wide = sum(len(line) > WIDTH for lines in by_hand.values() for line in lines)
    named = sum(any(map(ROUTINE.search, lines)) for lines in by_hand.values())
    return by_folder(files, has_kinds) | {
        "longest file of code": f"{len(by_hand[longest])} ({longest})",
        "longest function": longest_function(by_hand),
        "most parameters of a template": f"{most} ({widest})",
        "files by hand that name a routine's problem (symv)": named,
        f"lines of code that stand twice, in runs of {RUN}": repeated_lines(by_hand),
        f"lines of code wider than {WIDTH} columns": wide,
        "rows of the glossary": len(rows),
    }


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("commits", nargs="*", metavar="COMMIT")
    parser.add_argument("--kinds", action="store_true", help="lines by kind, too")
    arguments = parser.parse_args()
    commits = arguments.commits or [""]
    columns = [measures(tracked(commit), arguments.kinds) for commit in commits]
    print("|", *(f"| {commit or 'index'}" for commit in commits), "|")
    print("| ---", *("| ---:" for _ in commits), "|")
    for row in dict.fromkeys(row for column in columns[::-1] for row in column):
        print(f"| {row} |", *(f"{column.get(row, '')} |" for column in columns))


if __name__ == "__main__":
    main()
