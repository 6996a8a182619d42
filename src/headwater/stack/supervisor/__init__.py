"""How services come up, how they are doing, and how they go down."""
