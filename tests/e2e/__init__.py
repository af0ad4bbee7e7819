"""The whole program as a process, from a dataset's commit to the report issue."""
