"""What made a package."""

from pyptogen._version import __version__

STAMP = f"pyptogen {__version__}"
"""In the first line of every file of a package."""
