"""What a whole book as PDF takes, next to programs that make one of the same pages."""
