"""Ways on which the programs of a project come to a function, as calls lead there. What walks saw is in visits."""
