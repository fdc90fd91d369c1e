"""How programs are made: operations with their rules for shapes and dtypes, and the dims that these speak of."""
