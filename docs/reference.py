#!/usr/bin/env python3
"""Gives each function of the public headers its own page, for Doxygen and as a man page.

usage: docs/reference.py HEADER               the header as Doxygen shall see it
       docs/reference.py --index HEADER...    a page that lists all functions, for Doxygen
       docs/reference.py --man DIR HEADER...  a man page for each function
       docs/reference.py --check HEADER...    fails if a function would have no text or no example

The headers' comments are plain, and one may stand for several functions. By convention
  - a comment belongs to all functions that follow it without a blank line; if there are several, it
    names each of them,
  - a function NAME_64, which myblas_64.h declares, has no comment: it is shown with NAME,
  - a comment that is followed by a blank line is about the section that it stands in,
  - no comment refers to its neighbour ("the same", "as above"), because a page shows one function.

The examples are the functions of examples/routines.c below comments that name functions of the
library.
"""

import argparse
import html
import pathlib
import re
import sys
import textwrap

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples" / "routines.c"
EXAMPLE = re.compile(
    r"^/\* (my[\w ]+) \*/\nstatic void \w+\(void\) \{\n(.*?)^\}\n", re.DOTALL | re.MULTILINE
)
SECTION = re.compile(r"/\* -{2,} (.*?) -+ \*/$")
FUNCTION = re.compile(r"MYBLAS_API\b[^;]*?\b(my\w+)\(", re.DOTALL)
# What begins a paragraph of its own.
LABEL = re.compile(
    r"(?:(?<=[.:;)] )|^)((?:[A-Z]+_[A-Z_]+(?:, [^:.]*)?|Accuracy[^:.]*?|Source):)(?= )"
)
# Words that only make sense below another comment.
NEIGHBOURS = re.compile(r"^(The same|Likewise)\b|\b[Aa]s above\b")


class Part:
    """A run of the header: a comment and the lines under it, up to a blank line or a comment."""

    def __init__(self, comment):
        self.comment = comment  # lines without the comment's own marks; None: there is none
        self.code = []
        self.is_before_blank = False

    def functions(self):
        return FUNCTION.findall("\n".join(self.code))


def comment_lines(lines):
    if len(lines) == 1:
        return [lines[0][2:-2].strip()]
    text = "\n".join(lines)[2:-2]
    return [re.sub(r"^ (?:\* ?)?", "", line).rstrip() for line in text.strip("\n").split("\n")]


def parts_of(text):
    """Parts, and titles of sections as strings."""
    parts, lines = [], text.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        section = SECTION.match(line)
        if section:
            parts.append(section[1])
        elif line.startswith("/*"):
            end = at
            while not lines[end].endswith("*/"):
                end += 1
            parts.append(Part(comment_lines(lines[at : end + 1])))
            at = end
        elif not line:
            if parts and isinstance(parts[-1], Part) and not parts[-1].code:
                parts[-1].is_before_blank = True
            parts.append(Part(None))
        else:
            if not parts or isinstance(parts[-1], str):
                parts.append(Part(None))
            parts[-1].code.append(line)
        at += 1
    return parts


# ---- The text ------------------------------------------------------------------------------------


def escaped(text):
    """For Doxygen: no HTML, commands or Markdown but code between backquotes."""
    text = re.sub(r"([\\@#%*~$]|--)", r"\\\1", html.escape(text, quote=False))
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", text)


def with_links(text, names):
    """Escaped text whose names of functions are links."""

    def link(match):
        name = match[0].removesuffix("_64") if match[0].removesuffix("_64") in names else match[0]
        return f'@ref {name} "{match[0]}"' if name in names else match[0]

    return re.sub(r"\bmy\w+\b", link, escaped(text))


def paragraph(lines, names):
    """Text that runs, with a new paragraph for each status, the accuracy and the source."""
    text = LABEL.sub("\n\\1", " ".join(line.strip() for line in lines)).strip()
    shown = []
    for piece in text.split("\n"):
        if not piece:
            continue
        piece = with_links(piece.strip(), names)
        piece = re.sub(r"^([\w ,()]*?:)(?= )", r"<b>\1</b>", piece) if LABEL.match(piece) else piece
        shown.append(f"<p>{piece}</p>")
    return shown


def rows_of(lines):
    """Lines in columns as [(term, lines of its text)], or None for another layout."""
    indent = min(len(line) - len(line.lstrip()) for line in lines if line)
    rows = []
    for line in filter(None, lines):
        if line[indent] != " ":
            term, text = re.match(r"(.*?)(?:\s{2,}(.*))?$", line[indent:]).groups()
            rows.append((term, [text] if text else []))
        elif rows:
            rows[-1][1].append(line)
    return rows if all(text for _, text in rows) else None


def definitions(lines, names):
    rows = rows_of(lines)
    if rows is None:
        return ["@verbatim", *lines, "@endverbatim"]
    shown = ["<dl>"]
    for term, text in rows:
        # A term on a line of its own stands above columns.
        inner = definitions(text, names) if text[0].startswith(" ") else paragraph(text, names)
        shown += [f"<dt>{with_links(term, names)}</dt><dd>", *inner, "</dd>"]
    return [*shown, "</dl>"]


