#!/usr/bin/env python3
"""Checks the site without a browser: search index and navigation, and that it needs no network.

usage: search.py HTML SYMBOLS

SYMBOLS is the list of exported functions. Each has a page, which the reference names.
"""

import json
import pathlib
import re
import sys

HTML = pathlib.Path(sys.argv[1])
FUNCTIONS = re.findall(r"^(\w+)@", pathlib.Path(sys.argv[2]).read_text(), re.MULTILINE)
BASES = [name for name in FUNCTIONS if not name.endswith("_64")]
# Texts of pages: one has a function's name in it, the other runs over two lines of its page.
SENTENCES = {
    "tutorial.html": "myblasCreate makes a handle. It holds the device, the stream, the modes",
    "architecture.html": "has one persistent block for each multiprocessor",
}


def index():
    """[(page, heading, address, text, whether it is a function)]"""
    text = (HTML / "search_index.js").read_text()
    return json.loads(re.fullmatch(r"take_index\((.*)\);\n", text, re.DOTALL)[1])


def faults(entries, pages):
    headings = {heading for _, heading, _, _, is_function in entries if is_function}
    for name in BASES:
        if name not in headings:
            yield f"the search does not know {name}"
        if f"group__{name}.html" not in pages["reference.html"]:
            yield f"the reference does not lead to {name}"
        page = pages.get(f"group__{name}.html", "")
        if "<h2>Example</h2>" not in page:
            yield f"the page of {name} has no example"
    for name in FUNCTIONS:
        page = pages.get(f"group__{name.removesuffix('_64')}.html", "")
        if not re.search(rf'<td class="memname">.*[ *]{name} *</td>', page):
            yield f"{name} is not declared on its page"
    for page, sentence in SENTENCES.items():
        if not any(
            address.startswith(page) and sentence in text for _, _, address, text, _ in entries
        ):
            yield f"a sentence of {page} is not found: {sentence}"
    for page, heading, address, _, _ in entries:
        if not page or not heading or not (HTML / address.partition("#")[0]).exists():
            yield (
                "the search has an entry without a page, a heading or an address: "
                f"{page}, {heading}, {address}"
            )

    order = re.findall(r'href="([\w.]+)"', pages["index.html"].partition('<nav id="pages"')[2])
    for page, text in pages.items():
        navigation = text.partition('<nav id="pages"')[2]
        for link in (
            "index.html",
            "reference.html",
            *(link for link in order if link.endswith(".html")),
        ):
            if f'href="{link}"' not in navigation:
                yield f"{page} does not lead to {link}"
        if re.search(
            r'(?:<script|<img|<iframe)[^>]*src="(?:https?:)?//|<link[^>]*href="(?:https?:)?//', text
        ):
            yield f"{page} needs the network"
        if 'name="viewport"' not in text:
            yield f"{page} is laid out for a wide window alone"
        if re.search(r'href="[^"]*(?:_8md|dir_\w+)\.html"', text):
            yield f"{page} leads to a page that says nothing"


def main():
    entries = index()
    pages = {path.name: path.read_text() for path in HTML.glob("*.html")}
    found = list(faults(entries, pages))
    print("\n".join(found))

    # The checks must find planted errors.
    without_reference = pages | {
        "tutorial.html": pages["tutorial.html"].replace('href="reference.html"', "")
    }
    lies = {
        "a function that is not in the index": (
            [entry for entry in entries if entry[1] != "mysgemmStridedBatched"],
            pages,
        ),
        "a page that is not in the index": (
            [entry for entry in entries if not entry[2].startswith("tutorial.html")],
            pages,
        ),
        "a page without the reference": (entries, without_reference),
        "a function without a page": (entries, pages | {"group__mysgemm.html": ""}),
    }
    for what, statements in lies.items():
        if not list(faults(*statements)):
            print(f"not found: {what}")
            found.append(what)
    print(f"{len(entries)} entries of the search, {len(BASES)} functions, {len(pages)} pages")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
