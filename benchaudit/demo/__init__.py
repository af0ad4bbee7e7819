"""An invented benchmark with a history, for showing the whole job without a network."""
