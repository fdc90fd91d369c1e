"""Tensor → Tile → Block → Execution → Instruction: one room per level, one pass per file, in the order of `pipeline.py`."""
