"""What launchers, loggers and other tools put before a line."""
