"""The nouns that the stacks wire together, one per file."""
