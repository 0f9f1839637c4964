#!/usr/bin/env python3
"""scripts/line_table.py [COMMIT]: how much there is to read, as tables of Markdown.

Of the tracked files of a commit (the index, if none is named): lines by folder and kind, written by
hand and generated; the longest files and functions; lines of code wider than 100 columns; rows of
the glossary. A generated file says so on its first line ("written by" a script), a generated part
on the lines before and after it. Measurements and pictures do not count. The functions need
lizard (pip install lizard) and are left out without it.
"""

import collections
import pathlib
import re
import subprocess
import sys

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


def table(heads, rows):
    lines = [heads, ["---:" if head.endswith(":") else "---" for head in heads], *rows]
    return [f"| {' | '.join(str(cell).rstrip(':') or ' ' for cell in lines[0])} |"] + [
        f"| {' | '.join(map(str, cells))} |" for cells in lines[1:]
    ]


def by_folder_and_kind(files):
    counts = collections.Counter()
    for name, lines in files.items():
        place = name.split("/")[0]
        key = place if place in FOLDERS else "others", kind_of(name)
        generated = generated_lines(lines)
        counts[key, "generated"] += len(generated)
        for number, line in enumerate(lines):
            if number not in generated:
                counts[key, "by hand"] += 1
                counts[key, "statements"] += bool(line.strip()) and not COMMENT.match(line)
    rows = []
    for folder in (*FOLDERS, "others"):
        keys = [(folder, kind) for kind in KINDS if counts[(folder, kind), "by hand"]]
        code = [key for key in keys if key[1] in CODE]
        for name, some in [("all code", code)] * (len(code) > 1) + [(k[1], [k]) for k in keys]:
            what = ("by hand", "statements", "generated")
            rows.append([folder, name, *(sum(counts[key, of] for key in some) for of in what)])
    heads = ["Folder", "Kind", "By hand:", "of these neither blank nor comment:", "Generated:"]
    return table(heads, rows)


def longest_functions(files):
    try:
        import lizard
    except ImportError:
        return None
    found = []
    for name, lines in files.items():
        if kind_of(name) in CODE[:3] and not generated_lines(lines):
            plain = name.removesuffix(".cuh").removesuffix(".cu")
            readable = name if plain == name else f"{plain}.cpp"
            text = "\n".join(lines)
            for of in lizard.analyze_file.analyze_source_code(readable, text).function_list:
                found.append((of.length, of.name, name))
    return sorted(found, reverse=True)


def main():
    files = tracked(sys.argv[1] if len(sys.argv) > 1 else "")
    print("\n".join(by_folder_and_kind(files)), end="\n\n")
    code = {name: lines for name, lines in files.items() if kind_of(name) in CODE}
    by_hand = {name: lines for name, lines in code.items() if not generated_lines(lines)}
    longest = sorted(by_hand, key=lambda name: -len(by_hand[name]))
    rows = [(f"longest file of code: {name}", len(by_hand[name])) for name in longest[:3]]
    for length, function, name in (longest_functions(files) or [])[:3]:
        rows.append((f"longest function: {function} in {name}", length))
    wide = sum(len(line) > WIDTH for lines in by_hand.values() for line in lines)
    rows.append((f"lines of code wider than {WIDTH} columns", wide))
    glossary = files.get("docs/glossary.md", [])
    heads = ("| Word ", "| Then ", "| --- ")
    rows.append(("rows of the glossary", sum(
        line.startswith("| ") and not line.startswith(heads) for line in glossary)))  # fmt: skip
    print("\n".join(table(["What", "Number:"], rows)))


if __name__ == "__main__":
    main()
