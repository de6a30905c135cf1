"""What the answers and the machine amount to: times, rates, CPU, memory, colour difference."""
