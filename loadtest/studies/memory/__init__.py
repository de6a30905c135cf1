"""What the image task holds in memory."""
