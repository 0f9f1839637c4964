"""Colours of plots and pictures on light and dark pages."""

# Of light and dark pages: (background, text, lines, quiet fill).
LIGHT = ("#ffffff", "#1f2328", "#656d76", "#e8ebef")
DARK = ("#0d1117", "#e6edf3", "#8d96a0", "#262c36")
# Colours of series and tiles, in this order. They can be distinguished on both pages, and by
# colour-blind readers.
COLOURS = ("#4c8ed9", "#e08a2e", "#4aa564", "#c4595f", "#8d6cc2", "#8f6f5e", "#d477b5", "#7f8790")
# Cells have a background that dark text can be read on: (least value, fill).
RATIO_FILLS = (
    (0, "#d3742c"),
    (0.8, "#e8a46c"),
    (0.9, "#f6d3b3"),
    (0.97, "#eeeeee"),
    (1.03, "#d3e4f5"),
    (1.25, "#a9ccec"),
    (1.5, "#79b0e2"),
    (2, "#5597d6"),
)
