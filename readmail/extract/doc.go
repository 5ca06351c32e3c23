// Package extract gives the text of an attachment.
package extract
