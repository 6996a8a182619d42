"""Lineage from PySpark."""
