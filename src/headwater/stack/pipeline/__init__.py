"""The orders pipeline on the lab: its jobs as processes, once with a check of every count, or until Ctrl-C."""
