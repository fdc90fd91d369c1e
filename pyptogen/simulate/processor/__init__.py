"""A model of the processor: how long kernels for `cpu` take on a machine, by figures that were measured on it."""
