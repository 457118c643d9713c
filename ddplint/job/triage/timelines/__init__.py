"""Facts in their order: what each group waits in and who is part of it, what is over and what was a consequence."""
