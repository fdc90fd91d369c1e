"""A model of a chip: how long a kernel's instructions take, what waits for what, and which part of it is busy."""
