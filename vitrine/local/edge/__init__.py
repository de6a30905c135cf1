"""The edge on one machine: nginx in CloudFront's place, with the same viewer-request function."""
