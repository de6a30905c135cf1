"""Make a verified access master what its identifier answers; rename, withdraw and restore it."""
