"""Level host: one worker process per chip, and memory that all of them share."""
