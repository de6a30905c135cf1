"""From an address to an answer: look the identifier up, decide, fetch or render."""
