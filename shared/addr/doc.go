// Package addr holds mail addresses that passed a strict parser.
package addr
