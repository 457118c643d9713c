"""From the log of a dead job back to a class of cause and, with the source at hand, to a line."""
