// Package confine takes rights away from the process that calls it. Everything is best effort and cannot be undone:
// what a kernel does not offer is left out, because the other walls (WebAssembly, deadline, limits of our own) stand.
package confine

// Memory bounds what the process may allocate, its core files and its open files. Call it before anything large is read.
func Memory(maxOctets int64) { limitMemory(maxOctets) }

// Lock takes away files, network, and new programs. What is open stays usable.
func Lock() { lock() }
