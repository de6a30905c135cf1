"""Figures that anyone can measure again: what the documentation quotes comes from here."""
