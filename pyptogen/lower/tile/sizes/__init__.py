"""Tile sizes: from the tables of the spec, or chosen."""
