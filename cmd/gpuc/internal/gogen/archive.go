package gogen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/builder"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/outfile"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file is about the archives that `gpuc gen` writes: what differs in one, what it holds, and
// its files outside of it.

// readArchive opens the archive of the package in a folder.
func readArchive(folder string) (*abi.Archive, error) {
	data, err := os.ReadFile(filepath.Join(folder, abi.ArchiveFile))
	if err != nil {
		return nil, err
	}
	return abi.OpenArchive(string(data))
}

// recogniseArchive reports whether a file is an archive of kernels, as far as its beginning says:
// it may be damaged.
func recogniseArchive(contents []byte) bool {
	const localHeader = 30
	return bytes.HasPrefix(contents, []byte("PK\x03\x04")) && len(contents) > localHeader &&
		bytes.HasPrefix(contents[localHeader:], []byte(abi.ArchiveIndexFile))
}

// staleArchive says what differs between an archive and what it should be, or "" if nothing does.
func staleArchive(file, want string) string {
	have, err := abi.OpenArchive(file)
	if err != nil {
		return "is damaged"
	}
	made, err := abi.OpenArchive(want)
	if err != nil {
		return "is stale"
	}
	var differ []string
	sameIndex := true
	note := func(a, b *abi.Archive) {
		for _, m := range a.Members {
			data, err := a.Read(m.Name)
			other, otherErr := b.Read(m.Name)
			switch same := err == nil && otherErr == nil && data == other; {
			case m.Name == abi.ArchiveIndexFile:
				sameIndex = sameIndex && same
			case !same && !slices.Contains(differ, m.Name):
				differ = append(differ, m.Name)
			}
		}
	}
	note(made, have)
	note(have, made)
	switch n := len(differ); {
	case n == 0 && sameIndex: // another version of Go has compressed it
		return ""
	case n == 0:
		return sameCode
	case n > 3:
		differ = append(differ[:3], fmt.Sprintf("and %d more", n-3))
	}
	return "is stale (" + strings.Join(differ, ", ") + ")"
}

// sameCode is what is said of an archive that another version of gpuc made, or of a source whose
// code did not change. Package gputest looks for it.
const sameCode = "is stale, though its code is the same"

// listArchives lists what the archives of folders hold.
func (g *generation) listArchives(folders []string) error {
	for _, folder := range folders {
		archive, err := g.archive(folder)
		if err != nil {
			return err
		}
		for _, m := range archive.Members {
			fmt.Fprintf(g.Stdout, "%8d  %s\n", m.Size, m.Name)
		}
	}
	return nil
}

// archive opens the archive in a folder for a user.
func (g *generation) archive(folder string) (*abi.Archive, error) {
	archive, err := readArchive(folder)
	if err != nil {
		return nil, fmt.Errorf("cannot read the archive of %s: %w", g.displayName(folder), err)
	}
	return archive, nil
}

// extract writes the files of the archive in a folder to another folder.
func (g *generation) extract(folder, to string) error {
	archive, err := g.archive(folder)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	var o outfile.Plan
	for _, m := range archive.Members {
		text, err := archive.Read(m.Name)
		if err != nil {
			return err
		}
		file, err := o.Add(filepath.Join(to, m.Name), "a file of the archive", outfile.Kind{})
		if err != nil {
			return err
		}
		file.Contents = []byte(text)
	}
	if err := o.Commit(); err != nil {
		return err
	}
	fmt.Fprintf(g.Stdout, "%s  %s written\n", filepath.ToSlash(to), diag.Plural(len(archive.Members), "file"))
	return nil
}

// oldFolder is where gpuc gen wrote files before there were archives.
const oldFolder = "gpuc"

var oldManifest = outfile.Kind{Magic: builder.ManifestStart}

// oldFiles returns the files, relative to a package, that gpuc gen wrote into oldFolder: the
// manifest, and the code of the kernels in it.
func oldFiles(folder string) (names []string) {
	manifest := filepath.Join(oldFolder, "manifest.json")
	data, err := os.ReadFile(filepath.Join(folder, manifest))
	if err != nil || !oldManifest.Has(unix(data)) {
		return nil
	}
	var m struct {
		Package string
		Kernels []struct{ Kernel struct{ Name string } }
	}
	if err := json.Unmarshal(data, &m); err != nil || m.Package == "" {
		return nil
	}
	for _, k := range m.Kernels {
		if filepath.Base(k.Kernel.Name) != k.Kernel.Name {
			continue
		}
		files, _ := filepath.Glob(filepath.Join(folder, oldFolder, k.Kernel.Name+".*"))
		for _, path := range files {
			if code, err := os.ReadFile(path); err == nil && builder.RecogniseCode(unix(code)) {
				names = append(names, filepath.Join(oldFolder, filepath.Base(path)))
			}
		}
	}
	return append(names, manifest)
}
