"""Passes after which a loop over a dim is a loop over one axis."""
