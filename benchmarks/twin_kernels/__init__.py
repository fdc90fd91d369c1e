"""Published kernels whose sources the front end does not read, written again by their published tilings."""
