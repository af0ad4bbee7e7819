"""Checks of multiple-choice and preference benchmarks that need no model."""

__version__ = "0.1.0"
