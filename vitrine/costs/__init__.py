"""What the service costs on AWS: list prices, and the work that ingesting one image takes."""
