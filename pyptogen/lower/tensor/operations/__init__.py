"""The operations by family; ``pyptogen.lower.tensor.building.registry`` finds them here."""
