// Package suite runs cases through configurations and counts what happened.
//
// A [Config] says which guards stand and who answers. "servers" are the programs as shipped; every configuration in which a guard
// is missing uses programs built with the tag evalguards. One world (two server processes, two servers behind them) serves
// several cases; each case begins with a fresh list of what left and fresh office records.
//
// What it refuses: to count a case as stopped because something else broke. A lost connection or a server that ended fails the run.
//
// Security: see package world. Success is read from there alone.
//
// Read [Configs] first, then [Runner.Run].
package suite
