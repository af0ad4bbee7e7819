"""The whole job in process, over the real adapters, through random and fixed histories of faults."""
