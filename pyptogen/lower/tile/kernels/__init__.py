"""Which operations share a kernel, and which kernel is cut in two."""
