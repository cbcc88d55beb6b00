// Package opt holds the portable passes and what runs them. A pass is a value with a name, a
// description of one sentence, and the properties that it needs, gives and may break. A pipeline is
// a slice of passes, in which a pass may occur several times. TestPipelines proves that every pass
// finds what it needs.
package opt

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
)

// Pass is one transformation of a module.
type Pass struct {
	Name string
	Doc  string // one sentence
	// Needs must hold before the pass, Gives holds after it, and Breaks may no
	// longer hold after it. Of the fragile properties (ir.Fragile) only those in
	// Keeps still hold.
	Needs, Gives, Breaks, Keeps ir.Property
	// Replaces are operations of which the pass leaves none.
	Replaces op.Set
	// Run transforms the module. User mistakes that only show here, such as a construct that a
	// target lacks, go to the context's list. A pass that says whether it has changed anything has
	// Transform instead.
	Run       func(c *Context, m *ir.Module)
	Transform func(c *Context, m *ir.Module) (changed bool)
	// If names passes. A line of a pipeline with names runs only if the latest run of one of them
	// in the same pipeline has changed something.
	If []string
}

// Apply runs the pass on a module, whatever its condition, and reports whether it may have changed
// something.
func (p *Pass) Apply(c *Context, m *ir.Module) (changed bool) {
	if p.Transform != nil {
		return p.Transform(c, m)
	}
	p.Run(c, m)
	return true
}

// If returns a line of a pipeline that runs a pass only where one of other passes has changed
// something, and so gives nothing for certain.
func If(changed []*Pass, p Pass) Pass {
	for _, c := range changed {
		p.If = append(p.If, c.Name)
	}
	p.Gives = 0
	return p
}

// After returns what holds after the pass, given what holds before.
func (p *Pass) After(holds ir.Property) ir.Property {
	return holds&^(p.Breaks|ir.Fragile&^p.Keeps) | p.Gives
}

// Math is the floating-point mode.
type Math = ir.Math

// The floating-point modes.
const (
	MathWGSL   = ir.MathWGSL
	MathStrict = ir.MathStrict
	MathFast   = ir.MathFast
)

// Bounds is what happens to accesses outside of a variable.
type Bounds uint8

// The bounds modes.
const (
	BoundsRobust  Bounds = iota // reads are clamped, stores dropped
	BoundsTrap                  // the first fault is recorded and reported
	BoundsOff                   // the caller answers for it
	BoundsTrapAll               // as BoundsTrap, with reads whose values a choice drops
)

// Traps reports whether faults are recorded.
func (b Bounds) Traps() bool { return b == BoundsTrap || b == BoundsTrapAll }

// Context is what passes share: options, the list for diagnostics, scratch
// memory, and the switches for debugging. It serves one compilation at a time
// and can be used again. What a pass finds out for a later one, or for the kernel's
// description, is in the module.
type Context struct {
	Math   Math
	Bounds Bounds
	List   *diag.List

	// Verify checks the module and the declared properties around every pass.
	Verify bool
	// DumpAfter names the pass after each of whose runs Dump gets the text;
	// "all" means every pass.
	DumpAfter string
	Dump      io.Writer
	// Watch, if not nil, is shown the module before the first pass, with nil for a pass, and after
	// each one.
	Watch func(pass *Pass, m *ir.Module)
	// Without names a pass that is left out wherever nothing needs what it gives.
	Without string
	// Timed makes Run note the time of every pass in Times, and Stage those of what else there is
	// in Stages.
	Timed  bool
	Times  []PassTime
	Stages []StageTime
	// OverBudget says whether Unroll has exceeded the budget of growth, for loops that are worth it
	// (growth.go).
	OverBudget bool
	// Subgroup is the size that all subgroups have on the target, or 0 if that is not known.
	Subgroup uint32
	// Fragments are the products of fragments that the target has instructions for.
	Fragments []ir.FragmentProduct
	// FragmentTable says how invocations hold the fragments of these products, or is nil if the
	// target's own compiler does.
	FragmentTable *ir.FragmentTable
	// FragmentSubgroup is the size of the subgroups whose fragments the target's emitter writes, or
	// 0 if it writes none.
	FragmentSubgroup uint32
	// FragmentWords says that it writes those in arrays of vec4<u32> in workgroup memory, too, and
	// the intrinsic LoadWords.
	FragmentWords bool
	// CopyBytes is the workgroup memory of a kernel that asynchronous copies may use, or 0 if the
	// target has none.
	CopyBytes uint32
	// WorkgroupLimit is the workgroup memory of a kernel on the target, or 0 if that is not known.
	WorkgroupLimit uint32
	// Tiles are the tiles that the lowering has given workgroup memory.
	Tiles []TileMemory
	// Survey, if not nil, receives what passes know of the code (survey.go).
	Survey *Survey

	scratch map[string]any
	changed []string // the passes of the pipeline that changed something where they came last
}

// Changed reports whether a pass changed something where it came last in the pipeline that ran
// last.
func (c *Context) Changed(p *Pass) bool { return slices.Contains(c.changed, p.Name) }

// note notes whether a pass changed something.
func (c *Context) note(p *Pass, changed bool) {
	n := slices.Index(c.changed, p.Name)
	switch {
	case changed && n < 0:
		c.changed = append(c.changed, p.Name)
	case !changed && n >= 0:
		c.changed = slices.Delete(c.changed, n, n+1)
	}
}

