#!/usr/bin/env python3
"""Looks at the site in Chromium, from files. In a narrow and a wide window nothing is cut off or
wider than the window, text has contrast in the light and the dark theme, and the search finds parts
of names and sentences.

usage: browser.py HTML WORK

Status 77: there is no Chromium, or no site.
"""

import html
import json
import pathlib
import re
import shutil
import subprocess
import sys

WIDTHS = (412, 1280)
LEAST_CONTRAST = 4.5  # WCAG 2, level AA
# What is typed, and what the first results, or any result, must be.
SEARCHES = (
    ("gemm", "mysgemm", "mysgemmStridedBatched"),
    ("StridedBatched gemm", None, "mysgemmStridedBatched"),
    ("mysdot", "mysdot", "mysdot"),
    ("rsmB", "mystrsmBatched", "mystrsmBatched"),
    ("MYBLAS_WORKSPACE", None, "Variables of the environment"),
    ("two streams with one handle, without CUDA's headers", "The first call", "The first call"),
)

# Each page in a frame of each width. Chromium's own window cannot be as narrow.
LOOK = """<!DOCTYPE html><meta charset="utf-8">
<iframe style="height: 900px; border: 0"></iframe><pre></pre>
<script>
const frame = document.querySelector("iframe");
const faults = [];
let looked_at = 0;

function luminance([r, g, b]) {
    const linear = [r / 255, g / 255, b / 255].map(
        (v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}

function colour(text) {
    const [r, g, b, alpha] = text.match(/[0-9.]+/g).map(Number);
    return alpha === 0 ? null : [r, g, b];
}

function background(element, view) {
    for (; element !== null; element = element.parentElement) {
        const found = colour(view.getComputedStyle(element).backgroundColor);
        if (found !== null)
            return found;
    }
    return DARK ? [18, 18, 18] : [255, 255, 255];
}

function look(page, width) {
    const view = frame.contentWindow, body = view.document.body;
    const tell = (what, element) => faults.push(
        `${page} at ${width}: ${what}: <${element.localName} class="${element.className}"> ` +
        element.textContent.trim().slice(0, 60).replace(/\\s+/g, " "));
    if (view.document.documentElement.scrollWidth > width)
        tell("scrolls sideways", body);
    for (const element of body.querySelectorAll("*")) {
        const box = element.getBoundingClientRect(), style = view.getComputedStyle(element);
        if (box.width === 0 || style.visibility === "hidden")
            continue;
        let scrolls = false;
        for (let outer = element.parentElement; outer !== body; outer = outer.parentElement)
            scrolls ||= /auto|scroll/.test(view.getComputedStyle(outer).overflowX);
        if (!scrolls && (box.right > width + 0.5 || box.left < -0.5))
            tell("beyond the window", element);
        if (/hidden|clip/.test(style.overflowX) && element.scrollWidth > element.clientWidth + 1)
            tell("cut off", element);
        const texts = [...element.childNodes].filter((node) => node.nodeType === 3);
        if (texts.some((node) => node.data.trim() !== "")) {
            const [a, b] = [colour(style.color), background(element, view)].map(luminance);
            const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            if (contrast < LEAST)
                tell(`contrast ${contrast.toFixed(1)}`, element);
        }
    }
    ++looked_at;
}

async function run() {
    for (const width of WIDTHS)
        for (const page of PAGES) {
            frame.style.width = `${width}px`;
            await new Promise((done) => { frame.onload = done; frame.src = FOLDER + page; });
            look(page, width);
        }
    document.querySelector("pre").textContent = JSON.stringify({faults, looked_at});
}
run();
</script>
"""


def dumped(browser, work, address, *options):
    """The document as it is when its scripts have run."""
    command = [
        browser,
        "--headless",
        "--disable-gpu",
        "--allow-file-access-from-files",
        "--no-first-run",
    ]
    command += [
        f"--user-data-dir={work}/profile",
        "--virtual-time-budget=600000",
        *options,
        "--dump-dom",
        address,
    ]
    command += ["--no-sandbox"]  # which root, and many containers, cannot have
    return subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=900
    ).stdout


def look_at(browser, folder, work, is_dark):
    pages = sorted(path.name for path in folder.glob("*.html"))
    values = {
        "WIDTHS": WIDTHS,
        "PAGES": pages,
        "FOLDER": folder.as_uri() + "/",
        "DARK": is_dark,
        "LEAST": LEAST_CONTRAST,
    }
    constants = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in values.items())
    page = work / "look.html"
    page.write_text(LOOK.replace("<script>\n", f"<script>\n{constants}", 1))
    scheme = 0 if is_dark else 1
    found = dumped(browser, work, page.as_uri(), f"--blink-settings=preferredColorScheme={scheme}")
    report = json.loads(html.unescape(re.search(r"<pre>(\{.*\})</pre>", found, re.DOTALL)[1]))
    if report["looked_at"] != len(pages) * len(WIDTHS):
        report["faults"].append(
            f"{report['looked_at']} of {len(pages) * len(WIDTHS)} looks were taken"
        )
    return report


def search(browser, folder, work, query):
    """The titles of the results: of each its heading and its page."""
    address = (folder / "index.html").as_uri() + "?q=" + query.replace("'", "%27").replace(" ", "+")
    found = dumped(browser, work, address)
    results = found[found.find('<div id="results"') :].partition("</form>")[0]
    return [
        [
            re.sub(r"<[^>]*>", "", html.unescape(part))
            for part in re.findall(r"<(?:b|small)>(.*?)</(?:b|small)>", result)
        ]
        for result in re.findall(r"<a .*?</a>", results, re.DOTALL)
    ]


def main():
    folder, work = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    work.mkdir(parents=True, exist_ok=True)
    browser = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    if not (folder / "index.html").exists():
        print("skipped: there is no site")
        return 77
    if browser is None or "<p>here</p>" not in dumped(browser, work, "data:text/html,<p>here</p>"):
        print("skipped: there is no Chromium that runs")
        return 77
    faults = []
    for is_dark in (False, True):
        report = look_at(browser, folder, work, is_dark)
        theme = "dark" if is_dark else "light"
        faults += [f"{theme}: {fault}" for fault in report["faults"]]
        print(f"{theme}: {report['looked_at']} looks, {len(report['faults'])} faults")
    for query, first, wanted in SEARCHES:
        results = search(browser, folder, work, query)
        if not any(wanted in result for result in results):
            faults.append(f"search for {query}: {wanted} is not among {results}")
        elif first and results[0][0] != first:
            faults.append(f"search for {query}: {results[0][0]} comes before {first}")
    print("\n".join(faults[:40]))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
