"""Tile level: per kernel a loop nest of 2-D tile operations with valid extents."""
