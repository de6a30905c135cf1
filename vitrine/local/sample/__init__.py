"""What a service that has published nothing shows first: a titled collection of real pictures."""
