package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// target is a platform.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "/" + t.arch }

func (t target) suffix() string {
	if t.os == "windows" {
		return ".exe"
	}
	return ""
}

// release is what is packed.
type release struct {
	version string    // of the source
	time    time.Time // of the commit: the time of every file in every archive
}

var releaseLine = regexp.MustCompile(`(?m)^const release = "([^"]+)"$`)

// readRelease reads the version from the sources, which must agree, and the time of the commit.
func readRelease() (release, error) {
	var r release
	for _, p := range programs {
		src, err := os.ReadFile(filepath.Join("cmd", p, "app.go"))
		if err != nil {
			return r, fmt.Errorf("run it in the root of the source: %w", err)
		}
		m := releaseLine.FindSubmatch(src)
		if m == nil || r.version != "" && r.version != string(m[1]) {
			return r, fmt.Errorf("%s: no version, or another one than the other program's", p)
		}
		r.version = string(m[1])
	}
	seconds, err := exec.Command("git", "log", "-1", "--format=%ct").Output()
	if err != nil {
		return r, fmt.Errorf("the time of the commit: %w", err)
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(seconds)), 10, 64)
	r.time = time.Unix(n, 0).UTC()
	return r, err
}

// build compiles both programs for t: without C, without paths of this machine, without symbol tables.
func (j job) build(t target) error {
	for _, p := range programs {
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w -buildid=", "-o", j.path(p, t), "./cmd/"+p)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.os, "GOARCH="+t.arch, "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0")
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return err
		}
	}
	return nil
}
