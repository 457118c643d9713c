Rank = int
SINGLE: Rank = 0
