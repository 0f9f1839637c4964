"""Plots of products in all modes: squares, rectangles, regret of the selection, accuracy."""

import statistics

import rows
from plots import COLOUR_OF, PRODUCT_FILES, TEXT, label_plainly, put_legend_below
from rows import form_of, incumbent_rate, is_square, name_of, rate, results_of


def draw_squares(axes, measured):
    for axis, form in zip(axes, ("NN", "NT", "TN", "TT")):
        for mode, (public, *_) in PRODUCT_FILES.items():
            squares = filter(is_square, results_of(measured, public))
            of_form = [e for e in squares if form_of(e) == form]
            points = sorted({e["n"]: rate(e) for e in of_form}.items())
            style = {"marker": "o", "markersize": 3}
            if points:
                axis.plot(*zip(*points), color=COLOUR_OF[mode], label=mode, **style)
            theirs = sorted((e["n"], incumbent_rate(e)) for e in of_form if rows.against_cublas(e))
            if theirs and mode == "strict":
                axis.plot(*zip(*theirs), color=COLOUR_OF["cuBLAS"], label="cuBLAS FP32", **style)
        axis.set(title=form, xscale="log", xlim=(50, None), ylim=(0, None))
        label_plainly(axis.xaxis)
    for axis in axes[2:]:
        axis.set_xlabel("m = n = k")
    for axis in axes[::2]:
        axis.set_ylabel("TFLOP/s")
    put_legend_below(axes[0].figure, axes[0])


def draw_rectangles(axes, measured):
    axis, names = axes[0], {}
    for mode, (public, *_) in PRODUCT_FILES.items():
        entries = filter(rows.against_cublas, results_of(measured, public))
        shown = [entry for entry in entries if not is_square(entry)]
        places = [names.setdefault(name_of(entry), len(names)) for entry in shown]
        ratios = [entry["ratio"] for entry in shown]
        axis.scatter(ratios, places, s=22, color=COLOUR_OF[mode], label=mode, zorder=3)
    axis.axvline(1, color=TEXT, linewidth=0.8)
    axis.set_yticks(range(len(names)), labels=names, fontsize="small")
    axis.margins(y=0.02)
    axis.invert_yaxis()
    axis.set(xlabel="ratio", xscale="log")
    label_plainly(axis.xaxis)
    put_legend_below(axis.figure, axis)


def draw_regret(axes, measured):
    regret = measured["regret"]
    for mode, quantiles in regret["quantiles"].items():
        percent = [100 * i / (len(quantiles) - 1) for i in range(len(quantiles))]
        axes[0].plot([100 * (q - 1) for q in quantiles], percent, color=COLOUR_OF[mode], label=mode)
    axes[0].set(xlabel="% longer than the best kernel", xlim=(0, 20))
    axes[0].set(ylabel="% of calls", ylim=(75, 100.5))
    sets = list(dict.fromkeys(entry["set"] for entry in regret["results"]))
    for mode in regret["quantiles"]:
        of_mode = {entry["set"]: entry for entry in regret["results"] if entry["mode"] == mode}
        means = [100 * (of_mode[name]["mean"] - 1) for name in sets]
        tails = [100 * (of_mode[name]["percentile_95"] - 1) for name in sets]
        axes[1].scatter(means, range(len(sets)), s=28, color=COLOUR_OF[mode])
        axes[1].scatter(tails, range(len(sets)), s=28, color=COLOUR_OF[mode], marker="|")
    axes[1].set_yticks(range(len(sets)), labels=sets)
    axes[1].invert_yaxis()
    axes[1].set(xlabel="dots: mean, bars: 95th percentile", xlim=(0, None))
    put_legend_below(axes[0].figure, axes[0])


FP32 = "cublasSgemm"


def speeds_of(measured):
    """{contender: TFLOP/s}, and the name of the quantity, which all contenders share."""
    energy = {entry["contender"]: entry["tflops"] for entry in results_of(measured, "sgemm_energy")}
    if energy:
        return energy, "TFLOP/s at 8192 cubed for seconds"
    speeds = {}
    for mode, (public, *_) in PRODUCT_FILES.items():
        for entry in results_of(measured, public):
            if entry["n"] == 8192 and is_square(entry) and form_of(entry) == "NN":
                speeds[mode] = rate(entry)
                if mode == "strict" and entry["incumbent"] == FP32:
                    speeds[FP32] = incumbent_rate(entry)
    return speeds, "TFLOP/s at 8192 cubed"


def draw_accuracy(axes, measured):
    axis = axes[0]
    speeds, label = speeds_of(measured)
    entries = [e for e in results_of(measured, "sgemm_accuracy") if e["contender"] in speeds]
    depth = max((e["k"] for e in entries if e["k"] <= 4096), default=None)
    side = max((e["n"] for e in entries), default=None)
    errors = {}
    for entry in entries:
        # Beyond the range of its type a library's error is the text "inf".
        if (entry["k"], entry["n"]) == (depth, side) and isinstance(entry["mean_ulp"], float):
            errors.setdefault(entry["contender"], {})[entry["data"]] = entry["mean_ulp"]
    for contender, by_data in errors.items():
        colour, x = COLOUR_OF.get(contender, "C1"), speeds[contender]
        low, high, usual = min(by_data.values()), max(by_data.values()), by_data.get("uniform")
        axis.plot([x, x], [low, high], color=colour, linewidth=2)
        axis.scatter([x, x], [low, high], s=120, marker="_", color=colour)
        middle = usual or statistics.median(by_data.values())
        axis.scatter([x], [middle], s=50, color=colour)
        axis.annotate(contender, (x, high), xytext=(0, 6), textcoords="offset points", ha="center")
    axis.set(xlabel=label, ylabel="mean error, units of 2^-24 |A||B|", xscale="log", yscale="log")
    axis.margins(y=0.12)
    if errors:
        shown = [speeds[contender] for contender in errors]
        axis.set_xlim(0.8 * min(shown), 1.6 * max(shown))
    label_plainly(axis.xaxis)
    label_plainly(axis.yaxis)
