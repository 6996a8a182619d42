"""Headwater: a lineage server that speaks OpenLineage and answers like Marquez."""

__version__ = "0.1.0"
