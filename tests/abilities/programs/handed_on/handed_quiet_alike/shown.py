from words import counted as counted
