#!/usr/bin/env python3
"""Checks that links within a folder of pages, Markdown or HTML, lead somewhere.

usage: links.py FOLDER [--pages PATTERN...]

Links to the web are not followed. With --pages, the pages are the files that match; without it, all
.md and .html files.
"""

import argparse
import html.parser
import pathlib
import re
import sys
import urllib.parse

MARKDOWN_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def markdown(text):
    """(links, anchors) of a page. Anchors are those of GitHub."""
    links, anchors = [], set()
    is_code = False
    # A link may be broken over two lines.
    for line in re.sub(r"(\[[^\]\n]*)\n([^\]\n]*\]\()", r"\1 \2", text).splitlines():
        if line.startswith("```"):
            is_code = not is_code
        elif is_code:
            continue
        elif line.startswith("#"):
            heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line.lstrip("#").strip()).lower()
            anchors.add(re.sub(r"[^\w\- ]", "", heading).replace(" ", "-"))
        else:
            links += MARKDOWN_LINK.findall(re.sub(r"`[^`]*`", "", line))
    return links, anchors


class Html(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.anchors = [], set()

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name in ("id", "name") and value:
                self.anchors.add(value)


def parsed(path, cache):
    if path not in cache:
        text = path.read_text(errors="replace")
        if path.suffix == ".md":
            cache[path] = markdown(text)
        else:
            page = Html()
            page.feed(text)
            cache[path] = page.links, page.anchors
    return cache[path]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--pages", nargs="+", default=["**/*.md", "**/*.html"])
    arguments = parser.parse_args()
    pages = sorted({page for pattern in arguments.pages for page in arguments.folder.glob(pattern)})
    cache, broken, count = {}, [], 0
    for page in pages:
        for link in parsed(page, cache)[0]:
            if re.match(r"[a-z]+:", link):
                continue
            count += 1
            name, _, anchor = urllib.parse.unquote(link).partition("#")
            target = (page.parent / name) if name else page
            if not target.exists():
                broken.append(f"{page}: {link}: not there")
            elif (
                anchor
                and target.suffix in (".md", ".html")
                and anchor not in parsed(target, cache)[1]
            ):
                broken.append(f"{page}: {link}: no such place")
    print("\n".join(broken) or f"{count} links of {len(pages)} pages")
    # No pages at all would pass otherwise.
    return bool(broken) or count == 0


if __name__ == "__main__":
    sys.exit(main())
