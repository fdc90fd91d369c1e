"""Tensor → Tile → Block → Instruction → Execution: a room per level, a pass per file; `pipeline.py` has the order."""
