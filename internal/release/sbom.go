package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

// The list of a command's modules (SBOM) in CycloneDX 1.6 (ECMA-424), from the build information in
// the command.

type bom struct {
	Format       string       `json:"bomFormat"`
	Version      string       `json:"specVersion"`
	Serial       string       `json:"serialNumber"`
	Revision     int          `json:"version"`
	Metadata     bomMetadata  `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type bomMetadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Reference  string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	URL        string     `json:"purl"`
	Hashes     []bomHash  `json:"hashes,omitempty"`
	Licenses   []licensed `json:"licenses,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type bomHash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type licensed struct {
	License struct {
		ID string `json:"id"`
	} `json:"license"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Reference string   `json:"ref"`
	On        []string `json:"dependsOn"`
}

// sbom returns the list of a command's modules, and the command's version.
func sbom(binary string, made time.Time) (list []byte, version string, err error) {
	info, err := buildinfo.ReadFile(binary)
	// which buildinfo does not read; the same command for another system has the same modules
	if err != nil && strings.HasSuffix(binary, ".wasm") {
		info, err = linuxModules()
	}
	if err != nil {
		return nil, "", err
	}
	data, err := os.ReadFile(binary)
	if err != nil {
		return nil, "", err
	}
	version = info.Main.Version
	if version == "" || version == "(devel)" {
		version = "devel"
	}
	sum := sha256.Sum256(data)
	b := bom{Format: "CycloneDX", Version: "1.6", Serial: serial(sum), Revision: 1, Components: []component{}}
	own := moduleComponent("application", info.Main.Path, version)
	own.Name = "gpuc"
	own.Hashes = []bomHash{{"SHA-256", fmt.Sprintf("%x", sum)}}
	license := licensed{}
	license.License.ID = "Apache-2.0"
	own.Licenses = []licensed{license}
	for _, s := range info.Settings {
		own.Properties = append(own.Properties, property{"go:" + s.Key, s.Value})
	}
	b.Metadata = bomMetadata{made.Format(time.RFC3339), own}
	b.Components = append(b.Components, moduleComponent("library", "std", strings.TrimPrefix(info.GoVersion, "go")))
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c := moduleComponent("library", m.Path, m.Version)
		if m.Sum != "" { // a hash of file names and hashes, which is none of CycloneDX's
			c.Properties = []property{{"go:sum", m.Sum}}
		}
		b.Components = append(b.Components, c)
	}
	on := dependency{Reference: own.Reference}
	for _, c := range b.Components {
		on.On = append(on.On, c.Reference)
	}
	b.Dependencies = []dependency{on}
	list, err = json.MarshalIndent(&b, "", "  ")
	return append(list, '\n'), version, err
}

// linuxModules returns the build information of the command for Linux.
func linuxModules() (*buildinfo.BuildInfo, error) {
	folder, err := os.MkdirTemp("", "gpuc-modules-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	other, err := build(folder, systems[0], "", nil)
	if err != nil {
		return nil, err
	}
	return buildinfo.ReadFile(other)
}

// moduleComponent returns a Go module with its package URL.
func moduleComponent(kind, path, version string) component {
	url := "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
	return component{Type: kind, Reference: url, Name: path, Version: version, URL: url}
}

// serial returns a UUID derived from a checksum, so that equal lists have equal ones (RFC 9562,
// version 8).
func serial(sum [sha256.Size]byte) string {
	u := sum[:16]
	u[6], u[8] = u[6]&0x0f|0x80, u[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}
