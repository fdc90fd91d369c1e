"""A spec to a Tensor program: the contract, expressions, loops, conditions."""
