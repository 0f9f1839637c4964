"""The plots of docs/performance.md that show one file of results each, and the writing of plots."""

import collections.abc
import dataclasses
import io
import math

from measurements import Problem
from theme import COLOURS, DARK, LIGHT

OURS = "myblas"
BACKGROUND, TEXT, LINE, QUIET = LIGHT
FONTS = ["DejaVu Sans", "Verdana", "Arial"]
# On dark pages, the colours of DARK replace those of LIGHT. Series keep their colours.
DARK_RULES = "".join(
    f'[style*="{part}: {light}"]{{{part}:{dark}!important}}'
    for light, dark in zip(LIGHT, DARK)
    for part in ("fill", "stroke")
)
DARK_STYLE = f"<style>@media (prefers-color-scheme:dark){{{DARK_RULES}}}</style>"

# Files of products, and the colour of each contender.
PRODUCT_FILES = {
    "strict": ("sgemm_strict_public", "sgemm_strict_random"),
    "emulated": ("sgemm_emulated_public",),
    "fast": ("sgemm_fast_public", "sgemm_fast_random"),
}
COLOUR_OF = {"strict": "C0", "emulated": "C2", "fast": "C3", "cuBLAS": "C1"}


def gather(entries, label, x, y):
    """{label: [(x, y)]} in the order of the rows; label, x and y are functions of a row."""
    series = {}
    for entry in entries:
        series.setdefault(label(entry), []).append((x(entry), y(entry)))
    return series


@dataclasses.dataclass
class Plot:
    """One picture: `draw` gets as many axes as there are columns, and the rows that are wanted."""

    name: str
    caption: str
    draw: collections.abc.Callable
    wanted: collections.abc.Callable = lambda entry: True
    columns: int = 1
    share_y: bool = True

    def layout(self, _entries):
        """Rows and columns of axes, and inches."""
        return (1, self.columns), (8, 4)


def draw_lines(axis, series, x_label, has_legend=True, base=2):
    for label, points in series.items():
        axis.plot(*zip(*sorted(points)), marker="o", markersize=3, label=label)
    axis.set_xlabel(x_label)
    axis.set_xscale("log", base=base)
    if series and has_legend:
        axis.legend()


def put_legend_below(figure, labelled):
    """One legend for all axes. Inside the axes it would hide something."""
    handles, labels = labelled.get_legend_handles_labels()
    if handles:
        columns = 5 if max(map(len, labels)) < 12 else 3
        inches = 0.1 + 0.24 * math.ceil(len(labels) / columns)
        height = inches / figure.get_figheight()
        figure.get_layout_engine().set(rect=(0, height, 1, 1 - height))
        figure.legend(
            handles, labels, loc="lower center", ncols=columns, frameon=False, markerscale=1.8
        )


def label_plainly(axis):
    """Labels a logarithmic axis with numbers such as 2, 0.5 and 1000, not with powers of 10."""
    from matplotlib.ticker import LogFormatter

    class Plain(LogFormatter):
        def __call__(self, value, position=None):
            return f"{value:g}" if super().__call__(value, position) else ""

    axis.set_major_formatter(Plain())
    axis.set_minor_formatter(Plain())


def draw_ratio_lines(label, x_label):
    def draw(axes, entries):
        series = gather(entries, label, lambda e: e["n"], lambda e: e["ratio"])
        draw_lines(axes[0], series, x_label)
        axes[0].axhline(1, color=TEXT, linewidth=0.8)
        axes[0].set_ylabel("ratio")

    return draw


def draw_ratios_by_routine(x_label):
    """Draws ratios by routine. The legend stands below: inside there is no room for it."""

    def draw(axes, entries):
        series = gather(entries, lambda e: e["routine"], lambda e: e["n"], lambda e: e["ratio"])
        draw_lines(axes[0], series, x_label, has_legend=False)
        axes[0].axhline(1, color=TEXT, linewidth=0.8)
        axes[0].set(ylabel="ratio", yscale="log")
        label_plainly(axes[0].yaxis)
        put_legend_below(axes[0].figure, axes[0])

    return draw


