#!/usr/bin/env python3
"""Prepares a Markdown page for Doxygen, which knows labels but no links between files.

usage: docs/page.py PAGE

Each page and heading gets a label, and links point to labels. Pictures are plain HTML, so that
pictures with the same name in several folders are not mixed up. Links to anything but a page of the
site become text. Names of functions become links to the reference.
"""

import pathlib
import re
import sys

import reference

ROOT = pathlib.Path(__file__).resolve().parent.parent
SITE = {ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")}
FUNCTIONS = {
    name
    for header in (ROOT / "include/myblas").glob("*.h")
    for name in reference.FUNCTION.findall(header.read_text())
    if not name.endswith("_64")
}
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def is_page(path):
    return path in SITE or (path.parent == ROOT / "docs" and path.suffix == ".md")


def slug(heading):
    """As GitHub and others name the anchor of a heading."""
    words = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower())
    return words.strip().replace(" ", "-")


def label(path, anchor=""):
    page = path.stem.lower()
    if anchor:
        return f"{page}_{anchor}"
    return "index" if page == "readme" else page


def function_link(match):
    return f'<code>@ref {match[1]} "{match[1]}"</code>' if match[1] in FUNCTIONS else match[0]


def for_doxygen(path):
    def link(match):
        is_picture, text, target = match[1], match[2], match[3]
        if re.match(r"[a-z]+:", target):
            return match[0]
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        if is_picture:
            source = file.relative_to(ROOT / "docs")
            return f'<img src="{source}" alt="{text}" style="max-width:100%"/>'
        if is_page(file):
            plain = text.replace("`", "")  # Doxygen shows the text of such a link as it is
            return f"[{plain}](@ref {label(file, anchor)})"
        return text

    lines, is_code, seen = [], False, set()
    for line in path.read_text().splitlines():
        heading = re.match(r"(#+) (.*)", line)
        if line.startswith("```"):
            is_code = not is_code
        elif is_code:
            pass
        elif heading and len(heading[1]) == 1 and label(path) == "index":
            pass  # Doxygen labels the main page itself
        elif heading and len(heading[1]) == 1:
            line = f"# {heading[2]} {{#{label(path)}}}"
        elif heading:
            name = slug(heading[2])
            # A name for the second heading of its kind, as GitHub has it.
            numbered, count = name, 0
            while numbered in seen:
                count += 1
                numbered = f"{name}-{count}"
            seen.add(numbered)
            line = f"{heading[1]} {heading[2]} {{#{label(path, numbered)}}}"
        else:
            # Not those within the text of a link.
            line = re.sub(r"(?<![\[\w`])`(my\w+)`(?![\w`\]])", function_link, LINK.sub(link, line))
        lines.append(line)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(for_doxygen(pathlib.Path(sys.argv[1]).resolve()))
