// Package wgsl is the WGSL front end. It runs the parser (package syntax), the checker (check), the
// linter (lint) if asked for, and lowering to IR (lower).
package wgsl

import (
	"sync"

	"github.com/gpuc/gpuc/frontend/wgsl/check"
	"github.com/gpuc/gpuc/frontend/wgsl/lint"
	"github.com/gpuc/gpuc/frontend/wgsl/lower"
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// Options are the options of the stages.
type Options struct {
	Check check.Options // device features and limits
	Lower lower.Options // floating-point modes
	// Warn enables the warnings of package lint.
	Warn bool
	// Stage, if not nil, is called when a stage begins, and its result when that stage ends.
	Stage func(name string) (end func())
}

func (o *Options) stage(name string) (end func()) {
	if o.Stage == nil {
		return func() {}
	}
	return o.Stage(name)
}

// Compiler loads programs one after the other, and reuses the memory of the stages. It must not be
// used concurrently. The zero Compiler is ready to use.
type Compiler struct {
	parser   *syntax.Parser
	checker  check.Checker
	lowerer  lower.Lowerer
	recycled *ir.Module // recycled, for the next program
}

// NewCompiler returns a compiler.
func NewCompiler() *Compiler { return &Compiler{parser: syntax.NewParser(sem.Vocabulary())} }

// Check parses and checks a file, and adds diagnostics to list. The result is complete if no errors
// were added, and nil after an internal error. It is valid until the next file; its module, which
// has no functions yet, belongs to the caller.
func (c *Compiler) Check(set *source.Set, file *source.File, options Options, list *diag.List) *sem.Info {
	list = diag.Some(list)
	if c == nil || set == nil || file == nil {
		list.Add(diag.Diagnostic{Code: diag.Internal, Message: "there is nothing to check: the compiler, the set of sources or the file is nil",
			Notes: []diag.Note{{Message: "NewCompiler and new(source.Set) make them, and the set's Add a file"}}})
		return nil
	}
	if c.parser == nil {
		c.forget()
	}
	defer diag.Recover(list, source.Span{}, "checking "+file.Name, c.forget)
	end := options.stage("parse")
	tree := c.parser.Parse(file, list)
	end()
	defer options.stage("check")()
	return c.checker.Check(tree, c.module(set), options.Check, list)
}

func (c *Compiler) warn(info *sem.Info, file *source.File, list *diag.List) {
	defer diag.Recover(list, source.Span{}, "looking for warnings in "+file.Name, nil)
	lint.Check(info, list)
}

// forget drops the memory of the stages, which an internal error may have left inconsistent.
func (c *Compiler) forget() { *c = *NewCompiler() }

// module returns an empty module.
func (c *Compiler) module(set *source.Set) *ir.Module {
	m := c.recycled
	if m == nil {
		return ir.NewModule(set)
	}
	c.recycled = nil
	m.Reset(set)
	return m
}

// Recycle returns the memory of a module to the next Load. The module must not be used afterwards.
func (c *Compiler) Recycle(m *ir.Module) {
	if c != nil {
		c.recycled = m
	}
}

// Load returns the IR of a file's compute entry points and what they call, or nil after adding
// errors to list. The module belongs to the caller.
func (c *Compiler) Load(set *source.Set, file *source.File, options Options, list *diag.List) *ir.Module {
	list = diag.Some(list)
	before := list.Errors()
	info := c.Analyze(set, file, options, list)
	if list.Errors() > before {
		return nil
	}
	return info.Module
}

// Analyze adds all diagnostics of Load to list, as far as errors allow, and returns the result of
// Check.
func (c *Compiler) Analyze(set *source.Set, file *source.File, options Options, list *diag.List) *sem.Info {
	list = diag.Some(list)
	before := list.Errors()
	info := c.Check(set, file, options, list)
	if list.Errors() > before {
		return info
	}
	if options.Warn {
		c.warn(info, file, list)
	}
	c.lower(info, file, options, list)
	return info
}

func (c *Compiler) lower(info *sem.Info, file *source.File, options Options, list *diag.List) {
	defer diag.Recover(list, source.Span{}, "lowering "+file.Name, c.forget)
	defer options.stage("lower to IR")()
	c.lowerer.Lower(info, options.Lower, list)
}

// Lexemes appends the tokens of the last file; see syntax.Parser.Lexemes.
func (c *Compiler) Lexemes(to []syntax.Lexeme) []syntax.Lexeme {
	if c == nil || c.parser == nil {
		return to
	}
	return c.parser.Lexemes(to)
}

// compilers are reused by Load: a new one costs as much as a small program, for its vocabulary and
// its memory.
var compilers = sync.Pool{New: func() any { return NewCompiler() }}

// modules are the recycled modules.
var modules sync.Pool

// Load is Compiler.Load with a compiler from a pool.
func Load(set *source.Set, file *source.File, options Options, list *diag.List) *ir.Module {
	c := compilers.Get().(*Compiler)
	defer compilers.Put(c)
	if spare, ok := modules.Get().(*ir.Module); ok {
		c.Recycle(spare)
	}
	return c.Load(set, file, options, list)
}

// Recycle returns the memory of a module to a later Load. The module must not be used afterwards.
func Recycle(m *ir.Module) {
	if m != nil {
		modules.Put(m)
	}
}
