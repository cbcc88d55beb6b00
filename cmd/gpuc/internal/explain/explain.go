// Package explain is gpuc doc: it explains operations, builtins, types, formats, passes, diagnostic
// codes, targets and workarounds by their tables, and the packages of kernels by their sources.
package explain

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/codegen/workaround"
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// Command is gpuc doc.
var Command = cli.Command{
	Name:    "doc",
	Run:     runDoc,
	Summary: "explain an operation, builtin, type, pass, diagnostic code, target or function",
	Usage:   "[NAME]",
	Help: `
Explains a name. Without a name it lists the subjects, and with a subject the names.

  gpuc doc type-mismatch     a diagnostic code, with an example
  gpuc doc atomic_rmw        an operation of the IR
  gpuc doc smoothstep        a WGSL builtin function
  gpuc doc texture_2d        a type of texture or sampler, and how gpuc run binds one
  gpuc doc rgba8unorm        a texel format
  gpuc doc licm              a portable pass, or one of a target
  gpuc doc spirv             a target, and the passes it runs before emission
  gpuc doc linalg.Gemm       a function or type of a package of kernels, what
                             tests compare it with, and how fast it is
  gpuc doc code              lists all codes; so do op, builtin, type, format,
                             pass, target, workaround, linalg, seq, signal, image
`,
}

// subject is a kind of names.
type subject struct {
	name, doc string
	names     func() []string
	explain   func(w io.Writer, name string) bool // reports whether it knows the name
	list      func(w io.Writer)                   // prints the names; nil if each is a line
}

var subjects = []subject{
	{"op", "operations of the IR", opNames, explainOp, nil},
	{"builtin", "builtin functions of WGSL", builtinNames, explainBuiltin, nil},
	{"type", "types of textures and samplers", typeNames, explainType, nil},
	{"format", "texel formats", formatNames, explainFormat, nil},
	{"pass", "portable passes, and the legalisers of targets", passNames, explainPass, nil},
	{"code", "diagnostic codes", codeNames, explainCode, nil},
	{"target", "targets", all.Names, explainTarget, nil},
	{"workaround", "workarounds for driver bugs (-workarounds)", workaroundNames, explainWorkaround, nil},
}

// allSubjects returns all subjects: those of tables, and the packages of kernels.
func allSubjects() []subject {
	return append(slices.Clone(subjects),
		librarySubject("linalg", "vectors, matrices and factorisations: kernels/linalg"),
		librarySubject("seq", "sorts, sums, selections and random numbers: kernels/seq"),
		librarySubject("signal", "Fourier transforms, convolutions and filters: kernels/signal"),
		librarySubject("image", "sizes, filters, geometry and colours of images: kernels/image"))
}

func runDoc(e *cli.Env, args []string) error {
	names, err := e.Parse(e.NewFlags(), args)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		fmt.Fprintln(e.Stdout, "gpuc doc explains:")
		for _, s := range allSubjects() {
			fmt.Fprintf(e.Stdout, "  %-10s %s\n", s.name, s.doc)
		}
		fmt.Fprintln(e.Stdout, "`gpuc doc SUBJECT` lists the names, `gpuc doc NAME` explains one.")
		return nil
	}
	name := names[len(names)-1]
	var every []string
	found := false
	for _, s := range allSubjects() {
		if len(names) == 2 && names[0] != s.name {
			continue
		}
		if len(names) == 1 && name == s.name {
			if s.list != nil {
				s.list(e.Stdout)
			} else {
				fmt.Fprintln(e.Stdout, strings.Join(s.names(), "\n"))
			}
			return nil
		}
		if s.explain(e.Stdout, name) {
			found = true
		}
		every = append(every, s.names()...)
	}
	if found {
		return nil
	}
	near := usage.Nearest(name, every)
	if i := slices.IndexFunc(every, func(known string) bool { return strings.EqualFold(known, name) }); i >= 0 {
		near = every[i]
	}
	if near != "" {
		return usage.Errorf("nothing is called `%s`; did you mean `%s`?", name, near)
	}
	return usage.Errorf("nothing is called `%s`; `gpuc doc` lists the subjects", name)
}

