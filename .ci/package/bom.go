package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// The bill of materials is CycloneDX 1.6. It is read from the finished program, so it lists what was linked, not what a
// go.mod asks for.
type (
	bom struct {
		Format       string       `json:"bomFormat"`
		Spec         string       `json:"specVersion"`
		Serial       string       `json:"serialNumber"`
		Version      int          `json:"version"`
		Metadata     bomMetadata  `json:"metadata"`
		Components   []component  `json:"components"`
		Dependencies []dependency `json:"dependencies"`
	}
	bomMetadata struct {
		Timestamp string    `json:"timestamp"`
		Component component `json:"component"`
	}
	component struct {
		Ref        string     `json:"bom-ref"`
		Type       string     `json:"type"`
		Name       string     `json:"name"`
		Version    string     `json:"version"`
		PackageURL string     `json:"purl,omitempty"`
		Properties []property `json:"properties,omitempty"`
	}
	property   struct{ Name, Value string }
	dependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn"`
	}
)

// MarshalJSON writes the names in lower case, as the format wants them.
func (p property) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{"name": p.Name, "value": p.Value})
}

// bom writes the bill of materials of program, read from the build for the first target: the modules are the same on all.
func (j job) bom(program string) error {
	info, err := buildinfo.ReadFile(j.path(program, j.targets[0]))
	if err != nil {
		return err
	}
	octets, err := os.ReadFile(j.path(program, j.targets[0]))
	if err != nil {
		return err
	}
	sum := sha256.Sum256(octets)
	b := bom{Format: "CycloneDX", Spec: "1.6", Version: 1,
		Serial:   uuid(sum), // the same program has the same number
		Metadata: bomMetadata{j.release.time.Format("2006-01-02T15:04:05Z"), component{Ref: program, Type: "application", Name: program, Version: j.release.version}},
	}
	top := dependency{Ref: program}
	add := func(name, version, sum string) {
		c := component{Ref: "pkg:golang/" + name + "@" + version, Type: "library", Name: name, Version: version, PackageURL: "pkg:golang/" + name + "@" + version}
		if sum != "" {
			c.Properties = []property{{"golang:sum", sum}}
		}
		b.Components = append(b.Components, c)
		top.DependsOn = append(top.DependsOn, c.Ref)
	}
	add("std", strings.TrimPrefix(info.GoVersion, "go"), "")
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		add(m.Path, m.Version, m.Sum)
	}
	b.Dependencies = []dependency{top}
	return j.write(program+"-"+j.release.version+".cdx.json", func(w io.Writer) error { return writeJSON(w, b) })
}

// uuid is RFC 9562 §5.8 (version 8) over a digest.
func uuid(sum [32]byte) string {
	sum[6] = sum[6]&0x0f | 0x80
	sum[8] = sum[8]&0x3f | 0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", sum[0:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
