"""The operators of the library: golden, instructions and compiled kernels against the references."""
