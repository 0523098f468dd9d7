"""Where model and data can come from besides the package: the hub, or files of the reader's own."""

# MNLI's classes in MNLI's order: a label is the index of its name.
LABELS = ("entailment", "neutral", "contradiction")
# Where train is cut to a number of rows, each other split is cut to so many.
OTHER_SPLITS_MOST = 2000
