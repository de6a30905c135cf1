"""Search: of objects by their records, of the text of one object, and of all texts."""
