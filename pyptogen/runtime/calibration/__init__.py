"""Microbenchmarks of the bundled instructions on this machine: what the model of the processor is made of."""
