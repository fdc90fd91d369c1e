"""The pages of the project, checked."""
