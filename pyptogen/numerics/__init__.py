"""What operations mean on numpy arrays: the roundings, sums and orders that every level agrees on."""

GROUP = 32
"""Numbers that share one scale, along the depth of a product ("OCP Microscaling Formats (MX) Specification", 1.0)."""
