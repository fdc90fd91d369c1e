"""Level chip: one simulated chip inside this process."""
