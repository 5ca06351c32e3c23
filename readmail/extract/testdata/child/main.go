// Command child is the child process of the tests: the real one, and some that misbehave.
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"

	"mailgap/readmail/extract"
	"mailgap/readmail/extract/internal/confine"
)

func main() {
	switch os.Args[1] {
	case extract.ChildCommand:
		os.Exit(extract.Child(context.Background(), os.Stdin, os.Stdout))
	case "hang": // says that it runs, then never answers
		conn, err := net.Dial("tcp", os.Args[2])
		if err != nil {
			os.Exit(1)
		}
		_, _ = fmt.Fprintln(conn, "running")
		select {}
	case "garbage":
		fmt.Println("Hello, this is no reply")
	case "endless":
		w := bufio.NewWriter(os.Stdout)
		_, _ = w.WriteString("MGS1MGR1\x00\x00\x00\x13{\"text_octets\":1e9}")
		for {
			if _, err := w.WriteString(strings.Repeat("x", 1<<16)); err != nil {
				return
			}
		}
	case "silent":
		os.Exit(3)
	case "trailing":
		answer(`{"text_octets":2}`, "hi there")
	case "long":
		answer(`{"text_octets":1000000000}`, "hi")
	case "header":
		_, _ = os.Stdout.Write([]byte("MGS1MGR1\xff\xff\xff\xff"))
	case "failure":
		answer(`{"failure":"ate-it","text_octets":0}`, "")
	case "surroundings":
		dir, _ := os.Getwd()
		files, err := os.ReadDir(".")
		text := fmt.Sprintf("environment %q\nfiles %d %v\ndirectory %s\n", os.Environ(), len(files), err, dir)
		answer(fmt.Sprintf(`{"text_octets":%d}`, len(text)), text)
	case "confined":
		confine.Memory(512 << 20)
		confine.Lock()
		text := attempts()
		answer(fmt.Sprintf(`{"text_octets":%d}`, len(text)), text)
	case "allocate":
		confine.Memory(128 << 20)
		var keep [][]byte
		for {
			b := make([]byte, 1<<20)
			for i := range b {
				b[i] = 1
			}
			keep = append(keep, b)
			if len(keep) > 4096 {
				answer(`{"text_octets":2}`, "hi")
				return
			}
		}
	}
}

// attempts does what a child must not be able to do and says how it went.
func attempts() string {
	_, open := os.Open("/etc/hostname")
	_, create := os.Create("file")
	_, dial := net.Dial("tcp", os.Args[2])
	_, listen := net.Listen("tcp", "127.0.0.1:0")
	run := exec.Command("/bin/true").Run()
	startThreads(10)
	return fmt.Sprintf("open %v\ncreate %v\ndial %v\nlisten %v\nrun %v\n", open == nil, create == nil, dial == nil, listen == nil, run == nil)
}

// startThreads makes n threads more, which a computing program still must be able to do. If it cannot, the runtime dies.
func startThreads(n int) {
	var all sync.WaitGroup
	hold := make(chan struct{})
	for range n {
		all.Add(1)
		go func() {
			runtime.LockOSThread()
			all.Done()
			<-hold
		}()
	}
	all.Wait()
	close(hold)
}

func answer(header, text string) {
	head := binary.BigEndian.AppendUint32([]byte("MGS1MGR1"), uint32(len(header)))
	_, _ = os.Stdout.Write(head)
	_, _ = io.WriteString(os.Stdout, header+text)
}
