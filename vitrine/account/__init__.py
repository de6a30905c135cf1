"""What an AWS account lacks before an environment can be deployed to it."""
