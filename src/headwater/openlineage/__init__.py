"""The language everything speaks: OpenLineage events, facets and node ids."""
