"""The scheduler of a simulated chip (C++), and how Python calls it."""
