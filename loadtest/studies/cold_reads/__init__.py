"""Cost of the first requests for an image: reads and bytes from a store with latency."""
