"""What the first requests for an image cost: reads and bytes from a store with latency."""
