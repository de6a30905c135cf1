"""The public site: pages, the first page, lists of changes, and dumps of all records."""
