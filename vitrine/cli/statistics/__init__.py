"""`vitrine statistics`: who looks at what, by day."""
