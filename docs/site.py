#!/usr/bin/env python3
"""Finishes the site that Doxygen wrote: adds navigation and search index, removes unused files.

usage: docs/site.py HTML PAGE...

The pages are named without their suffix, in the order of the navigation. search_index.js hands
site/site.js a list of [page, heading, address, text, whether it is a function], with an entry for
each section of each page.
"""

import argparse
import html
import html.parser
import json
import pathlib
import re
import sys
import urllib.parse

NAVIGATION = '<nav id="pages" aria-label="Pages"></nav>'
HEADINGS = ("h1", "h2", "h3", "h4")
# Tags within words. The others separate words.
INLINE = {"a", "b", "code", "em", "i", "s", "small", "span", "strong", "sub", "sup", "tt", "wbr"}

LONGEST_UNBROKEN = 12  # characters


def joined(text):
    return " ".join(text.replace("◆", "").split())


def breakable(code):
    """Allows breaks between the words of long names, for narrow windows, but not in short code."""
    if len(html.unescape(re.sub("<[^>]*>", "", code[0]))) <= LONGEST_UNBROKEN:
        return code[0].replace("<code>", '<code class="unbroken">', 1)
    between = r"(<[^>]*>)|(?<=[_/])(?=\w)|(?<=[a-z0-9])(?=[A-Z])"
    return re.sub(between, lambda found: found[0] or "<wbr>", code[0])


def tidied(source, is_function):
    """A page of Doxygen's without repetitions, and without links to its pages about folders and
    about Markdown files, which say nothing."""
    source = re.sub(r'<a [^>]*href="(?:dir_\w+|\w+_8md)\.html"[^>]*>(.*?)</a>', r"\1", source)
    source = re.sub(r'<div (?:id="nav-path"|class="summary").*?</div>', "", source, flags=re.DOTALL)
    source = re.sub(r'<a href="#details">.*?</a>', "", source)
    source = re.sub(r" (?:File|Struct) Reference(?=<)", "", source)
    source = source.replace("&#160;</td>", "</td>")
    # Markdown has no table without a head.
    source = re.sub(r'<tr class="markdownTableHead">\s*(?:<th[^>]*>\s*</th>\s*)+</tr>', "", source)
    source = re.sub(r"<code>.*?</code>", breakable, source)
    source = re.sub(r'<div class="line">(?=\+ )', '<div class="line added">', source)
    if not is_function:
        return source
    # The declaration below has the name, too.
    source = re.sub(r'<h2 class="memtitle">.*?</h2>', "", source)
    return source.replace("<main>", '<main class="function">')


class Page(html.parser.HTMLParser):
    """A page's title, sections {"heading", "anchor", "text"} and targets of links."""

    def __init__(self, path):
        super().__init__()
        self.name = path.stem
        self.is_function = self.name.startswith("group__")
        self.source = tidied(path.read_text(), self.is_function)
        self.links = []
        self.title = ""
        self.sections = []
        self.anchor = ""  # the last one since the last text
        self.into = None  # what takes text: "title", "heading", "text"
        self.feed(self.source)
        self.title = joined(self.title).removeprefix("myblas: ")

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.links += [attributes[name] for name in ("href", "src") if attributes.get(name)]
        self.anchor = attributes.get("id") or self.anchor
        if tag == "title":
            self.into = "title"
        elif tag == "main":
            self.sections.append({"heading": "", "anchor": "", "text": ""})
            self.into = "text"
        elif tag in HEADINGS and self.into:
            self.sections.append({"heading": "", "anchor": self.anchor, "text": ""})
            self.into = "heading"
        elif self.into == "heading" and not self.sections[-1]["heading"].strip():
            self.sections[-1]["anchor"] = self.anchor
        if tag not in INLINE:
            self.handle_data(" ")

    def handle_endtag(self, tag):
        if tag in ("title", "main"):
            self.into = None
        elif tag in HEADINGS and self.into:
            self.into = "text"
        elif tag not in INLINE:
            self.handle_data(" ")

    def handle_data(self, data):
        if self.into == "title":
            self.title += data
        elif self.into:
            self.sections[-1][self.into] += data
        if data.strip():
            self.anchor = ""

    def entries(self):
        """What the search finds. A function is one entry, whatever its sections."""
        texts = [joined(section["text"]) for section in self.sections]
        texts[0] = texts[0].removeprefix(self.title).lstrip()
        if self.is_function:
            brief, declaration, *description = texts
            return [
                [
                    self.title,
                    self.title,
                    f"{self.name}.html",
                    " ".join([brief, *description, declaration]),
                    1,
                ]
            ]
        return [
            [
                self.title,
                joined(section["heading"]) or self.title,
                f"{self.name}.html" + (f"#{section['anchor']}" if section["anchor"] else ""),
                text,
                0,
            ]
            for section, text in zip(self.sections, texts)
        ]


def pages_from(folder, first):
    """{name: page} of all that can be reached from the first ones, and the files that they use."""
    pages, files, left = {}, set(), list(first)
    while left:
        name = left.pop()
        path = folder / name
        if name in files or not path.is_file():
            continue
        files.add(name)
        if path.suffix == ".html":
            page = pages[path.stem] = Page(path)
            left += [urllib.parse.unquote(link.partition("#")[0]) for link in page.links]
    return pages, files


def navigation(pages, order, current):
    """Links to the pages, and below the current one to its sections."""
    # A function or a type is a part of the reference.
    marked = current.name if current.name in order else "reference"
    lines = ["<ul>"]
    for name in order:
        mark = ' aria-current="page"' if name == marked else ""
        lines.append(f'<li><a href="{name}.html"{mark}>{html.escape(pages[name].title)}</a>')
        sections = [
            section for section in current.sections if section["anchor"] and section["heading"]
        ]
        if name == current.name and sections:
            lines.append("<ul>")
            lines += [
                f'<li><a href="#{section["anchor"]}">'
                f"{html.escape(joined(section['heading']))}</a></li>"
                for section in sections
            ]
            lines.append("</ul>")
        lines.append("</li>")
    return "\n".join([*lines, "</ul>"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("html", type=pathlib.Path)
    parser.add_argument("pages", nargs="+", metavar="PAGE")
    arguments = parser.parse_args()
    folder = arguments.html
    order = ["index", *(name.lower() for name in arguments.pages)]
    pages, files = pages_from(folder, [f"{name}.html" for name in order])
    if missing := [name for name in order if name not in pages]:
        sys.exit(f"{folder} has no page {', '.join(missing)}")

    for path in folder.iterdir():
        if (
            path.is_file()
            and path.name not in files
            and path.suffix in (".html", ".js", ".css", ".png", ".svg")
        ):
            path.unlink()
    for page in pages.values():
        if NAVIGATION not in page.source:
            sys.exit(f"{page.name}.html has no place for the navigation")
        with_links = NAVIGATION.replace("></", f">\n{navigation(pages, order, page)}\n</")
        (folder / f"{page.name}.html").write_text(page.source.replace(NAVIGATION, with_links))
    named = [*order, *sorted(pages.keys() - set(order))]
    entries = [entry for name in named for entry in pages[name].entries()]
    # As a script, because a page in a file may not read another file.
    index = json.dumps(entries, ensure_ascii=False, separators=(",", ":"))
    (folder / "search_index.js").write_text(f"take_index({index});\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
