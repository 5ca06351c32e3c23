package config

// Table returns the settings as a Markdown table, for the README.
func Table(s Spec) string { return "" }

// Effective returns the settings in force, one "NAME=value" line each, secrets as [redacted], defaults marked.
func Effective(s Spec, v Values) string { return "" }
