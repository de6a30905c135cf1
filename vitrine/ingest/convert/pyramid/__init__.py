"""The writer of access masters: one pass over the pixels, directories first in the file.

See docs/explanations/access-master.md.
"""
