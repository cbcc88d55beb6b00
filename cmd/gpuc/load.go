package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"

	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/frontend/wgsl/lower"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
)

// program is a source file and what became of it.
type program struct {
	set    *source.Set
	list   *diag.List
	module *ir.Module // nil after an error
	shown  []diag.Diagnostic
}

// paceCollector makes the garbage collector keep the heap of a compilation
// within 8 MB and 100 bytes for each byte of the sources, as far as what is live
// allows; the runtime's own memory comes on top. Small programs are compiled
// before it would run at all. The result restores its pace.
func paceCollector(sources []string) (restore func()) {
	percent, limit := debug.SetGCPercent(40), debug.SetMemoryLimit(-1)
	size := int64(0)
	for _, source := range sources {
		file, err := os.Stat(source)
		if err != nil || !file.Mode().IsRegular() {
			size = -1 // it is not known
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

// load reads a source file, or a Go package, and makes a module of it. Diagnostics are
// left in the program's list.
func (e *environment) load(name string, options frontend.Options) (*program, error) {
	p := &program{set: new(source.Set), list: new(diag.List)}
	if pattern, ok := goPackage(name); ok {
		if ext := strings.ToLower(filepath.Ext(name)); ext == ".wgsl" || ext == ".ir" {
			return nil, cannotRead(name, errors.New("it is a folder; name a file in it"))
		}
		e.readsGo(name)
		var err error
		p.module, err = gokernel.Load(p.set, gokernel.Options{Math: options.Lower.Math, Warn: options.Warn, Stage: options.Stage}, p.list, pattern)
		return p, err
	}
	text, err := e.readInput(name)
	if err != nil {
		return nil, err
	}
	if name == "-" {
		name = stdinName(text)
	}
	file, err := p.set.Add(name, text)
	if err != nil {
		return nil, err
	}
	p.module, err = frontend.Load(p.set, file, options, p.list)
	return p, err
}

// stdinName is what a program from standard input is called in messages. Its ending tells the
// language: what IR text declares has a @ before its name, which no WGSL has.
func stdinName(text string) string {
	if regexp.MustCompile(`(?m)^(kernel|func|var) @`).MatchString(text) {
		return "stdin.ir"
	}
	return "stdin.wgsl"
}

// goPackage returns the pattern for the Go package that a file belongs to or that a folder
// holds, and whether the name is one of these.
func goPackage(name string) (pattern string, ok bool) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return "", false // who reads it says why
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

// report shows the diagnostics collected so far and forgets them. It returns
// errReported if an error was among them.
func (p *program) report(e *environment) error {
	errors := p.list.Errors()
	if err := e.show(p.set, p.list.Items()); err != nil {
		return err
	}
	if shown := len(p.list.Items()); shown == diag.Limit {
		fmt.Fprintf(e.stderr, "only the first %d diagnostics are shown\n", shown)
	}
	p.shown = append(p.shown, p.list.Items()...)
	p.list.Reset()
	if errors > 0 {
		return errReported
	}
	return nil
}

// loadReported loads a file and shows its diagnostics; the module is not nil if
// the error is nil.
func (e *environment) loadReported(name string, math opt.Math) (*program, error) {
	p, err := e.load(name, frontend.Options{Lower: lower.Options{Math: math}})
	if err != nil {
		return nil, err
	}
	return p, p.report(e)
}
