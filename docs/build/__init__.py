"""Generators of the pages in `docs/` that are made from the code: `make docs`."""
