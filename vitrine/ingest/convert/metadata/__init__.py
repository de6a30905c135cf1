"""A master's metadata, and how its access master keeps them."""
