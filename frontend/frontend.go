// Package frontend loads programs of every language that gpuc reads from one file. The result is IR
// in all cases; the packages after this one do not depend on the language.
package frontend

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/gpuc/gpuc/frontend/wgsl"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// Options are the options of front ends.
type Options = wgsl.Options

// Load returns the IR of a file. The extension of its name selects the language: .wgsl or .ir, in
// any case. If the program has errors, Load adds them to list and returns nil. The error is for an
// unknown extension, and for a nil set, file or list.
func Load(set *source.Set, file *source.File, options Options, list *diag.List) (*ir.Module, error) {
	switch {
	case set == nil:
		return nil, errors.New("load a program: the set of sources is nil; new(source.Set) makes one, and its Add the file")
	case file == nil:
		return nil, errors.New("load a program: the file is nil; the set's Add makes one")
	case list == nil:
		return nil, errors.New("load a program: the list of diagnostics is nil; new(diag.List) makes one")
	}
	switch strings.ToLower(filepath.Ext(file.Name)) {
	case ".wgsl":
		return wgsl.Load(set, file, options, list), nil
	case ".ir":
		return loadIR(set, file, options, list), nil
	}
	return nil, fmt.Errorf("%s: the language is not known; the file's name should end in .wgsl or .ir", file.Name)
}

// Recycle returns the memory of a module to later calls of Load, so that a program that compiles
// many files stops allocating. The module must not be used afterwards.
func Recycle(m *ir.Module) { wgsl.Recycle(m) }

// loadIR parses IR text. Unlike the IR of front ends, it may be invalid, so it is verified.
func loadIR(set *source.Set, file *source.File, options Options, list *diag.List) *ir.Module {
	defer diag.Recover(list, source.Span{}, "reading "+file.Name, nil)
	before := list.Errors()
	stage := options.Stage
	if stage == nil {
		stage = func(string) func() { return func() {} }
	}
	end := stage("parse")
	m := ir.Parse(set, file, list)
	end()
	if m != nil {
		defer stage("verify")()
		ir.Verify(m, list)
	}
	if list.Errors() > before {
		return nil
	}
	return m
}
