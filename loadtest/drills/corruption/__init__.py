"""Damage small masters in every way and see that each is refused or converted correctly."""
