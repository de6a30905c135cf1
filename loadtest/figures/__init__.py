"""Figures of answers and of the machine: times, rates, CPU, memory, colour difference."""
