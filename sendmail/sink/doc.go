// Package sink is the mail server behind smtp-mcp --demo.
package sink
