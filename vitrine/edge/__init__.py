"""The edge's policies, of which CloudFront's and the local edge's configuration are made."""
