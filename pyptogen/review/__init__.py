"""What a change of specs means: contracts, numerics and kernels of two states of a library beside each other.

`pyptogen diff` shows it, `pyptogen breaking` refuses what breaks callers and nobody approved.
"""