def formatted(lines, names):
    """Lines of a comment as Doxygen's."""
    shown, run = [], []
    columns = False
    for line in lines + [None]:
        is_column = line is not None and (line.startswith("  ") or (columns and not line))
        if run and (not line or is_column != columns):
            shown += (definitions if columns else paragraph)(run, names)
            run = []
        columns = is_column
        if line:
            run.append(line)
    return shown


def block(lines):
    # Not between stars: an example has comments of its own.
    return [f"/// {line}".rstrip() for line in lines]


def text_of(lines):
    """The text before the first line in columns, and the other lines."""
    end = next((at for at, line in enumerate(lines) if line.startswith("  ")), len(lines))
    return " ".join(line.strip() for line in lines[:end]), lines[end:]


def first_sentence(text):
    """Up to the first stop outside of brackets: often a formula."""
    depth = 0
    for at, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if depth == 0 and re.match(r"[^.][.:;] ", text[at - 1 :]):
            return text[:at]
    return text.rstrip(".:;")


def described(name, lines, names):
    """What a comment says of a function: a line, and the rest."""
    text, others = text_of(lines)
    own = re.search(rf"(?:^|[.] ){name}: (.)([^.]*)", text)
    if own:
        return own[1].upper() + own[2], formatted(lines, names)
    brief = first_sentence(text)
    # Behind a colon a sentence begins without a capital, which here it needs; a formula stays.
    rest = re.sub(
        r"^[a-z](?=[a-z]* [a-z])",
        lambda letter: letter[0].upper(),
        text[len(brief) :].lstrip(".:; "),
    )
    return brief, formatted([rest, *others], names)


# ---- The header ----------------------------------------------------------------------------------


def texts_of(parts):
    """{function: lines of its comment}"""
    texts = {}
    for part in parts:
        if isinstance(part, Part):
            texts |= dict.fromkeys(part.functions(), part.comment) if part.comment else {}
    return texts


def examples():
    """{function: lines of C}"""
    found = {}
    for names, code in EXAMPLE.findall(EXAMPLES.read_text()):
        found |= dict.fromkeys(names.split(), textwrap.dedent(code).rstrip("\n").split("\n"))
    return found


HELPERS_OF_EXAMPLES = (
    "check, ensure, on_device and expect are defined in examples/routines.c, "
    "a program of all examples."
)


def documented(name, lines, names, example):
    """A page for a function and its form with 64-bit sizes."""
    brief, rest = described(name, lines, names - {name})
    shown = [f"@defgroup {name} {name}", f"@brief {escaped(brief)}.", "", *rest]
    if example:
        shown += [
            "<h2>Example</h2>",
            "@code{.c}",
            *example,
            "@endcode",
            escaped(HELPERS_OF_EXAMPLES),
        ]
    return block(shown)


def code_for(part, texts, example_of):
    """The code of a part, the page of each function before it, trailing comments for Doxygen."""
    shown = []
    for at, line in enumerate(part.code):
        if line.startswith("MYBLAS_API"):
            name = FUNCTION.match("\n".join(part.code[at:]))[1]
            base = name.removesuffix("_64")
            if base == name and name in texts:
                shown += documented(name, texts[name], set(texts), example_of.get(name))
            shown += ["", *block([f"@ingroup {base}"])]
        match = re.match(r"(\s*\S.*?)\s*/\* (.*) \*/$", line)
        shown.append(f"{match[1]} /**< {escaped(match[2])} */" if match else line)
    return shown


def for_doxygen(path):
    parts = parts_of(path.read_text())
    texts, example_of = texts_of(parts), examples()
    shown, is_first = [], True
    for part in parts:
        if isinstance(part, str):
            continue
        if part.comment and is_first:
            brief = first_sentence(text_of(part.comment)[0].removeprefix(path.stem + ": "))
            brief = re.sub(r"^[a-z]+\b", lambda word: word[0].capitalize(), brief)  # not cuBLAS
            text = formatted(part.comment, set(texts))
            shown += block([f"@file myblas/{path.name}", f"@brief {escaped(brief)}.", "", *text])
            is_first = False
        elif part.comment and not part.is_before_blank and not part.functions():
            shown += block(formatted(part.comment, set(texts)))
        shown += code_for(part, texts, example_of) + [""]
    return "\n".join(shown)


def index(paths):
    """A page with a line for each function, in the sections of the headers."""
    shown = [
        "# Reference",
        "",
        "Each function has a page with its parameters, statuses, error bound and an example.",
        "@ref myblas.h describes conventions and types, @ref myblas_kernels.h the kernels,",
        "@ref myblas_cublas.h the names of cuBLAS.",
    ]
    for path in paths:
        parts = parts_of(path.read_text())
        texts = texts_of(parts)
        title, rows, about = "Kernels" if path.stem == "myblas_kernels" else "", [], []
        for part in [*parts[1:], ""]:  # the first is about the header
            if isinstance(part, str):
                if rows:
                    shown += [
                        "",
                        f"## {title}",
                        "",
                        *about,
                        "<dl class=\"functions\">",
                        *rows,
                        "</dl>",
                    ]
                title, rows, about = part, [], []
                continue
            if part.comment and part.is_before_blank and title:
                about += formatted(part.comment, set(texts))
            for name in part.functions():
                if name in texts:
                    brief, _ = described(name, texts[name], set())
                    rows.append(f"<dt>@ref {name}</dt><dd>{escaped(brief)}</dd>")
    return "\n".join(shown) + "\n"


