package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/frontend/wgsl/suggest"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
)

// This file finds what was meant by a name on the command line that is none: of a command, a
// flag, a file, a target, an entry point. A message that only says what is wrong leaves the
// rest to its reader.

// nearest returns the candidate that slips may have made name of, or "". There are few of
// them, so two slips are allowed in short names, too.
func nearest(name string, candidates []string) string {
	best := suggest.Suggestion{Name: name, Limit: max(2, len(name)/3)}
	for _, c := range candidates {
		best.Consider(c)
	}
	return best.Word()
}

// didYouMean is the end of a message about a name that is none of the candidates: "; did you
// mean `x`?", or what instead says if none is near.
func didYouMean(name string, candidates []string, instead string) string {
	if near := nearest(name, candidates); near != "" {
		return "; did you mean `" + near + "`?"
	}
	return instead
}

// otherTargets are targets by what people call the language or the device that they are for.
var otherTargets = diag.Words{
	{"metal", "msl"}, {"cuda", "ptx"}, {"nvptx", "ptx"}, {"nvidia", "ptx"}, {"vulkan", "spirv"}, {"spv", "spirv"},
	{"rocm", "amdgpu"}, {"hip", "amdgpu"}, {"amd", "amdgpu"}, {"webgpu", "wgsl"},
}

// findTarget finds a target as the command line names it.
func findTarget(title string) (*codegen.Target, error) {
	t, err := all.Find(title)
	if err == nil {
		return t, nil
	}
	name, _, _ := strings.Cut(title, ":")
	if all.Lookup(name) != nil { // the profile is wrong
		return nil, usagef("%v", err)
	}
	if other, ok := otherTargets.Find(strings.ToLower(name)); ok {
		return nil, usagef("%v; for %s it is `%s`", err, name, other)
	}
	return nil, usagef("%v%s", err, didYouMean(name, all.Names(), ""))
}

// cannotRead words an error of the system about a file to be read, and offers a file of the
// same kind beside it whose name is near.
func cannotRead(path string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	near := ""
	if errors.Is(err, fs.ErrNotExist) {
		if to, no := os.Readlink(path); no == nil {
			return fmt.Errorf("cannot read %s: it is a link to %s: %w", path, to, err)
		}
		near = nearFile(path)
	}
	return fmt.Errorf("cannot read %s: %w%s", path, err, near)
}

// readFile reads a file of data.
func readFile(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, cannotRead(path, err)
	}
	return data, nil
}

// nearFile is the end of a message about a file that is not there.
func nearFile(path string) string {
	folder, name := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Clean(folder + "."))
	if err != nil {
		return ""
	}
	var names []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == filepath.Ext(name) {
			names = append(names, e.Name())
		}
	}
	if near := nearest(name, names); near != "" {
		return "; did you mean " + folder + near + "?"
	}
	return ""
}

// suggestNames adds to errors about names from the command line what was meant: an entry
// point, an override.
func (p *program) suggestNames(entry string, settings settingsFlag) {
	var entries, overrides []string
	for _, k := range p.module.Kernels() {
		entries = append(entries, k.Name)
	}
	for i := range p.module.Overrides {
		if o := &p.module.Overrides[i]; o.Op == op.Invalid {
			overrides = append(overrides, o.Name)
		}
	}
	items := p.list.Items()
	for n := range items {
		d := &items[n]
		near := ""
		switch {
		case d.Code == diag.MissingEntryPoint && entry == "" && len(entries) > 0:
			d.Notes = append(d.Notes, diag.Note{Message: "-entry " + entries[0] + " chooses the first"})
		case d.Code == diag.MissingEntryPoint:
			near = nearest(entry, entries)
		case d.Code == diag.UnknownOverride:
			for _, s := range settings {
				if strings.HasSuffix(d.Message, "`"+s.Key+"`") {
					near = nearest(s.Key, overrides)
				}
			}
		}
		if near != "" {
			d.Notes = append(d.Notes, diag.Note{Message: "did you mean `" + near + "`?"})
		}
	}
}
