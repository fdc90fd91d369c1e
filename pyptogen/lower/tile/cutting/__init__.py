"""The operations of a kernel to loops over tiles."""
