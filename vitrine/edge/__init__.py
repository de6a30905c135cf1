"""The edge: the policies that CloudFront and the local edge are made of, and invalidation."""
