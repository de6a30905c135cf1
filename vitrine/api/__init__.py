"""The API for programs: requests in, answers out, by the controllers that the commands call."""
