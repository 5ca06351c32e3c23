package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// A bundle is a ZIP archive with manifest.json, version 0.3 of the format, and the program. Secrets are asked for as
// sensitive values: the desktop client keeps them in the key store of the system, not in its settings file.
type (
	manifest struct {
		ManifestVersion string            `json:"manifest_version"`
		Name            string            `json:"name"`
		DisplayName     string            `json:"display_name"`
		Version         string            `json:"version"`
		Description     string            `json:"description"`
		Author          map[string]string `json:"author"`
		License         string            `json:"license"`
		Server          server            `json:"server"`
		Tools           []tool            `json:"tools"`
		ToolsGenerated  bool              `json:"tools_generated"`
		Compatibility   compatibility     `json:"compatibility"`
		UserConfig      map[string]option `json:"user_config"`
	}
	server struct {
		Type       string  `json:"type"`
		EntryPoint string  `json:"entry_point"`
		Command    command `json:"mcp_config"`
	}
	command struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
	}
	tool struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	}
	compatibility struct {
		Platforms []string `json:"platforms"`
	}
	option struct {
		Type        string `json:"type"`
		Title       string `json:"title"`
		Description string `json:"description"`
		Required    bool   `json:"required"`
		Sensitive   bool   `json:"sensitive,omitempty"`
		Default     any    `json:"default,omitempty"`
	}
)

// setting is one question at the installation of a bundle and one variable of the registry document.
type setting struct {
	variable string
	option
}

// product is what differs between the two programs.
type product struct {
	title, description string // at most 100 characters: a limit of the registry
	settings           []setting
}

func productOf(program string) product {
	if program == "imap-mcp" {
		return product{"mailgap: read mail", "Reads a mailbox over IMAP for an AI agent; cannot send, change or delete anything.", []setting{
			{"IMAP_HOST", option{Type: "string", Title: "IMAP server", Description: "Host name, such as imap.example.com", Required: true}},
			{"IMAP_USER", option{Type: "string", Title: "User name", Description: "Usually the whole address", Required: true}},
			{"IMAP_PASSWORD", option{Type: "string", Title: "Password", Description: "Password or app password for reading", Required: true, Sensitive: true}},
		}}
	}
	return product{"mailgap: send approved mail", "Sends mail from one fixed sender over SMTP, only after a person approved it. Off by default.", []setting{
		{"SMTP_ALLOW_SEND", option{Type: "boolean", Title: "Allow sending", Description: "Without it no sending tool is offered", Default: false}},
		{"SMTP_ALLOWED_RECIPIENTS", option{Type: "string", Title: "Who may be written to", Description: "Addresses and @domains, separated by commas", Required: true}},
		{"SMTP_FROM", option{Type: "string", Title: "Sender", Description: "The one address that mail is sent from", Required: true}},
		{"SMTP_HOST", option{Type: "string", Title: "SMTP server", Description: "Host name of the submission server", Required: true}},
		{"SMTP_USER", option{Type: "string", Title: "User name", Description: "Usually the whole address", Required: true}},
		{"SMTP_PASSWORD", option{Type: "string", Title: "Password", Description: "Password or app password for sending", Required: true, Sensitive: true}},
	}}
}

// manifestOf describes program for t.
func (j job) manifestOf(program string, t target) (manifest, error) {
	p := productOf(program)
	exe := "server/" + program + t.suffix()
	platform := map[string]string{"windows": "win32"}[t.os]
	if platform == "" {
		platform = t.os
	}
	m := manifest{
		ManifestVersion: "0.3", Name: program, DisplayName: p.title, Version: j.release.version, Description: p.description,
		Author: map[string]string{"name": "mailgap"}, License: "MIT", ToolsGenerated: true,
		Server:        server{"binary", exe, command{"${__dirname}/" + exe, []string{"serve"}, map[string]string{}}},
		Compatibility: compatibility{[]string{platform}}, UserConfig: map[string]option{},
	}
	for _, s := range p.settings {
		key := strings.ToLower(s.variable)
		m.UserConfig[key] = s.option
		m.Server.Command.Env[s.variable] = "${user_config." + key + "}"
	}
	var err error
	m.Tools, err = toolsOf(program)
	return m, err
}

// toolsOf reads the golden files, which a test keeps equal to what the program offers.
func toolsOf(program string) ([]tool, error) {
	names, err := filepath.Glob(filepath.Join("testdata", "tools", program, "*.json"))
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("no tools of %s: %v", program, err)
	}
	var tools []tool
	for _, name := range names {
		octets, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var t tool
		if err := json.Unmarshal(octets, &t); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		tools = append(tools, t)
	}
	return tools, nil
}

func (j job) bundleName(program string, t target) string {
	return fmt.Sprintf("%s-%s-%s-%s.mcpb", program, j.release.version, t.os, t.arch)
}

// bundle writes the bundle of program for t.
func (j job) bundle(program string, t target) error {
	m, err := j.manifestOf(program, t)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := writeJSON(&text, m); err != nil {
		return err
	}
	exe, err := os.ReadFile(j.path(program, t))
	if err != nil {
		return err
	}
	license, err := os.ReadFile("LICENSE")
	if err != nil {
		return err
	}
	files := []file{{"manifest.json", text.Bytes(), 0o644}, {"LICENSE", license, 0o644}, {m.Server.EntryPoint, exe, 0o755}}
	return j.write(j.bundleName(program, t), func(w io.Writer) error { return writeZip(w, files, j.release.time) })
}

// registryDocument writes the server.json of program. It names each bundle with its digest.
func (j job) registryDocument(program string) error {
	p := productOf(program)
	var packages, variables []any
	for _, s := range p.settings {
		variables = append(variables, map[string]any{
			"name": s.variable, "description": s.Description, "isRequired": s.Required, "isSecret": s.Sensitive, "format": s.Type,
		})
	}
	for _, t := range j.targets {
		octets, err := os.ReadFile(filepath.Join(j.out, j.bundleName(program, t)))
		if err != nil {
			return err
		}
		packages = append(packages, map[string]any{
			"registryType": "mcpb", "identifier": j.base + "/" + j.bundleName(program, t), "version": j.release.version,
			"fileSha256": fmt.Sprintf("%x", sha256.Sum256(octets)), "transport": map[string]string{"type": "stdio"}, "environmentVariables": variables,
		})
	}
	doc := map[string]any{
		"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		"name":    j.namespace + "/" + program, "title": p.title, "description": p.description, "version": j.release.version, "packages": packages,
	}
	return j.write(program+".server.json", func(w io.Writer) error { return writeJSON(w, doc) })
}
