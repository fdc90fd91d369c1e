"""Tests of platforms as data."""
