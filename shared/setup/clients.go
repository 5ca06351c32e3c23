package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxClientOctets bounds a client's file. Limit: Claude Code keeps its history there, some ten MB have been seen.
const maxClientOctets = 64 << 20

// longLine is what is too long to be shown as a difference.
const longLine = 400 // characters

// Errors of extending a client's file. Both leave it as it is.
var (
	errTaken = errors.New("it has an entry of this name already")
	errForm  = errors.New("it is written in a way that cannot be extended without changing more")
)

// client is a program that starts MCP servers.
type client struct {
	name string
	path string // of its file for all projects
	note string // what to do before or after
	// insert returns the text of the file with the entry, and nothing else changed.
	insert func(text string, e server) (string, error)
	// snippet is what a person would add.
	snippet func(e server) string
}

// server is how a client starts the program. Security: a path and arguments; never a secret.
type server struct {
	name    string
	command string
	args    []string
}

// clientFiles lists the clients with their files, where the place has them.
//
// Sources, as of November 2026, not all opened again: code.claude.com/docs (mcp: user scope is mcpServers of ~/.claude.json, CLAUDE_CONFIG_DIR
// moves it), modelcontextprotocol.io (claude_desktop_config.json), code.visualstudio.com/docs (mcp.json of the user profile, key
// servers), cursor.com/docs/mcp, developers.openai.com/codex (config.toml, CODEX_HOME), goose-docs.ai (config.yaml, extensions),
// geminicli.com/docs (settings.json). Claude Desktop from the Microsoft Store keeps its file elsewhere, and is not found.
func clientFiles(p Place) []client {
	config := configDir(p)
	desktop := func(elem ...string) string { return join(config, elem...) }
	home := func(elem ...string) string { return join(p.Home, elem...) }
	code := home(".claude.json")
	if dir := p.Getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		code = join(dir, ".claude.json")
	}
	codex := home(".codex", "config.toml")
	if dir := p.Getenv("CODEX_HOME"); dir != "" {
		codex = join(dir, "config.toml")
	}
	goose := home(".config", "goose", "config.yaml")
	if p.OS == "windows" {
		goose = desktop("Block", "goose", "config", "config.yaml")
	}
	plain, typed := jsonForm("mcpServers", false), jsonForm("mcpServers", true)
	return []client{
		typed.client("Claude Code", code, "Claude Code writes this file too: end its sessions before you say yes."),
		plain.client("Claude Desktop", desktop("Claude", "claude_desktop_config.json"), "Restart Claude Desktop after that."),
		jsonForm("servers", true).client("VS Code", desktop("Code", "User", "mcp.json"), ""),
		plain.client("Cursor", home(".cursor", "mcp.json"), "Restart Cursor after that."),
		{"Codex", codex, "", insertTOML, snippetTOML},
		{"Goose", goose, "", insertYAML, snippetYAML},
		plain.client("Gemini CLI", home(".gemini", "settings.json"), ""),
	}
}

// configDir is where desktop programs keep their settings.
func configDir(p Place) string {
	switch p.OS {
	case "darwin":
		return join(p.Home, "Library", "Application Support")
	case "windows":
		return p.Getenv("APPDATA")
	}
	if dir := p.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	return join(p.Home, ".config")
}

// join is filepath.Join, but "" without a directory.
func join(dir string, elem ...string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(append([]string{dir}, elem...)...)
}

// found says whether the client is on the machine: its file is, or the directory that it makes for it.
func (c client) found(p Place) bool {
	if c.path == "" {
		return false
	}
	if _, err := os.Stat(c.path); err == nil {
		return true
	}
	dir := filepath.Dir(c.path)
	if dir == filepath.Clean(p.Home) { // the home directory says nothing
		dir = strings.TrimSuffix(c.path, ".json")
	}
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}

// clients offers to add the program to each client that is found.
func (d *dialog) clients(ctx context.Context) error {
	e := server{name: d.Program.Name, command: d.Executable}
	if !d.Standard {
		e.args = []string{"--config", d.File}
	}
	any := false
	for _, c := range clientFiles(d.Place) {
		if !c.found(d.Place) {
			continue
		}
		any = true
		if err := d.offer(ctx, c, e); err != nil {
			return err
		}
	}
	if !any {
		d.con.printf("\nNo client was found on this machine. Most take this:\n%s\n", jsonForm("mcpServers", false).snippet(e))
	}
	return nil
}

// offer shows what would be added to a client's file, and adds it after a yes.
func (d *dialog) offer(ctx context.Context, c client, e server) error {
	d.con.printf("\n%s (%s)\n", c.name, c.path)
	before, there, err := readClient(c.path)
	if err == nil {
		var after string
		if after, err = c.insert(before, e); err == nil {
			return d.add(ctx, c, e, before, after, there)
		}
	}
	if errors.Is(err, errTaken) {
		d.con.printf("It starts %s already; its entry stays as it is.\n", e.name)
		return nil
	}
	d.con.printf("Left alone: %s. This is what to add:\n%s\n", oneLine(err.Error()), c.snippet(e))
	return nil
}

func (d *dialog) add(ctx context.Context, c client, e server, before, after string, there bool) error {
	shown := diff(before, after)
	for line := range strings.SplitSeq(shown, "\n") {
		if len(line) > longLine { // a file of one line
			shown = c.snippet(e) + "\n"
			break
		}
	}
	d.con.printf("%s", shown)
	if c.note != "" {
		d.con.printf("%s\n", c.note)
	}
	yes, err := d.con.yes(ctx, "Write this?", true)
	if err != nil || !yes {
		return err
	}
	backup, err := replace(c.path, before, after, there, func(string) error { return nil })
	if err != nil { // the settings are written: the rest can go on
		d.con.printf("error: %s\nThis is what to add:\n%s\n", oneLine(err.Error()), c.snippet(e))
		return nil
	}
	d.con.printf("Written.")
	if backup != "" {
		d.con.printf(" The file as it was: %s", backup)
	}
	d.con.printf("\n")
	return nil
}

// readClient reads a client's file, which need not be there.
func readClient(path string) (text string, there bool, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", false, nil
	case err != nil || !info.Mode().IsRegular() || info.Size() > maxClientOctets:
		return "", true, errForm
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", true, fmt.Errorf("it cannot be read")
	}
	return string(data), true, nil
}
