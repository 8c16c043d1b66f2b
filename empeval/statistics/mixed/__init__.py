"""Mixed models: linear with crossed random intercepts, cumulative-link with one."""
