package config

import (
	"bytes"
	"os"
	"strconv"
	"unsafe"
)

// overwrite fills the octets of an environment value with x, if they lie in the block that the kernel shows as
// /proc/self/environ. The Go runtime's strings point into that block until the variable is set anew; a value that was set
// by the program itself lies elsewhere and is left alone.
//
// Security: the one use of unsafe in the project. The bounds come from the kernel, so nothing else is ever written to.
func overwrite(val string) {
	start, end, ok := environBlock()
	if !ok || val == "" {
		return
	}
	p := unsafe.StringData(val)
	at := uintptr(unsafe.Pointer(p))
	if at < start || at+uintptr(len(val)) > end {
		return
	}
	for i := range unsafe.Slice(p, len(val)) {
		*(*byte)(unsafe.Add(unsafe.Pointer(p), i)) = 'x'
	}
}

// Fields of /proc/self/stat after the program name, counted from 0: proc(5) numbers env_start 50 and env_end 51, and the
// name is field 2.
const (
	statEnvStart = 50 - 3
	statEnvEnd   = 51 - 3
)

func environBlock() (start, end uintptr, ok bool) {
	data, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0, 0, false
	}
	i := bytes.LastIndexByte(data, ')') // the name may hold spaces and parentheses
	fields := bytes.Fields(data[i+1:])
	if i < 0 || len(fields) <= statEnvEnd {
		return 0, 0, false
	}
	s, err1 := strconv.ParseUint(string(fields[statEnvStart]), 10, 64)
	e, err2 := strconv.ParseUint(string(fields[statEnvEnd]), 10, 64)
	return uintptr(s), uintptr(e), err1 == nil && err2 == nil && s > 0 && s < e
}
