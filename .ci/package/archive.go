package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// file is one file of an archive.
type file struct {
	name   string
	octets []byte
	mode   fs.FileMode
}

// archive writes the archive of t: both programs and the documents in one directory.
func (j job) archive(t target) error {
	dir := fmt.Sprintf("mailgap-%s-%s-%s", j.release.version, t.os, t.arch)
	var files []file
	for _, name := range []string{"CHANGELOG.md", "LICENSE", "README.md", "SECURITY.md"} {
		octets, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files = append(files, file{dir + "/" + name, octets, 0o644})
	}
	for _, p := range programs {
		octets, err := os.ReadFile(j.path(p, t))
		if err != nil {
			return err
		}
		files = append(files, file{dir + "/" + p + t.suffix(), octets, 0o755})
	}
	if t.os == "windows" {
		return j.write(dir+".zip", func(w io.Writer) error { return writeZip(w, files, j.release.time) })
	}
	return j.write(dir+".tar.gz", func(w io.Writer) error { return writeTar(w, files, j.release.time) })
}

// write makes one file in the results.
func (j job) write(name string, fill func(io.Writer) error) error {
	var b bytes.Buffer
	if err := fill(&b); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return os.WriteFile(filepath.Join(j.out, name), b.Bytes(), 0o644)
}

func writeTar(w io.Writer, files []file, at time.Time) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for _, f := range files {
		h := tar.Header{Name: f.name, Mode: int64(f.mode), Size: int64(len(f.octets)), ModTime: at, Format: tar.FormatUSTAR}
		if err := t.WriteHeader(&h); err != nil {
			return err
		}
		if _, err := t.Write(f.octets); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	return z.Close()
}

func writeZip(w io.Writer, files []file, at time.Time) error {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	for _, f := range files {
		h := zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at}
		h.SetMode(f.mode)
		part, err := z.CreateHeader(&h)
		if err != nil {
			return err
		}
		if _, err := part.Write(f.octets); err != nil {
			return err
		}
	}
	return z.Close()
}

// checksums writes SHA256SUMS over everything else, in the order of the names.
func (j job) checksums() error {
	entries, err := os.ReadDir(j.out)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, e := range entries {
		octets, err := os.ReadFile(filepath.Join(j.out, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(octets), e.Name())
	}
	return os.WriteFile(filepath.Join(j.out, "SHA256SUMS"), []byte(b.String()), 0o644)
}
