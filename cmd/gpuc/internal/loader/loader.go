// Package loader makes IR modules of the sources on a command line: WGSL, IR text, and Go packages.
package loader

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/frontend/wgsl/lower"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
)

// EntryNames returns the name of an entry point, or for "" those of all. If there is none, a
// diagnostic is in the program's list, and the error is cli.ErrReported.
func EntryNames(p *Program, name string) ([]string, error) {
	var names []string
	for _, k := range p.Module.Kernels() {
		names = append(names, k.Name)
	}
	if name == "" && len(names) > 0 {
		return names, nil
	}
	if codegen.Kernel(p.Module, name, p.List) == nil {
		p.SuggestNames(name, nil)
		return nil, cli.ErrReported
	}
	return []string{name}, nil
}

// Program is a loaded source.
type Program struct {
	Set    *source.Set
	List   *diag.List
	Module *ir.Module        // nil after an error
	Shown  []diag.Diagnostic // that Report has shown
}

// PaceCollector limits the heap of a compilation to 8 MB and 100 bytes for each byte of the
// sources, as far as live data allows. The runtime's own memory is not counted. Small programs
// compile without a garbage collection. Restore resets the limit.
func PaceCollector(sources []string) (restore func()) {
	percent, limit := debug.SetGCPercent(40), debug.SetMemoryLimit(-1)
	size := int64(0)
	for _, source := range sources {
		file, err := os.Stat(source)
		if err != nil || !file.Mode().IsRegular() {
			size = -1 // unknown
			break
		}
		size += file.Size()
	}
	if size >= 0 {
		debug.SetMemoryLimit(12<<20 + 100*size)
	}
	return func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
}

// Load loads a source file, a Go package, or standard input for "-". The diagnostics are in the
// program's list.
func Load(e *cli.Env, name string, options frontend.Options) (*Program, error) {
	p := &Program{Set: new(source.Set), List: new(diag.List)}
	if pattern, ok := GoPackage(name); ok {
		if ext := strings.ToLower(filepath.Ext(name)); ext == ".wgsl" || ext == ".ir" {
			return nil, usage.CannotRead(name, errors.New("it is a folder; name a file in it"))
		}
		e.ReadsGo(name)
		var err error
		p.Module, err = gokernel.Load(p.Set, gokernel.Options{Math: options.Lower.Math, Warn: options.Warn, Stage: options.Stage}, p.List, pattern)
		return p, err
	}
	text, err := e.ReadInput(name)
	if err != nil {
		return nil, err
	}
	if name == "-" {
		name = stdinName(text)
	}
	file, err := p.Set.Add(name, text)
	if err != nil {
		return nil, err
	}
	p.Module, err = frontend.Load(p.Set, file, options, p.List)
	return p, err
}

// stdinName returns the name of a program from standard input in messages. The extension is that of
// its language: names have an @ in IR text, and never in WGSL.
func stdinName(text string) string {
	if regexp.MustCompile(`(?m)^(kernel|func|var) @`).MatchString(text) {
		return "stdin.ir"
	}
	return "stdin.wgsl"
}

// GoPackage returns the go command's pattern for the package of a Go file or a folder. Ok is false
// for other names.
func GoPackage(name string) (pattern string, ok bool) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return "", false // reading it fails, with a message
	case filepath.Ext(name) == ".go" && !info.IsDir():
		return "file=" + name, true
	case !info.IsDir():
		return "", false
	}
	if filepath.IsAbs(name) {
		return name, true
	}
	if name = filepath.ToSlash(filepath.Clean(name)); name == "." {
		return name, true
	}
	return "./" + name, true
}

// Report shows the diagnostics of the list and clears it. It returns cli.ErrReported if there were
// errors.
func (p *Program) Report(e *cli.Env) error {
	errors := p.List.Errors()
	if err := e.Show(p.Set, p.List.Items()); err != nil {
		return err
	}
	if shown := len(p.List.Items()); shown == diag.Limit {
		fmt.Fprintf(e.Stderr, "only the first %d diagnostics are shown\n", shown)
	}
	p.Shown = append(p.Shown, p.List.Items()...)
	p.List.Reset()
	if errors > 0 {
		return cli.ErrReported
	}
	return nil
}

// LoadReported is Load, followed by Report. Without an error, the module is not nil.
func LoadReported(e *cli.Env, name string, math opt.Math) (*Program, error) {
	p, err := Load(e, name, frontend.Options{Lower: lower.Options{Math: math}})
	if err != nil {
		return nil, err
	}
	return p, p.Report(e)
}

// SuggestNames adds notes with similar names to errors about the entry point and the overrides that
// are named on the command line.
func (p *Program) SuggestNames(entry string, settings Settings) {
	var entries, overrides []string
	for _, k := range p.Module.Kernels() {
		entries = append(entries, k.Name)
	}
	for i := range p.Module.Overrides {
		if o := &p.Module.Overrides[i]; o.Op == op.Invalid {
			overrides = append(overrides, o.Name)
		}
	}
	items := p.List.Items()
	for n := range items {
		d := &items[n]
		near := ""
		switch {
		case d.Code == diag.MissingEntryPoint && entry == "" && len(entries) > 0:
			d.Notes = append(d.Notes, diag.Note{Message: "-entry " + entries[0] + " chooses the first"})
		case d.Code == diag.MissingEntryPoint:
			near = usage.Nearest(entry, entries)
		case d.Code == diag.UnknownOverride:
			for _, s := range settings {
				if strings.HasSuffix(d.Message, "`"+s.Key+"`") {
					near = usage.Nearest(s.Key, overrides)
				}
			}
		}
		if near != "" {
			d.Notes = append(d.Notes, diag.Note{Message: "did you mean `" + near + "`?"})
		}
	}
}
