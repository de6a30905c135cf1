"""The stacks, one per stage, in the order an image flows through them."""
