"""The pipeline's connectors: one JSON file each, and how to bring one to a Kafka Connect worker."""
