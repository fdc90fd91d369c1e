"""``python -m pyptogen``: the command line, where the script is not on the path."""

from pyptogen.cli import main

main()
