"""Tensor → Tile → Block → Instruction → Execution: one room per level, one pass per file; `pipeline.py` has the order."""
