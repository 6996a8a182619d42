"""Kafka Connect: every connector as a lineage job, with nothing added to the connector."""
