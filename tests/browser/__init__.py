"""Tests in a real Chromium: what GitHub would draw of a chart, and what a reader of the page meets."""
