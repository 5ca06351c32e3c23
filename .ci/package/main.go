// Command package builds everything that is handed out: for each target an archive with both programs, for each program a
// bundle that desktop clients install (.mcpb), a bill of materials, the documents for the MCP registry, and the checksums.
//
//	go run ./.ci/package -out DIR [-targets linux/amd64,...] [-base URL] [-namespace NAME]
//
// The same commit gives the same octets: no path of the machine, no time of the build, no order of the file system gets in.
// .ci/package/check builds twice and compares.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// programs are what is handed out.
var programs = [...]string{"imap-mcp", "smtp-mcp"}

const allTargets = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

// job is one run.
type job struct {
	out       string // directory of what is handed out
	work      string // scratch
	base      string // where the files will be offered for download
	namespace string // of the registry
	release   release
	targets   []target
}

func main() {
	out := flag.String("out", "", "directory for the results; must not exist")
	targets := flag.String("targets", allTargets, "operating system/architecture, separated by commas")
	base := flag.String("base", "https://downloads.example/mailgap-mcp", "address below which the files will be offered")
	namespace := flag.String("namespace", "example.downloads", "namespace in the MCP registry, a reversed domain")
	flag.Parse()
	if err := run(*out, *targets, *base, *namespace); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(out, targets, base, namespace string) error {
	if out == "" {
		return errors.New("-out names the directory for the results")
	}
	j := job{out: out, base: strings.TrimSuffix(base, "/"), namespace: namespace}
	for t := range strings.SplitSeq(targets, ",") {
		goos, goarch, ok := strings.Cut(t, "/")
		if !ok {
			return fmt.Errorf("target %q: write linux/amd64", t)
		}
		j.targets = append(j.targets, target{goos, goarch})
	}
	if err := os.Mkdir(out, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "package")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	j.work = work
	if j.release, err = readRelease(); err != nil {
		return err
	}
	return j.all()
}

// all makes every file. Checksums come last: they cover the rest.
func (j job) all() error {
	for _, t := range j.targets {
		if err := j.build(t); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		if err := j.archive(t); err != nil {
			return err
		}
		for _, p := range programs {
			if err := j.bundle(p, t); err != nil {
				return err
			}
		}
	}
	for _, p := range programs {
		if err := errors.Join(j.bom(p), j.registryDocument(p)); err != nil {
			return err
		}
	}
	return j.checksums()
}

// path is where the program for t was built.
func (j job) path(program string, t target) string {
	return filepath.Join(j.work, t.os+"-"+t.arch, program+t.suffix())
}
