"""The real services that the pipeline needs, run on one machine: one file per service."""
