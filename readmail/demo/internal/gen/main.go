// Command gen writes the messages of the demo mailbox and their index. The same program gives the same octets each
// time: dates are fixed, boundaries are derived from file names, archives are stored without compression.
//
//	go run ./readmail/demo/internal/gen readmail/demo/mail
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gen DIRECTORY")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// write puts every file into dir and removes messages that are no longer made.
func write(dir string) error {
	made, err := build()
	if err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(dir, "*.eml"))
	if err != nil {
		return err
	}
	for _, path := range old {
		if _, ok := made[filepath.Base(path)]; !ok {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	for name, octets := range made {
		if err := os.WriteFile(filepath.Join(dir, name), octets, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// indexEntry has the fields of the index that readmail/demo reads.
type indexEntry struct {
	File    string   `json:"file"`
	Mailbox string   `json:"mailbox"`
	Minutes int      `json:"minutes_before"`
	Flags   []string `json:"flags,omitempty"`
	Shows   string   `json:"shows"`
	Hostile bool     `json:"hostile,omitempty"`
}

// build returns all files by name.
func build() (map[string][]byte, error) {
	mails := slices.Concat(languages(), easternLetters(), otherLetters(), everyday(), accountNotices(), asides(),
		conversation(), conversationEnd(), attachments(), tablesAndPictures(), wrappers(), damaged(), hostile(),
		forgedFrames(), deceiving())
	slices.SortStableFunc(mails, func(a, b mail) int { return a.arrived().Compare(b.arrived()) })
	files := map[string][]byte{}
	var index []indexEntry
	for _, m := range mails {
		name := m.name + ".eml"
		if files[name] != nil {
			return nil, fmt.Errorf("two messages named %s", m.name)
		}
		files[name] = m.render()
		index = append(index, indexEntry{File: name, Mailbox: m.box, Flags: strings.Fields(m.flags), Shows: m.shows,
			Hostile: m.hostile, Minutes: int(now().Sub(m.arrived()) / time.Minute)})
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(index); err != nil {
		return nil, err
	}
	files["index.json"] = out.Bytes()
	return files, nil
}

// now is demo.Now; a test compares them.
func now() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }
