"""What each renderer pays for each kind of derivative, and how near it comes to the master."""
