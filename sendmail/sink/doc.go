// Package sink is the mail server behind smtp-mcp --demo: it accepts every message inside the process and shows it.
//
// What it refuses: no port is opened (unless a caller hands in a listener of its own), nobody logs in, nothing leaves the process or outlives it. It keeps the last 100
// messages of at most 30 MiB each. It links no testing package.
//
// Security: it stands for the outside world in a trial. Whether a message may reach it is decided before, exactly as for
// a real server; the sink decides nothing.
//
// Divergences: those of go-smtp's server.
//
// Read [New] first.
package sink
