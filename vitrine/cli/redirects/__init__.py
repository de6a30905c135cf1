"""`vitrine redirects`: lists of previous identifiers."""
