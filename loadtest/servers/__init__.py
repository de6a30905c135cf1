"""Servers that are compared with ours, and what our own need to be measured."""
