"""What a gateway did, in numbers: counted by its parts, read by people, Prometheus, CloudWatch."""
