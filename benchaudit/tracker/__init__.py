"""Trackers: they carry a plan out and read back what they wrote."""
