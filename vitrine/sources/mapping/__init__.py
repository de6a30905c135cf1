"""Mapping: the rows of a museum's table become objects, as a file of rules says."""
