"""How fast the capacity simulator is."""
