"""Text of everything that is generated: Jinja2 templates, and beside each the small module that feeds it."""
