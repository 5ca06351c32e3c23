// Package sanitize turns text that strangers wrote into text that may be shown to a model.
package sanitize
