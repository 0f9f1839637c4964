"""Reads the measurements in bench/results: shared by the programs that write or present them."""

import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = pathlib.Path("bench/results")  # relative to ROOT; a folder for each GPU and the host
GPUS = ("h200", "h100")  # those that are shown first

LINE_DEPTH = 2


def json_text(value, depth=0):
    """Indented JSON. From LINE_DEPTH on, a list or dictionary without others in it, such as a case,
    is one line. The text is that of json_text.cpp, without the newline at the end."""
    if not isinstance(value, (dict, list)) or not value:
        return json.dumps(value, ensure_ascii=False)
    is_dictionary = isinstance(value, dict)
    inner = value.values() if is_dictionary else value
    is_line = depth >= LINE_DEPTH and not any(isinstance(member, (dict, list)) for member in inner)
    members = [json_text(member, depth + 1) for member in inner]
    if is_dictionary:
        members = [f"{json.dumps(name)}: {text}" for name, text in zip(value, members)]
    begin, end = "{}" if is_dictionary else "[]"
    if is_line:
        return begin + ", ".join(members) + end
    indent = "\n" + " " * depth
    return f"{begin}{indent} " + f",{indent} ".join(members) + f"{indent}{end}"


class Problem(Exception):
    """An error that the user has to correct; its text is one line."""


def load(path):
    try:
        return json.loads(path.read_text())
    except FileNotFoundError:
        raise Problem(f"{path} is missing: bench/run_gpu.sh or run_host.sh makes it") from None
    except json.JSONDecodeError as error:
        raise Problem(f"{path} is not JSON: {error}") from None


def gpu_folders(results):
    """The folders of the measured GPUs, in the order in which they are shown."""
    folders = {file.parent for file in results.glob("*/*.json")}
    rank = {name: place for place, name in enumerate(GPUS)}
    return sorted(folders, key=lambda path: (rank.get(path.name, len(rank)), path.name))


def files_of(folder, parts=None):
    """{part: what its file holds} of all parts, or of some, that are there."""
    wanted = parts or sorted(path.stem for path in folder.glob("*.json"))
    return {p: load(folder / f"{p}.json") for p in wanted if (folder / f"{p}.json").exists()}


def date_of(files):
    """When the latest of some files was measured, as text that sorts; empty without files."""
    dates = [measured["context"].get("date", "") for measured in files.values()]
    return max(dates, default="")


def latest_files(results, parts, others=()):
    """These and other parts of the GPU that measured one of these last; of several, the first."""
    found = [(folder, files_of(folder, parts)) for folder in gpu_folders(results)]
    folder, files = max(found, key=lambda pair: date_of(pair[1]), default=(None, {}))
    return files_of(folder, [*parts, *others]) if files else {}


def provenance(context):
    """Where, when and how the results of a file were measured."""
    names = {"gpu": "", "driver": "driver ", "cuda": "CUDA ", "cublas": "cuBLAS ", "cpu": ""}
    shown = [f"{name}{context[key]}" for key, name in names.items() if context.get(key)]
    run = f"commit {context['commit']}, {context['date'][:10]}: `{context['command']}`"
    return f"{', '.join(shown)}; {run}"


def table(heads, rows):
    """A table of Markdown. A head that ends in a colon is that of a column of numbers."""
    return [
        "|" + "".join(f" {head.rstrip(':')} |".replace("  ", " ") for head in heads),
        "|" + "".join(" ---: |" if head.endswith(":") else " --- |" for head in heads),
        *(f"| {' | '.join(map(str, row))} |" for row in rows),
    ]


def pivot(heads, cells, columns):
    """A table of a row for each entry of cells, {row: {column: text}}: the heads are of what names
    the rows, text or several."""
    rows = []
    for name, of_row in cells.items():
        names = name if isinstance(name, tuple) else (name,)
        rows.append((*names, *(of_row.get(column, "") for column in columns)))
    return table([*heads, *(f"{column}:" for column in columns)], rows)


def run(program, work):
    """Runs a program's work, which may raise Problem. Returns the exit status."""
    try:
        work()
    except Problem as problem:
        print(f"{program}: {problem}", file=sys.stderr)
        return 1
    return 0
