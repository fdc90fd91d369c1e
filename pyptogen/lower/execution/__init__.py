"""Execution level: kernels x ranges of the launch dim as launches, with dependencies and a workspace plan."""
