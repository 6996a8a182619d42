"""Pages of long lists: what matches a filter, in an order, from where the page before ended."""
