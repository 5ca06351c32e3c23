// Package attach reads attachments from one directory and judges them by content.
package attach