def draw_ratios(label, x, x_label):
    def draw(axes, entries):
        for series, points in gather(entries, label, x, lambda e: e["ratio"]).items():
            axes[0].scatter(*zip(*points), s=10, label=series)
        axes[0].axhline(1, color=TEXT, linewidth=0.8)
        axes[0].set(xlabel=x_label, ylabel="ratio", xscale="log", yscale="log")
        axes[0].legend()
        label_plainly(axes[0].yaxis)

    return draw


def draw_times_by_routine(axes, entries):
    """A bar of our time for each routine, and below it one for each incumbent."""
    bars = {}  # {(routine, name): microseconds}
    for entry in entries:
        bars[entry["routine"], OURS] = entry["time_us"]
        bars[entry["routine"], entry["incumbent"]] = entry["incumbent_us"]
    labels = [f"{routine}: {name}" if name == OURS else name for routine, name in bars]
    colours = [COLOURS[0] if name == OURS else LINE for _, name in bars]
    axes[0].barh(range(len(bars)), bars.values(), color=colours)
    axes[0].set_yticks(range(len(bars)), labels=labels)
    axes[0].margins(y=0.01)
    axes[0].invert_yaxis()
    axes[0].set_xlabel("microseconds")
    axes[0].figure.set_figheight(0.6 + 0.23 * len(bars))


DRAWN_DATA = ("uniform", "positive", "lognormal-8")


def draw_errors_by_k(axes, entries):
    for axis, kind in zip(axes, DRAWN_DATA):
        of_kind = [entry for entry in entries if entry["data"] == kind]
        for error, style in (("max_ulp", "-"), ("mean_ulp", "--")):
            series = gather(of_kind, lambda e: e["contender"], lambda e: e["k"], lambda e: e[error])
            for i, (label, points) in enumerate(series.items()):
                label = label if style == "-" else None
                axis.plot(*zip(*sorted(points)), style, color=f"C{i}", linewidth=1, label=label)
        axis.set(title=kind, xlabel="k", yscale="log")
        axis.set_xscale("log", base=2)
    axes[0].set_ylabel("|C - AB| / |A||B|, units of 2^-24")
    put_legend_below(axes[0].figure, axes[0])


def draw(plot, entries, digest, path):
    try:
        import matplotlib
    except ImportError:
        raise Problem("the plots need Matplotlib (Debian: python3-matplotlib)") from None
    matplotlib.use("svg")
    import matplotlib.pyplot as pyplot

    style = {
        "svg.fonttype": "none",  # text stays text, not outlines
        "svg.hashsalt": "myblas",  # a plot that is drawn again has the same identifiers
        "font.sans-serif": FONTS,
        # In points, which are 4/3 pixels on a page. The text can still be read at half of this
        # size.
        "font.size": 12,
        "axes.titlesize": "medium",
        "axes.prop_cycle": pyplot.cycler(color=COLOURS),
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.linewidth": 0.6,
        "grid.color": QUIET,
        **dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), BACKGROUND),
        **dict.fromkeys(("axes.edgecolor", "xtick.color", "ytick.color"), LINE),
        **dict.fromkeys(("text.color", "axes.labelcolor", "axes.titlecolor"), TEXT),
        **dict.fromkeys(("xtick.labelcolor", "ytick.labelcolor"), TEXT),
        "legend.facecolor": BACKGROUND,
        "legend.edgecolor": LINE,
    }
    grid, size = plot.layout(entries)
    with pyplot.rc_context(style):
        figure, axes = pyplot.subplots(
            *grid, figsize=size, squeeze=False, sharey=plot.share_y, layout="constrained"
        )
        plot.draw(axes.ravel(), entries)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Description": digest})
        pyplot.close(figure)
    path.write_text(text.getvalue().replace("<defs>", f"{DARK_STYLE}<defs>", 1))
