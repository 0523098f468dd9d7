"""Where model and data can come from besides the package: the hub, or files of the reader's own."""
