"""Arrays for the cases of a spec: sizes of dims, generators, examples."""
