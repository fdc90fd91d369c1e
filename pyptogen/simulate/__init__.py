"""The levels executed in numpy: their meaning, and what goldens and proofs run."""
