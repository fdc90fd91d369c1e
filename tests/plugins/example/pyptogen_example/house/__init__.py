"""Templates that take the place of the generator's."""
