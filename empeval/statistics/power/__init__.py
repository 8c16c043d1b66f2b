"""Power of human studies: exact for simple tests, by simulating the very analysis for designs with raters."""
