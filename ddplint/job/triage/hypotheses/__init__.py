"""What may have happened, each with what speaks for it and against it; ``weighed`` says which is likeliest."""
