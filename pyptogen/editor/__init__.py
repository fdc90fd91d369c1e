"""Writing specs: their form (`format_spec`), their JSON Schema, and what editors ask of them."""
