"""The TIFF format as far as pyramids need it: reading within bounds, writing directories first."""
