"""`vitrine object`: publish, rename, withdraw and read objects."""
