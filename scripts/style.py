#!/usr/bin/env python3
"""scripts/style.py [FILE...]: lines wider than 100 columns, and words that have a better one.

Without files it reads all tracked files. A finding is a line with file, line number and reason;
the exit status is 1 if there are any.
"""

import re
import subprocess
import sys
from pathlib import Path

WIDTH = 100
CODE = {".awk", ".c", ".cmake", ".cpp", ".css", ".cu", ".cuh", ".f90", ".h", ".inc", ".js", ".py"}
CODE |= {".sh"}
CODE_NAMES = {"CMakeLists.txt", "myblas-config.cmake.in", "run"}  # run: .ci/run
PAGES = {".md", ".1", ".7"}  # here only words are checked

# Generated files, and tables with a row on each line.
WIDE = {"src/select/model_sm90.inc"}
# Pages that quote names of earlier versions, this file and its test.
QUOTING = re.compile(r"docs/experiments/|docs/glossary\.md|CHANGELOG\.md|.*/style\.(py|sh)$")

# Each row: regular expressions of words, in any case, and what to write in their place.
WORDS = [
    (r"on the grid|off the grid|grid_copy|move_to_grid", "aligned, unaligned: CUDA has the grid"),
    (r"let_next_kernel_come", "launch_dependents"),
    (r"wait_for_earlier_work", "grid_dependency_sync"),
    (r"finishers?|finishing<\w+", "epilogue"),
    (r"turned(?! (?:on|off|into|out)\b)", "swap_ab if A and B are swapped, otherwise transposed"),
    (r"by words|words_pay", "scalar loads"),
    (r"thin[/_]vector", "gemv"),
    (r"lines_form", "gemv_n"),
    (r"k_form", "gemv_t"),
    (r"share_k", "split_k"),
    (r"share_tiles", "split_tiles"),
    (r"gate_part", "zero_if_alpha_zero"),
    (r"exact_part", "nonfinite_fixup"),
    (r"plan_room", "plan_workspace"),
    (r"need_of", "workspace_need"),
    (r"may_count", "may_be_nonzero"),
    (r"fresh_thread", "rematerialised_tid"),
    (r"way_to_first", "first_element_offset"),
    (r"so many", "the number"),
    (r"of which|of whom", "whose, or two sentences"),
    (r"next to no", "almost no"),
    (r"to be had", "available"),
    (r"in hope", "speculatively"),
    (r"anew", "again"),
]
WORDS = [(re.compile(rf"\b(?:{words})\b", re.IGNORECASE), better) for words, better in WORDS]


def findings(path, text):
    """(line number, reason) for each finding in a file."""
    is_code = Path(path).suffix in CODE or Path(path).name in CODE_NAMES
    has_width = is_code and path not in WIDE
    has_words = (is_code or Path(path).suffix in PAGES) and not QUOTING.match(path)
    for number, line in enumerate(text.split("\n"), 1):
        if has_width and len(line) > WIDTH:
            yield number, f"{len(line)} columns, at most {WIDTH}"
        for pattern, better in WORDS if has_words else ():
            for found in pattern.finditer(line):
                yield number, f'"{found.group()}": write {better}'


def main():
    files = sys.argv[1:]
    if not files:
        command = ["git", "ls-files", "-z"]
        listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        files = [path for path in listed.split("\0") if Path(path).is_file()]
    is_clean = True
    for path in files:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
        for number, reason in findings(path, text):
            print(f"{path}:{number}: {reason}")
            is_clean = False
    return 0 if is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
