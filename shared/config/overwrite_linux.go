package config

import (
	"bytes"
	"os"
	"strconv"
)

// maxEnvironOctets bounds the block that is looked through; the kernel allows a quarter of the stack limit, usually 2 MiB.
const maxEnvironOctets = 4 << 20

// overwrite fills the values of names with x in the block that the kernel shows as /proc/self/environ. It writes through
// /proc/self/mem, within the bounds that the kernel gives, and needs no unsafe code. Where that is not allowed nothing
// happens: the secret was visible there before, and a file or a command is the way to avoid it.
func overwrite(names []string) {
	start, end, ok := environBlock()
	if !ok || end-start > maxEnvironOctets {
		return
	}
	mem, err := os.OpenFile("/proc/self/mem", os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer mem.Close()
	block := make([]byte, end-start)
	if _, err := mem.ReadAt(block, start); err != nil {
		return
	}
	for at := 0; at < len(block); {
		entry, _, _ := bytes.Cut(block[at:], []byte{0})
		for _, n := range names {
			if val, ok := bytes.CutPrefix(entry, []byte(n+"=")); ok {
				_, _ = mem.WriteAt(bytes.Repeat([]byte("x"), len(val)), start+int64(at+len(n)+1))
			}
		}
		at += len(entry) + 1
	}
	clear(block)
}

// Fields of /proc/self/stat after the program name, counted from 0: proc(5) numbers env_start 50 and env_end 51, and the
// field after the name is 3.
const (
	statEnvStart = 50 - 3
	statEnvEnd   = 51 - 3
)

func environBlock() (start, end int64, ok bool) {
	data, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0, 0, false
	}
	i := bytes.LastIndexByte(data, ')') // the name may hold spaces and parentheses
	fields := bytes.Fields(data[i+1:])
	if i < 0 || len(fields) <= statEnvEnd {
		return 0, 0, false
	}
	start, err1 := strconv.ParseInt(string(fields[statEnvStart]), 10, 64)
	end, err2 := strconv.ParseInt(string(fields[statEnvEnd]), 10, 64)
	return start, end, err1 == nil && err2 == nil && start > 0 && start < end
}
