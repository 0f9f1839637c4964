"""The rungs of the SGEMM ladder as their sources describe them: for docs/ladder.md.

A rung's source begins with a comment: "// Rung 5, shared_tile: the idea.", fields such as
"// New: ..." and a sketch, which is indented by three spaces. Code that the page shows stands below
a line "// docs/ladder.md", or begins with a line that ends with this comment. It may be in the
rung's source or in a header that this source includes.
"""

import difflib
import os
import re

from measurements import ROOT, Problem, table

SGEMM = ROOT / "src/kernels/sgemm"
TITLE = re.compile(r"Rung (\d+), (\w+): (.*)\.")
FIELD = re.compile(r"(Operation|New|Bound|Shared memory|Workspace|Launch|Accepts): ")
SHOWN_FIELDS = ("New", "Bound", "Shared memory", "Launch", "Accepts")
MARK = "// docs/ladder.md"
INCLUDE = re.compile(r'#include "(kernels/sgemm/.*)"')


def head_of(path):
    """The lines of the comment that a source begins with, without the slashes."""
    lines = []
    for line in path.read_text().splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[2:].removeprefix(" ") if line.strip() != "//" else "")
    return lines


def indentation(line):
    return len(line) - len(line.lstrip())


def without_margin(lines):
    """Preprocessor directives are at the margin in any case."""
    margin = min(indentation(line) for line in lines if line and not line.startswith("#"))
    return [line if line.startswith("#") else line[margin:] for line in lines]


def statement(lines):
    """The first statement or definition: up to the semicolon or brace that ends it."""
    depth, is_block = 0, False
    for number, line in enumerate(lines):
        code = line.split("//")[0].rstrip()
        depth += len(re.findall(r"[({]", code)) - len(re.findall(r"[)}]", code))
        is_block = is_block or (depth > 0 and code.endswith("{"))
        if depth == 0 and code.endswith("}" if is_block else ";"):
            return lines[: number + 1]
    raise Problem(f"no statement ends after {lines[0].strip()}")


def shown_code(path):
    """The pieces of a source that are marked, each a list of lines."""
    lines = path.read_text().splitlines()
    pieces = []
    for number, line in enumerate(lines):
        if line.strip() == MARK:
            pieces.append(without_margin(statement(lines[number + 1 :])))
        elif line.endswith(MARK):
            first = line.removesuffix(MARK).rstrip()
            pieces.append(without_margin(statement([first, *lines[number + 1 :]])))
    return pieces


class Rung:
    def __init__(self, path):
        self.path = path
        head = head_of(path)
        blank = head.index("")
        title = TITLE.fullmatch(" ".join(head[:blank]))
        if not title:
            raise Problem(f"{path} does not begin with '// Rung N, NAME: the idea.'")
        self.number, self.name, self.idea = int(title[1]), title[2], title[3]
        if path.parent.name == "ladder" and path.stem != f"{self.number:02}_{self.name}":
            raise Problem(f"{path} describes rung {self.number}, {self.name}")
        self.fields, self.sketch = self.read_body(head[blank + 1 :])
        missing = [field for field in SHOWN_FIELDS if field not in self.fields]
        if missing or not self.sketch:
            raise Problem(f"the first comment of {path} lacks {', '.join(missing) or 'a sketch'}")
        headers = [ROOT / "src" / include for include in INCLUDE.findall(path.read_text())]
        self.code = [(file, piece) for file in (path, *headers) for piece in shown_code(file)]
        if not self.code:
            raise Problem(f"{path} and its headers mark no code with {MARK}")

    @staticmethod
    def read_body(lines):
        fields, sketch, name = {}, [], None
        for number, line in enumerate(lines):
            if not line:
                sketch = without_margin(lines[number + 1 :])
                break
            if start := FIELD.match(line):
                name = start[1]
                line = line[start.end() :]
            fields[name] = f"{fields[name]} {line}" if name in fields else line
        return fields, sketch

    def limit(self):
        """What limits it now: the first sentence of the bound."""
        return re.split(r"\.(?: |$)", self.fields["Bound"])[0]

    def anchor(self):
        return f"#rung-{self.number}-{self.name}"


def all_rungs(folder=SGEMM):
    """The rungs in order: the sources of the ladder, and production kernels that are rungs."""
    production = (folder / "simt").glob("*.cu")
    sources = [path for path in production if path.read_text().startswith("// Rung ")]
    sources += (folder / "ladder").glob("*.cu")
    rungs = sorted((Rung(path) for path in sources), key=lambda rung: rung.number)
    numbers = [rung.number for rung in rungs]
    if numbers != list(range(1, len(rungs) + 1)):
        raise Problem(f"the rungs in {folder} are numbered {numbers}")
    return rungs


def mark_new(lines, before):
    """Lines that the rung before does not have get a plus, the others a space. Braces go with the
    line above."""
    plain = [line.strip() for line in lines]
    known_lines = [line.strip() for line in before]
    matcher = difflib.SequenceMatcher(None, known_lines, plain, autojunk=False)
    known = {match.b + i for match in matcher.get_matching_blocks() for i in range(match.size)}
    marked, is_new = [], False
    for number, line in enumerate(lines):
        if re.search(r"\w", line):
            is_new = number not in known
        marked.append(f"{'+' if is_new and line else ' '} {line}".rstrip())
    return marked


def overview(rungs):
    cells = [(r.number, f"[`{r.name}`]({r.anchor()})", r.idea, r.limit()) for r in rungs]
    return [*table([":", "Rung", "The idea", "What limits it now"], cells), ""]


def section(rung, before):
    lines = [f"### Rung {rung.number}: {rung.name}", ""]
    for field in SHOWN_FIELDS:
        lines += [f"**{field}:** {rung.fields[field]}", ""]
    lines += ["```text", *rung.sketch, "```", ""]
    # The whole code of the rung is compared with that of the rung before, then shown by file.
    code = [line for _, piece in rung.code for line in piece]
    known = [line for _, piece in before.code for line in piece] if before else []
    marked = iter(mark_new(code, known) if before else code)
    shown = None
    for file, piece in rung.code:
        if file != shown:
            lines += ["```", ""] if shown else []
            # Without a link: installed pages have no sources.
            lines += [f"`{os.path.relpath(file, ROOT)}`:", "", "```diff" if before else "```cpp"]
        else:
            lines += [""]
        lines += [next(marked) for _ in piece]
        shown = file
    return [*lines, "```", ""]


def sections(rungs):
    """A section of the page for each rung."""
    return [line for before, rung in zip([None, *rungs], rungs) for line in section(rung, before)]
