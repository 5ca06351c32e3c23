// Package mcpserve is the only code of ours that touches the MCP library.
//
// It turns plain Go handlers into strict MCP tools and serves them on stdio. A handler sees a decoded argument struct and
// a *Call; it returns a typed result. Everything a client can do to a server - unknown and repeated keys, oversized lines,
// floods, cancellation, a closed pipe - is met here, once, for every tool.
package mcpserve
