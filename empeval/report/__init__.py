"""What is made of scores: leaderboards and their formats, comparisons of two systems, run folders."""
