"""Servers on loopback that stand for the platforms, with faults on demand."""
