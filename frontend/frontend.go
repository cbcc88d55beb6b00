// Package frontend loads programs of any language that gpuc reads. What comes
// out is IR in every case; nothing behind this package knows the language.
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

// Options are what front ends can be told.
type Options = wgsl.Options

// language is a language by the ending of its files' names.
type language struct {
	extension string
	load      func(l *Loader, set *source.Set, file *source.File, options Options, list *diag.List) *ir.Module
}

var languages = [...]language{
	{".wgsl", (*Loader).loadWGSL},
	{".ir", (*Loader).loadIR},
}

// Loader loads files one after the other, in the memory of modules that were given
// back. The zero Loader is ready to use. It must not be used from several goroutines at
// once.
type Loader struct{}

// Load makes IR of a file, whose language its name's ending tells, in capitals or not. If the
// program is wrong, it adds errors to list and returns nil; the error is for
// files of unknown language, and for a nil set, file or list.
func (l *Loader) Load(set *source.Set, file *source.File, options Options, list *diag.List) (*ir.Module, error) {
	switch {
	case set == nil:
		return nil, errors.New("load a program: there is no set of sources: it is nil; new(source.Set) makes one, and its Add the file")
	case file == nil:
		return nil, errors.New("load a program: there is no file: it is nil; the set's Add makes one")
	case list == nil:
		return nil, errors.New("load a program: there is no list for what is wrong with it: it is nil; new(diag.List) makes one")
	}
	extension := strings.ToLower(filepath.Ext(file.Name))
	for _, k := range languages {
		if k.extension == extension {
			return k.load(l, set, file, options, list), nil
		}
	}
	return nil, fmt.Errorf("%s: the language is not known; the file's name should end in .wgsl or .ir", file.Name)
}

// Load makes IR of a file with a loader of its own; see Loader.Load.
func Load(set *source.Set, file *source.File, options Options, list *diag.List) (*ir.Module, error) {
	return new(Loader).Load(set, file, options, list)
}

// Recycle gives a module that Load made back, so that the next one, of this loader or
// another, is made in its memory: a program that compiles many files then allocates
// nothing for an instruction. Nothing may use the module any more.
func (l *Loader) Recycle(m *ir.Module) { wgsl.Recycle(m) }

func (l *Loader) loadWGSL(set *source.Set, file *source.File, options Options, list *diag.List) *ir.Module {
	return wgsl.Load(set, file, options, list)
}

// loadIR reads IR text. Unlike the IR that front ends make, it may break the
// IR's rules, so that it is verified here.
func (l *Loader) loadIR(set *source.Set, file *source.File, options Options, list *diag.List) *ir.Module {
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