# ---- Man pages -----------------------------------------------------------------------------------


def in_man(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def man_text(lines):
    """Lines of a comment: paragraphs, and columns as they are."""
    shown, run, was_column = [], [], False
    for line in [*lines, ""]:
        is_column = line.startswith("  ")
        if run and (not line or is_column):
            for piece in LABEL.sub("\n\\1", " ".join(run)).strip().split("\n"):
                shown += [".PP", in_man(piece.strip())]
            run = []
        if is_column != was_column:
            shown.append(".PP\n.nf" if is_column else ".fi")
        if is_column:
            shown.append(in_man(line))
        elif line:
            run.append(line.strip())
        was_column = is_column
    return shown


def man_example(lines):
    return [".SH EXAMPLE", ".nf", *map(in_man, lines), ".fi", ".PP", in_man(HELPERS_OF_EXAMPLES)]


def prototypes_of(paths):
    """{function: its declaration}"""
    code = "\n".join(path.read_text() for path in paths)
    found = re.findall(r"^MYBLAS_API\s([^;]*?\b(my\w+)\([^;]*;)", code, re.MULTILINE)
    return {name: " ".join(text.split()).replace("( ", "(") for text, name in found}


def write_man_pages(path, declarations, folder, date, version):
    example_of = examples()
    for name, lines in texts_of(parts_of(path.read_text())).items():
        names = [name]
        if f"{name}_64" in declarations:
            names.append(f"{name}_64")
            (folder / f"{name}_64.3").write_text(f".so man3/{name}.3\n")
        brief, _ = described(name, lines, set())
        page = [
            f'.TH {name.upper()} 3 "{date}" "myblas {version}" "myblas"',
            ".ad l\n.nh",  # names are not to be broken
            f".SH NAME\n{', '.join(names)} \\- {in_man(brief)}",
            f".SH SYNOPSIS\n.B #include <myblas/{path.name}>",
            *(f".PP\n.B {in_man(declarations[each])}" for each in names),
            ".SH DESCRIPTION",
            *man_text(lines),
            *(man_example(example_of[name]) if name in example_of else ()),
            ".SH SEE ALSO",
            f".BR {path.stem} (3)"
            + ("" if path.stem == "myblas" else ",\n.BR myblas (3)")
            + ",\n.BR myblas (7)",
        ]
        (folder / f"{name}.3").write_text("\n".join(page) + "\n")


def faults_of(path, example_of):
    parts = parts_of(path.read_text())
    texts = texts_of(parts)
    for name in texts:
        if name not in example_of:
            yield f"{path.name}: {name} has no example in {EXAMPLES.name}"
    for part in parts:
        if not isinstance(part, Part):
            continue
        names = part.functions()
        for name in sorted(names if part.comment else ()):
            words = " ".join(part.comment)
            if len(names) > 1 and not re.search(rf"\b{name}\b", words):
                yield f"{path.name}: the comment on {', '.join(sorted(names))} does not name {name}"
            if NEIGHBOURS.search(words):
                yield f"{path.name}: the text of {name} says '{NEIGHBOURS.search(words)[0]}'"
        for name in names:
            if name not in texts and not name.endswith("_64"):
                yield f"{path.name}: {name} has no text"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("headers", nargs="+", type=pathlib.Path, metavar="HEADER")
    parser.add_argument(
        "--check", action="store_true", help="fail if a function has no text of its own"
    )
    parser.add_argument(
        "--index", action="store_true", help="write a page that lists all functions"
    )
    parser.add_argument("--man", type=pathlib.Path, metavar="DIR", help="write man pages there")
    parser.add_argument("--date", default="", help="of the man pages")
    parser.add_argument("--version", default="", help="of the library, on the man pages")
    arguments = parser.parse_args()
    if arguments.man:
        declarations = prototypes_of(arguments.headers)
        for header in arguments.headers:
            write_man_pages(header, declarations, arguments.man, arguments.date, arguments.version)
        return 0
    if arguments.check:
        example_of = examples()
        faults = [fault for path in arguments.headers for fault in faults_of(path, example_of)]
        functions = {
            name for path in arguments.headers for name in FUNCTION.findall(path.read_text())
        }
        faults += [
            f"{EXAMPLES.name}: there is no {name}" for name in example_of if name not in functions
        ]
        print("\n".join(faults))
        return bool(faults)
    sys.stdout.write(
        index(arguments.headers) if arguments.index else for_doxygen(arguments.headers[0])
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
