"""Block level: per kernel what one core runs; where each tile lives, and at which address."""
