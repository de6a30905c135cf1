"""A first `collection.toml` for a table that nobody has described."""
