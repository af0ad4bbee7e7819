"""Fuzzers: programs that look for input on which the package breaks. Each is a test as well, in short."""
