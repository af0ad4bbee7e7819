"""What is said of an audit: to people as Markdown, to programs as JSON. Pure but for files of templates."""
