"""From one Tensor program to the next."""
