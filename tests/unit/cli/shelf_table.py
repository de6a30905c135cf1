"""The rules of a small table: a shelf of objects with one image each."""

RULES = """
[collection]
identifier = "shelf"
label = "A shelf"
[source]
table = "shelf.csv"
masters = "."
[object]
identifier = "{name}"
label = "{name}"
image = "{name}.tif"
"""
