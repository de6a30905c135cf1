"""What a master says about itself, and how its access master says the same."""
