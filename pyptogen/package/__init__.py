"""Operators in the forms in which others build and call them: a folder for a device's toolchain, a scene of the simpler
runtime."""
