"""Access to images: rules, and the tickets by which the edge and the gateway know viewers."""
