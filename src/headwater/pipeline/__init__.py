"""The orders pipeline on PySpark: one file a job, whose transforms are pure functions on DataFrames."""
