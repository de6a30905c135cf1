"""What all commands share: how a program begins and ends, prints, and finds its environment."""
