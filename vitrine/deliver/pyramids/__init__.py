"""Opened pyramids: where each stored tile lies, known from the head, over the block cache."""
