"""What the origin's processor takes for a tile, first and repeated, next to a file from nginx."""