// PassTime is the time one run of a pass took.
type PassTime struct {
	Pass  *Pass
	Start time.Time
	Time  time.Duration
}

// StageTime is the time that something took which is no pass. Stages may be parts of others.
type StageTime struct {
	Name  string
	Start time.Time
	Time  time.Duration
}

// Stage begins something that is no pass; the result ends it. It does nothing unless the context is
// Timed.
func (c *Context) Stage(name string) (end func()) {
	if !c.Timed {
		return untimed
	}
	start := time.Now()
	return func() { c.Stages = append(c.Stages, StageTime{name, start, time.Since(start)}) }
}

func untimed() {}

// Scratch returns the pass's own working memory, made on first use and kept
// between compilations: a pass that grows its slices here allocates nothing in
// steady state. That of large modules is dropped when the pass is done (see
// keptInstructions), so no pass can leave anything here for another one.
func Scratch[T any](c *Context, pass string) *T {
	if s, ok := c.scratch[pass].(*T); ok {
		return s
	}
	if c.scratch == nil {
		c.scratch = map[string]any{}
	}
	s := new(T)
	c.scratch[pass] = s
	return s
}

// memories are the working memories that no context has at the moment: a context made for
// one compilation does not begin with nothing. The garbage collector drops what is not used.
var memories sync.Pool

// Watches reports whether somebody sees the passes, or what they take.
func (c *Context) Watches() bool { return c.DumpAfter != "" || c.Watch != nil || c.Timed }

// Borrow gives a context that has no working memory one that another had before, if there
// is any. Return gives it back.
func (c *Context) Borrow() {
	if c.scratch == nil {
		c.scratch, _ = memories.Get().(map[string]any)
	}
}

// Return gives the context's working memory to whoever borrows next.
func (c *Context) Return() {
	if c.scratch != nil {
		memories.Put(c.scratch)
		c.scratch = nil
	}
}

// Forget drops the working memory of all passes. A pass that panicked may have left
// its own in any state.
func (c *Context) Forget() { c.scratch = nil }

// keptInstructions is the size of modules up to which passes keep their working memory. All of it
// together is several times as large as the module. For a large one that is more than a compilation
// should hold, and making it anew costs little beside the pass.
const keptInstructions = 1 << 14

// trim drops the working memory of passes, and that of functions which they have
// removed, if the module is large. A pass whose
// parts have memory of their own calls it between them.
func (c *Context) trim(m *ir.Module) {
	n := 0
	for _, f := range m.Funcs {
		n += f.InstCount()
	}
	if n > keptInstructions {
		clear(c.scratch)
		m.Trim()
	}
}

// Run runs a pipeline on a module. It stops when a pass has reported an error.
// Holds is what is known of the module before; the result is what is known
// after. A broken invariant is a bug and panics with the pass's name.
func (c *Context) Run(m *ir.Module, pipeline []Pass, holds ir.Property) ir.Property {
	c.changed = c.changed[:0]
	for n := range pipeline {
		pass := &pipeline[n]
		if missing := pass.Needs &^ holds; missing != 0 {
			panic(fmt.Sprintf("pass %s needs %s", pass.Name, missing))
		}
		if len(pass.If) > 0 && !slices.ContainsFunc(pass.If, func(name string) bool { return slices.Contains(c.changed, name) }) ||
			pass.Name == c.Without && pass.Gives&^holds == 0 {
			c.note(pass, false)
			continue
		}
		errors := c.List.Errors()
		start := time.Time{}
		if c.Timed {
			start = time.Now()
		}
		c.note(pass, pass.Apply(c, m))
		c.trim(m)
		if c.Timed {
			c.Times = append(c.Times, PassTime{pass, start, time.Since(start)})
		}
		if c.List.Errors() > errors {
			return holds
		}
		holds = pass.After(holds)
		if c.Watch != nil {
			c.Watch(pass, m)
		}
		if c.Dumps(pass.Name) {
			fmt.Fprintf(c.Dump, "// after %s\n%s\n", pass.Name, m.Text())
		}
		if c.Verify {
			c.check(m, pass, holds)
		}
	}
	return holds
}

// Dumps reports whether Dump is to get the text after a pass.
func (c *Context) Dumps(pass string) bool { return c.DumpOf(pass) != nil }

// DumpOf returns what is to get the text after a pass, or nil.
func (c *Context) DumpOf(pass string) io.Writer {
	if c.DumpAfter == "all" || c.DumpAfter == pass {
		return c.Dump
	}
	return nil
}

func (c *Context) check(m *ir.Module, pass *Pass, holds ir.Property) {
	var list diag.List
	if ir.Verify(m, &list); list.Errors() == 0 {
		ir.CheckProperties(m, holds, &list)
	}
	if list.Errors() > 0 {
		d := list.Items()[0]
		notes := ""
		for _, n := range d.Notes {
			notes += "\n" + n.Message
		}
		panic(fmt.Sprintf("after pass %s: %s%s", pass.Name, d.Message, notes))
	}
	for _, f := range m.Funcs {
		for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
			if o := f.Op(i); pass.Replaces.Has(o) && !(op.Fragments.Has(o) && c.FragmentSubgroup != 0) {
				panic(fmt.Sprintf("after pass %s: %s is there, which it replaces", pass.Name, f.Op(i)))
			}
		}
	}
}
