"""Encoders compared: speed, size and fidelity (section 3.1 of the museum report)."""
