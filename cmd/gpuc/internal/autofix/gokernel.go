package autofix

import (
	"go/format"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/loader"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// fixGo applies the fixes of a Go package, or of one file of it. Other packages and generated files
// are not changed. The go command sees the present texts by an overlay. A file that was formatted
// by gofmt is formatted again.
func (x *Fixer) fixGo(e *cli.Env, name, pattern string, options frontend.Options, dry bool) (*Result, error) {
	e.ReadsGo(name)
	named, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(named)
	if err != nil {
		return nil, err
	}
	paths := map[string]string{} // by the names of files in positions
	m := fixing{name: name, texts: map[string]string{}}
	m.load = func() (*loader.Program, error) {
		overlay := map[string][]byte{}
		for shown, text := range m.texts {
			overlay[paths[shown]] = []byte(text)
		}
		p := &loader.Program{Set: new(source.Set), List: new(diag.List)}
		var err error
		p.Module, err = gokernel.Load(p.Set, gokernel.Options{Math: options.Lower.Math, Warn: options.Warn, Overlay: overlay, DisplayPath: func(path string) string {
			shown := gokernel.DisplayPath("", path)
			paths[shown] = path
			return shown
		}}, p.List, pattern)
		return p, err
	}
	m.owns = func(file *source.File) bool {
		path := paths[file.Name]
		if !info.IsDir() {
			return path == named
		}
		return filepath.Dir(path) == named && filepath.Base(path) != gokernel.GeneratedFile
	}
	m.format = func(before, fixed string) string {
		if text, err := format.Source([]byte(before)); err != nil || string(text) != before {
			return fixed
		}
		if text, err := format.Source([]byte(fixed)); err == nil {
			return string(text)
		}
		return fixed
	}
	r := new(Result)
	if r.Program, r.Changes, err = m.run(); err != nil {
		return nil, err
	}
	for _, shown := range slices.Sorted(maps.Keys(m.texts)) {
		text, err := os.ReadFile(paths[shown])
		if err != nil {
			return nil, err
		}
		if err := x.keep(shown, string(text), m.texts[shown], dry, r); err != nil {
			return nil, err
		}
	}
	return r, nil
}
