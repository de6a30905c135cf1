"""What an institution needs and pays: designs simulated at a peak hour, priced, and compared."""
