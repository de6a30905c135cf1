"""The engine against queueing theory: what must come out, and what does."""
