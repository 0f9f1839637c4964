"""Makes Matplotlib's SVG short: one path for all marks, bars or grid lines of a kind, and each style once.

Pictures follow the reader's choice of light or dark pages: of what Matplotlib draws in the colours of LIGHT there is a
second style in those of DARK. Other colours, those of series, are for both.
"""

import itertools
import re
import xml.etree.ElementTree as ElementTree
from xml.sax.saxutils import escape, quoteattr

from theme import DARK, LIGHT

DECIMALS = 2  # of a point
FONTS = ["DejaVu Sans", "Verdana", "Arial"]
SVG, XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
NUMBER = r"-?\d+\.?\d*(?:e-?\d+)?"


def rounded(text):
    value = round(float(text), DECIMALS)
    return f"{value:.{DECIMALS}f}".rstrip("0").rstrip(".") if value else "0"


def path_data(text):
    """`M 1.504 2.0 \\n L 3.0 4.0` as `M1.5 2L3 4`."""
    words = re.findall(rf"[A-Za-z]|{NUMBER}", text)
    data = ""
    for before, word in zip(["M", *words], words):
        if word.isalpha():
            data += word
        else:
            data += rounded(word) if before.isalpha() else " " + rounded(word)
    return data


def darkened(style):
    """The properties of a style that are of other colours on dark pages."""
    dark = dict(zip(LIGHT, DARK))
    pairs = (text.split(":") for text in style.split(";"))
    return ";".join(f"{name}:{dark[value]}" for name, value in pairs if value in dark)


def properties(style):
    return dict(re.findall(r"([\w-]+): ([^;]+)", style))


def joined(parts, anywhere):
    """Paths of the same attributes as one: neighbours, or all."""
    result = []
    for attributes, content in parts:
        like = [part for part in (result if anywhere else result[-1:]) if part[0] == attributes]
        if attributes is not None and like:
            like[0][1] += content
        else:
            result.append([attributes, content])
    return result


class Picture:
    """What is drawn, in order, as pairs: the attributes of a path and its data, or None and a line of SVG."""

    def __init__(self, root):
        self.root = root
        self.classes = {}  # {properties: name}
        self.clips = {}  # {identifier: (name, rectangle)}
        self.markers = {e.get("id"): e.get("d") for e in root.iter(f"{SVG}path") if e.get("id")}
        for clip in root.iter(f"{SVG}clipPath"):
            sides = " ".join(f'{name}="{rounded(value)}"' for name, value in clip[0].items())
            self.clips[clip.get("id")] = (f"c{len(self.clips)}", f"<rect {sides}/>")
        self.parts = self.parts_of(root, None)

    def styled(self, style):
        text = ";".join(f"{name}:{value}" for name, value in style.items())
        return f' class="{self.classes.setdefault(text, f"s{len(self.classes)}")}"'

    def path(self, style, clip, data):
        name = clip and self.clips[clip.removeprefix("url(#").removesuffix(")")][0]
        return self.styled(style) + (f' clip-path="url(#{name})"' if clip else ""), data

    def mark(self, use, clip):
        """A straight line, or a disc, which is drawn as the round end of a line that has hardly any length."""
        style = properties(use.get("style"))
        x, y = float(use.get("x")), float(use.get("y"))
        at = f"M{rounded(x)} {rounded(y)}"
        shape = path_data(self.markers[use.get(f"{XLINK}href").removeprefix("#")])
        line = re.fullmatch(rf"M({NUMBER}) ({NUMBER})L({NUMBER}) ({NUMBER})", shape)
        if line:
            x0, y0, x1, y1 = map(float, line.groups())
            begin = f"M{rounded(x + x0)} {rounded(y + y0)}"
            return self.path(style, clip, f"{begin}l{rounded(x1 - x0)} {rounded(y1 - y0)}")
        radius = float(re.match(rf"M0 ({NUMBER})C", shape)[1])
        width = 2 * radius + float(style.get("stroke-width", 1))
        disc = {"stroke": style["stroke"], "stroke-width": rounded(width), "stroke-linecap": "round"}
        return self.path(disc, clip, f"{at}h.01")

    def parts_of(self, element, clip):
        clip = element.get("clip-path", clip)
        parts = []
        for child in element:
            tag = child.tag.removeprefix(SVG)
            if tag == "path" and child.get("d"):  # lines may have nothing within the axes
                style = properties(child.get("style"))
                parts.append(self.path(style, child.get("clip-path", clip), path_data(child.get("d"))))
            elif tag == "use":
                parts.append(self.mark(child, clip))
            elif tag == "text" or child.get("transform"):
                parts.append((None, self.line_of(child)))
            elif tag == "g":
                parts += self.parts_of(child, clip)
        # Of an axis, the texts are beside its lines.
        return joined(parts, anywhere=element.get("id", "").startswith("matplotlib.axis"))

    def line_of(self, element):
        """A text, or a group of texts, without rotations by nothing."""
        tag = element.tag.removeprefix(SVG)
        line = f"<{tag}"
        for name, value in element.items():
            if name == "style":
                line += self.styled(properties(value))
            elif name != "id" and not value.startswith("rotate(-0 "):
                line += f" {name}={quoteattr(re.sub(NUMBER, lambda n: rounded(n[0]), value))}"
        inner = escape((element.text or "").strip()) + "".join(map(self.line_of, element))
        return f"{line}>{inner}</{tag}>"

    def write(self, description):
        size = " ".join(f'{name}="{self.root.get(name)}"' for name in ("width", "height", "viewBox"))
        dark = {name: darkened(style) for style, name in self.classes.items()}
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size}>',
            f"<desc>{escape(description)}</desc>",
            "<style>",
            "*{stroke-linejoin:round;stroke-linecap:butt}",
            "path{fill:none}",
            *(f".{name}{{{style}}}" for style, name in self.classes.items()),
            "@media (prefers-color-scheme:dark){",
            *(f".{name}{{{style}}}" for name, style in dark.items() if style),
            "}",
            "</style>",
            *(f'<clipPath id="{name}">{shape}</clipPath>' for name, shape in self.clips.values()),
        ]
        # Texts that follow one another, those of an axis, are one line.
        for are_texts, parts in itertools.groupby(self.parts, lambda part: part[0] is None):
            if are_texts:
                lines.append("".join(content for _, content in parts))
            else:
                lines += [f'<path{attributes} d="{content}"/>' for attributes, content in parts]
        return "\n".join([*lines, "</svg>", ""])


def compact(text, description):
    """The picture `text`, which Matplotlib wrote, with a description for programs that look for it."""
    return Picture(ElementTree.fromstring(text)).write(description)
