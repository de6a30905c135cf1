"""A table, a bucket, an environment is lost, and comes back item by item."""
