"""The pipeline's connectors: one JSON file each, and what their placeholders stand for."""
