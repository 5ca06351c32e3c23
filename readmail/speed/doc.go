// Package speed holds the benchmarks of imap-mcp against a real server, beside a bare go-imap client doing the same work on
// the same server in the same run. It has no code of its own.
//
//	MAILGAP_BENCH_IMAP=127.0.0.1:14300 go test ./readmail/speed -run XXX -bench . -benchtime 20x
//
// The server must hold a large INBOX for the user "bench" with the password "bench". Beside time, each benchmark
// reports the octets received and the round trips (reads that had to wait after a write) per operation; those do not depend on
// how busy the machine is. MAILGAP_BENCH_RTT adds a delay to each round trip.
package speed
