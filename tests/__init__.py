"""Tests; `shared` names the folder of real data that they read where it is there."""
