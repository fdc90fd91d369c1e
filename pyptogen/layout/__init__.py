"""How packed tensors lie in memory."""
