"""Launch files: what sets the environment of training processes and starts them, as one list of facts."""
