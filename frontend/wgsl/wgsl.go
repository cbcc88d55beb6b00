// Package wgsl is the WGSL front end: text in, IR out. It runs the parser, the
// checker and lowering (packages syntax, check, lower), which know nothing of
// each other's insides, and where asked lint between the latter two.
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

// Options are what the stages can be told.
type Options struct {
	Check check.Options // what the device offers
	Lower lower.Options // what the IR promises
	// Warn asks for warnings of what is allowed and hardly meant (package lint), too.
	Warn bool
	// Stage, if not nil, is told when a stage begins, and what it returns is called when that ends.
	Stage func(name string) (end func())
}

func (o *Options) stage(name string) (end func()) {
	if o.Stage == nil {
		return func() {}
	}
	return o.Stage(name)
}

// Compiler loads programs one after the other and keeps the memory of its
// stages from one to the next. It must not be used from several goroutines at
// once. The zero Compiler is ready to use.
type Compiler struct {
	parser  *syntax.Parser
	checker check.Checker
	lowerer lower.Lowerer
	spare   *ir.Module // given back; the next program's
}

// NewCompiler returns a compiler.
func NewCompiler() *Compiler { return &Compiler{parser: syntax.NewParser(sem.Vocabulary())} }

// Check parses and checks a file and adds what is wrong to list. The result is
// complete if no errors were added, nil if gpuc itself failed, and valid until the
// compiler's next file; but its module, which has no functions yet, is the caller's.
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

// forget drops the memory of the stages, which a failure may have left in any state.
func (c *Compiler) forget() { *c = *NewCompiler() }

// module returns an empty module.
func (c *Compiler) module(set *source.Set) *ir.Module {
	m := c.spare
	if m == nil {
		return ir.NewModule(set)
	}
	c.spare = nil
	m.Reset(set)
	return m
}

// Recycle gives a module that Load made back, so that the next one is made in
// its memory. Nothing may use it any more.
func (c *Compiler) Recycle(m *ir.Module) {
	if c != nil {
		c.spare = m
	}
}

// Load makes IR of a file's compute entry points and what they reach. It returns
// nil after adding errors to list. The module is the caller's.
func (c *Compiler) Load(set *source.Set, file *source.File, options Options, list *diag.List) *ir.Module {
	list = diag.Some(list)
	before := list.Errors()
	info := c.Analyze(set, file, options, list)
	if list.Errors() > before {
		return nil
	}
	return info.Module
}

// Analyze runs the stages of Load as far as errors let it, so that list has all that Load
// has to say about a file, and returns what the checker found, under the conditions of Check.
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

// Lexemes appends the tokens of the file that was read last (syntax.Parser.Lexemes).
func (c *Compiler) Lexemes(to []syntax.Lexeme) []syntax.Lexeme {
	if c == nil || c.parser == nil {
		return to
	}
	return c.parser.Lexemes(to)
}

// compilers are those that Load has used. Making one takes as long as compiling a small
// program: it has to learn WGSL's words, and its memory grows with the first files.
var compilers = sync.Pool{New: func() any { return NewCompiler() }}

// spares are the modules that Recycle was given.
var spares sync.Pool

// Load makes IR of a file; see Compiler.Load. The compiler that it uses is kept for the
// next call as long as the garbage collector lets it.
func Load(set *source.Set, file *source.File, options Options, list *diag.List) *ir.Module {
	c := compilers.Get().(*Compiler)
	defer compilers.Put(c)
	if spare, ok := spares.Get().(*ir.Module); ok {
		c.Recycle(spare)
	}
	return c.Load(set, file, options, list)
}

// Recycle gives a module that Load made back, so that the next one is made in its memory,
// as long as the garbage collector lets it. Nothing may use it any more.
func Recycle(m *ir.Module) {
	if m != nil {
		spares.Put(m)
	}
}
