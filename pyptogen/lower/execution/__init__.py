"""Execution level: kernels x ranges of the segment dim as launches, with dependencies and a workspace plan."""
