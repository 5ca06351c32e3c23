package main

import (
	"bytes"
	"sync"
)

// peerLog is a bytes.Buffer for two goroutines.
type peerLog struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *peerLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *peerLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