func workaroundNames() (names []string) {
	for id := range workaround.Table {
		names = append(names, workaround.Table[id].Name)
	}
	return names
}

func explainWorkaround(w io.Writer, name string) bool {
	for id := range workaround.Table {
		r := &workaround.Table[id]
		if r.Name != name {
			continue
		}
		fmt.Fprintf(w, "workaround %s\n", name)
		for _, f := range r.Faults {
			fmt.Fprintf(w, "  for %s %s\n", f.Compiler, f.Seen)
		}
		fmt.Fprintf(w, "  symptom: %s\n  gpuc writes: %s\n  cost: %s\n", r.Symptom, r.Rewrite, r.Cost)
		return true
	}
	return false
}

func opNames() (names []string) {
	for o := op.Invalid + 1; o < op.Count; o++ {
		names = append(names, o.String())
	}
	return names
}

func explainOp(w io.Writer, name string) bool {
	o, ok := op.Lookup(name)
	if !ok || o == op.Invalid {
		return false
	}
	fmt.Fprintf(w, "operation %s\n  %s\n", name, o.Info().Doc)
	if op.SignatureOf(o).Special == "" { // otherwise Doc describes the operands
		fmt.Fprintf(w, "  signature: %s\n", o.Info().Signature)
	}
	if effects := Effects(o); effects != "" {
		fmt.Fprintf(w, "  effects: %s\n", effects)
	}
	if o.Info().Commutative {
		fmt.Fprintln(w, "  commutative")
	}
	for _, t := range all.Targets {
		switch f := t.Forms()[o]; {
		case f.Passes != nil:
			fmt.Fprintf(w, "  for target %s the pass %s replaces it\n", t.Name, strings.Join(f.Passes, " or "))
		case f.Reason != "":
			fmt.Fprintf(w, "  target %s cannot express it: %s\n", t.Name, f.Reason)
		}
	}
	return true
}

// effectNames describes the effects, except those on operands.
var effectNames = []struct {
	effect op.Effects
	name   string
}{
	{op.Anywhere, "may read and write any memory"}, {op.External, "sends data to the host"}, {op.Barrier, "orders invocations and the memories that it names"},
	{op.Convergent, "convergent"}, {op.Terminator, "ends a block"}, {op.Control, "owns blocks"},
}

// Effects describes what an operation does besides computing its results.
func Effects(o op.Op) string {
	var list []string
	for n := range o.Info().Operands {
		does := ""
		switch reads, writes := o.ReadsOperand(n), o.WritesOperand(n); {
		case reads && writes:
			does = "reads and writes"
		case reads:
			does = "reads"
		case writes:
			does = "writes"
		default:
			continue
		}
		if o.Operand(n)&op.Atomic != 0 {
			does = "atomically " + does
		}
		list = append(list, fmt.Sprintf("%s operand %d", does, n))
	}
	for _, e := range effectNames {
		if o.Is(e.effect) {
			list = append(list, e.name)
		}
	}
	return strings.Join(list, ", ")
}

func builtinNames() (names []string) {
	last := ""
	for i := range sem.Builtins {
		if b := &sem.Builtins[i]; b.Name != last {
			names = append(names, b.Name)
			last = b.Name
		}
	}
	return names
}

func explainBuiltin(w io.Writer, name string) bool {
	var rows []*sem.Builtin
	for i := range sem.Builtins {
		if b := &sem.Builtins[i]; b.Name == name {
			rows = append(rows, b)
		}
	}
	if len(rows) == 0 {
		return false
	}
	fmt.Fprintf(w, "builtin function %s\n", name)
	one := true // all rows have the same operation
	for _, b := range rows {
		fmt.Fprintf(w, "  %s\n", b.Signature)
		one = one && b.Op == rows[0].Op
	}
	if rows[0].Flags&sem.FragmentOnly != 0 {
		fmt.Fprintln(w, "  only fragment shaders may call it")
	}
	if o := rows[0].Op; one && o != op.Invalid {
		fmt.Fprintf(w, "  operation %s of the IR: %s\n", o, o.Info().Doc)
	}
	return true
}

