"""Stages given by hand at tile, block, instruction or source level: their front ends.

A kernel joins the compiler's own at the level at which it is written and goes down with them from there.
"""
