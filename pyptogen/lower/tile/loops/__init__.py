"""Loops with carried values."""