// AllPasses lists the passes of all targets and then the legalisers of each.
func AllPasses() []*opt.Pass {
	passes := slices.Clone(codegen.Passes)
	for _, t := range all.Targets {
		for n := range t.Lowering(workaround.All) {
			p := &t.Lowering(workaround.All)[n]
			if !slices.ContainsFunc(passes, func(known *opt.Pass) bool { return known.Name == p.Name }) {
				passes = append(passes, p)
			}
		}
	}
	return passes
}

func passNames() (names []string) {
	for _, p := range AllPasses() {
		names = append(names, p.Name)
	}
	return names
}

func explainPass(w io.Writer, name string) bool {
	for _, p := range AllPasses() {
		if p.Name != name {
			continue
		}
		fmt.Fprintf(w, "pass %s\n  %s\n", p.Name, p.Doc)
		for _, t := range all.Targets {
			if slices.ContainsFunc(t.Lowering(workaround.All), func(l opt.Pass) bool { return l.Name == name }) {
				fmt.Fprintf(w, "  target %s runs it before emission\n", t.Name)
			}
		}
		if p.Needs != 0 {
			fmt.Fprintf(w, "  needs: %s\n", p.Needs)
		}
		if p.Gives != 0 {
			fmt.Fprintf(w, "  gives: %s\n", p.Gives)
		}
		if p.Breaks != 0 {
			fmt.Fprintf(w, "  breaks: %s\n", p.Breaks)
		}
		if p.Keeps != 0 {
			fmt.Fprintf(w, "  keeps: %s\n", p.Keeps)
		}
		for _, c := range codegen.ConstraintsOn(name) {
			fmt.Fprintf(w, "  order: %s before %s, because %s\n", c.Before, c.After, c.Why)
		}
		return true
	}
	return false
}

func codeNames() (names []string) {
	for _, c := range diag.Codes() {
		names = append(names, c.String())
	}
	return names
}

func explainCode(w io.Writer, name string) bool {
	c, ok := diag.Lookup(name)
	if !ok {
		return false
	}
	fmt.Fprintf(w, "diagnostic %s\n  %s\n", name, c.Entry().Doc)
	if example := c.Entry().Example; example != "" {
		fmt.Fprintf(w, "  for example:\n    %s\n", strings.ReplaceAll(example, "\n", "\n    "))
	}
	return true
}

func explainTarget(w io.Writer, name string) bool {
	t := all.Lookup(name)
	if t == nil {
		return false
	}
	fmt.Fprintf(w, "target %s\n  %s\n  files end in %s\n", t.Name, t.Doc, t.Extension)
	if t.Object != nil {
		fmt.Fprintf(w, "  what devices load is built to files that end in %s\n", t.ObjectExtension)
	}
	for _, p := range t.Profiles {
		fmt.Fprintf(w, "  profile %s:%s: %s\n", t.Name, p.Name, p.Doc)
	}
	for _, p := range t.Lowering(workaround.All) {
		fmt.Fprintf(w, "  runs %s: %s\n", p.Name, p.Doc)
	}
	fmt.Fprintf(w, "  names and lines of the source: %s\n", t.Names)
	for _, u := range Unsupported(t) {
		fmt.Fprintf(w, "  cannot express %s: %s\n", strings.Join(u.Ops, ", "), u.Reason)
	}
	return true
}

// UnsupportedOps are operations that a target cannot express, for one reason.
type UnsupportedOps struct {
	Reason string
	Ops    []string
}

// Unsupported returns the operations that a target cannot express, by reason.
func Unsupported(t *codegen.Target) (groups []UnsupportedOps) {
	for o, f := range t.Forms() {
		reason := f.Reason
		if reason == "" {
			continue
		}
		n := slices.IndexFunc(groups, func(g UnsupportedOps) bool { return g.Reason == reason })
		if n < 0 {
			n = len(groups)
			groups = append(groups, UnsupportedOps{Reason: reason})
		}
		groups[n].Ops = append(groups[n].Ops, op.Op(o).String())
	}
	return groups
}
