"""The operations by family; ``pyptogen.lower.tensor.registry`` finds them here."""
