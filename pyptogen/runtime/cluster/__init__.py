"""Level cluster: the programs of level host on Ray."""
