"""The plots of docs/performance.md: what each draws of the rows of a file of results."""

import io

import svg
from measurements import Problem
from rows import form_of, incumbent_rate, name_of, rate

OURS = "myblas"


def gather(entries, label, x, y):
    """{label: [(x, y)]} in the order of the rows; label, x and y are functions of a row."""
    series = {}
    for entry in entries:
        series.setdefault(label(entry), []).append((x(entry), y(entry)))
    return series


def with_ours(entries, x):
    """The rates of the incumbents, and ours once for each case."""
    series = gather(entries, lambda e: OURS, x, rate)
    series = {label: list(dict(points).items()) for label, points in series.items()}
    return series | gather(entries, lambda e: e["incumbent"], x, incumbent_rate)


class Plot:
    """One picture: `draw` gets as many axes as there are columns, and the rows that are wanted."""

    def __init__(self, name, caption, draw, wanted=lambda entry: True, columns=1):
        self.name = name
        self.caption = caption
        self.draw = draw
        self.wanted = wanted
        self.columns = columns


def draw_lines(axis, series, x_label, has_legend=True):
    for label, points in series.items():
        axis.plot(*zip(*sorted(points)), marker="o", markersize=3, label=label)
    axis.set_xlabel(x_label)
    axis.set_xscale("log", base=2)
    if series and has_legend:
        axis.legend()


def put_legend_beside(axes, labelled):
    """One for all axes, which would hide something in any of them."""
    handles, labels = labelled.get_legend_handles_labels()
    axes[-1].legend(handles, labels, loc="upper left", bbox_to_anchor=(1, 1))


def label_plainly(axis):
    """On a logarithmic axis 2 and 0.5, not powers of 10."""
    from matplotlib.ticker import LogFormatter

    axis.set_major_formatter(LogFormatter())
    axis.set_minor_formatter(LogFormatter())


def draw_square_rates(axes, entries):
    for axis, form in zip(axes, ("NN", "NT", "TN", "TT")):
        of_form = [entry for entry in entries if form_of(entry) == form]
        draw_lines(axis, with_ours(of_form, lambda e: e["n"]), "m = n = k", has_legend=False)
        axis.set(title=form, ylim=(0, None))
    axes[0].set_ylabel("TFLOP/s")
    put_legend_beside(axes, axes[0])


def draw_vector_rates(axes, entries):
    for axis, routine in zip(axes, ("sum", "asum")):
        of_routine = [entry for entry in entries if entry["routine"] == routine]
        draw_lines(axis, with_ours(of_routine, lambda e: e["n"]), "n")
        axis.set(title=routine, yscale="log")
    axes[0].set_ylabel("GB/s")
    label_plainly(axes[0].yaxis)


def draw_ratio_lines(label, x_label):
    def draw(axes, entries):
        series = gather(entries, label, lambda e: e["n"], lambda e: e["ratio"])
        draw_lines(axes[0], series, x_label)
        axes[0].axhline(1, color="black", linewidth=0.8)
        axes[0].set_ylabel("ratio")

    return draw


def draw_ratios_by_routine(x_label):
    """Of more routines than a legend inside would leave room for."""

    def draw(axes, entries):
        series = gather(entries, lambda e: e["routine"], lambda e: e["n"], lambda e: e["ratio"])
        draw_lines(axes[0], series, x_label, has_legend=False)
        axes[0].axhline(1, color="black", linewidth=0.8)
        axes[0].set(ylabel="ratio", yscale="log")
        label_plainly(axes[0].yaxis)
        put_legend_beside(axes, axes[0])

    return draw


def draw_ratios(label, x, x_label):
    def draw(axes, entries):
        for series, points in gather(entries, label, x, lambda e: e["ratio"]).items():
            axes[0].scatter(*zip(*points), s=10, label=series)
        axes[0].axhline(1, color="black", linewidth=0.8)
        axes[0].set(xlabel=x_label, ylabel="ratio", xscale="log", yscale="log")
        axes[0].legend()
        label_plainly(axes[0].yaxis)

    return draw


def draw_bars(axis, bars, label, origin):
    names = list(dict.fromkeys(name for points in bars.values() for name, _ in points))
    thickness = 0.8 / len(bars)
    for i, (series, points) in enumerate(bars.items()):
        rows = [names.index(name) + i * thickness for name, _ in points]
        lengths = [value - origin for _, value in points]
        axis.barh(rows, lengths, left=origin, height=thickness, label=series)
    axis.set_yticks([row + 0.4 - thickness / 2 for row in range(len(names))], labels=names)
    axis.margins(y=0.01)
    axis.invert_yaxis()
    axis.set_xlabel(label)
    axis.legend()
    axis.figure.set_figheight(1.2 + 0.14 * len(names) * (len(bars) + 0.5))


def draw_ratios_by_name(axes, entries):
    ratios = gather(entries, lambda e: e["incumbent"], name_of, lambda e: e["ratio"])
    draw_bars(axes[0], ratios, "ratio", origin=1)
    axes[0].set_xscale("log")
    label_plainly(axes[0].xaxis)


def draw_rates_by_name(axes, entries):
    draw_bars(axes[0], with_ours(entries, name_of), "GB/s", origin=0)


def draw_times_by_routine(axes, entries):
    ours = {OURS: list({entry["routine"]: entry["time_us"] for entry in entries}.items())}
    theirs = gather(
        entries, lambda e: e["incumbent"], lambda e: e["routine"], lambda e: e["incumbent_us"]
    )
    draw_bars(axes[0], ours | theirs, "microseconds", origin=0)


def draw_error_ratios(axes, entries):
    kinds = list(dict.fromkeys(entry["data"] for entry in entries))
    contenders = list(dict.fromkeys(entry["contender"] for entry in entries))
    for axis, error in zip(axes, ("max", "mean")):
        for i, contender in enumerate(contenders):
            points = [
                (entry[f"{error}_ratio"], kinds.index(entry["data"]) + 0.15 * i)
                for entry in entries
                # TF32 overflows near the largest floats: such an error is the text "inf".
                if entry["contender"] == contender and isinstance(entry[f"{error}_ratio"], float)
            ]
            # The first contender is what the others are held against.
            if points and i > 0:
                axis.scatter(*zip(*points), s=6, label=contender)
        axis.axvline(1, color="black", linewidth=0.8)
        axis.set(xlabel=f"{error} error / that of {contenders[0]}", xscale="log")
        axis.set_yticks([row + 0.3 for row in range(len(kinds))], labels=kinds)
    axes[0].invert_yaxis()
    put_legend_beside(axes, axes[0])
    axes[0].figure.set_figheight(1.2 + 0.3 * len(kinds))


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
    put_legend_beside(axes, axes[0])


def draw(plot, entries, digest, path):
    try:
        import matplotlib
    except ImportError:
        raise Problem("the plots need Matplotlib (Debian: python3-matplotlib)") from None
    matplotlib.use("svg")
    import matplotlib.pyplot as pyplot

    # No outlines of a font.
    style = {"svg.fonttype": "none", "font.size": 8, "font.sans-serif": svg.FONTS}
    with pyplot.rc_context(style):
        figure, axes = pyplot.subplots(
            1, plot.columns, figsize=(8, 3.2), squeeze=False, sharey=True, layout="constrained"
        )
        for axis in axes[0]:
            axis.grid(linewidth=0.3)
            axis.set_axisbelow(True)
        plot.draw(axes[0], entries)
        text = io.StringIO()
        figure.savefig(text, format="svg")
        pyplot.close(figure)
    path.write_text(svg.compact(text.getvalue(), digest))
