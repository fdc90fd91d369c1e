"""A Tensor program on numpy arrays: the golden of an operator."""
