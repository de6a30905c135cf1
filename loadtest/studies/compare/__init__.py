"""Two or more saved runs of one kind, side by side."""
