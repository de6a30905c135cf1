"""Servers started for a measurement: our own, and those it is compared with."""
