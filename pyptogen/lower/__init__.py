"""Tensor → Tile → Block → Execution → Instruction: a room per level, a pass per file; `pipeline.py` has the order."""
