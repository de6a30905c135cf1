"""What the Lambdas need that is not ours."""
