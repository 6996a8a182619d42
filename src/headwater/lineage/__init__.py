"""Questions asked of the store: graph, impact, difference."""
