"""What a Lambda takes for a request, and for its start: the flavour `serverless`."""
