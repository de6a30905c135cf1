"""Opened pyramids: where each stored tile is, as the head says, over the block cache."""
