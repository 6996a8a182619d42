"""Where events come from, and the durable delivery that every source of them shares."""
