// Package playground is the backend of the page of `gpuc playground`. It checks a program, records
// its compilation, describes what its kernels need, and runs them on the CPU device. In the page it
// is compiled for js/wasm (internal/playground/wasm).
//
//	playground.go  checking and compiling
//	layout.go      the scalars in a buffer
//	run.go         running a kernel
//	texels.go      texels and images
package playground

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/codegen/cpu"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/frontend/wgsl/format"
	"github.com/gpuc/gpuc/internal/explore"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/abi"
)

// FileName is the name of the program in messages.
const FileName = "playground.wgsl"

// Request is a program, with the options to compile it, and to run it.
type Request struct {
	Source string `json:"source"`
	// NoOptimize is -O0, and Debug is -debug.
	NoOptimize bool `json:"noOptimize"`
	Debug      bool `json:"debug"`
	// Settings are values of overrides by name.
	Settings map[string]float64 `json:"settings"`
	// Targets are the titles of the targets to compile for.
	Targets []string `json:"targets"`
	Launch
}

// options returns the options of the compiler.
func (r *Request) options() codegen.Options {
	return codegen.Options{NoOptimize: r.NoOptimize, Debug: r.Debug, Lines: true}
}

// settings returns the values of the program's overrides.
func (r *Request) settings(m *ir.Module) (list []codegen.Setting) {
	for n := range m.Overrides {
		if value, ok := r.Settings[m.Overrides[n].Name]; ok {
			list = append(list, codegen.Setting{Key: m.Overrides[n].Name, Value: value})
		}
	}
	return list
}

// Looked is the result of checking and compiling a program.
type Looked struct {
	Errors int `json:"errors"`
	// Diagnostics have offsets in units of UTF-16, as strings of JavaScript have.
	Diagnostics []diag.Form `json:"diagnostics"`
	// Rendered is the diagnostics as on a terminal.
	Rendered string `json:"rendered"`
	// Exploration and Kernels are set by Look if there are no errors.
	Exploration *explore.Exploration `json:"exploration,omitempty"`
	Kernels     []Kernel             `json:"kernels,omitempty"`
}

// Kernel describes what a launch of a kernel needs.
type Kernel struct {
	Name      string         `json:"name"`
	Workgroup [3]uint32      `json:"workgroup"`
	Overrides []abi.Override `json:"overrides"`
	Buffers   []Buffer       `json:"buffers"`
	Handles   []abi.Handle   `json:"handles"`
	// Immediates is the size in bytes; the page passes zeros.
	Immediates int `json:"immediates,omitempty"`
	// Refusal says why it cannot be launched with these settings, or is "".
	Refusal string `json:"refusal,omitempty"`
}

// Buffer is a buffer and the scalars in it.
type Buffer struct {
	abi.Binding
	Layout Layout `json:"layout"`
}

// Check checks a program.
func Check(r *Request) *Looked {
	looked, _ := check(r)
	return looked
}

// check is Check with the program, which is nil if there are errors.
func check(r *Request) (*Looked, *ir.Module) {
	out := &Looked{}
	set, list := new(source.Set), new(diag.List)
	file, err := set.Add(FileName, r.Source)
	var m *ir.Module
	if err == nil {
		m, err = frontend.Load(set, file, frontend.Options{Warn: true}, list)
	}
	if err != nil {
		out.Errors, out.Rendered = 1, err.Error()
		return out, nil
	}
	out.Errors = list.Errors()
	out.Diagnostics = inUnits(diag.AppendForms([]diag.Form{}, set, list.Items()), r.Source)
	out.Rendered = rendered(set, list.Items())
	return out, m
}

// Look checks a program and, if there are no errors, compiles its kernels.
func Look(r *Request) *Looked {
	out, m := check(r)
	if m == nil {
		return out
	}
	options := r.options()
	options.Settings = r.settings(m)
	var names []string
	for _, k := range m.Kernels() {
		names = append(names, k.Name)
		out.Kernels = append(out.Kernels, describe(m, k.Name, options))
	}
	var asked []*codegen.Target
	for _, t := range all.Targets {
		if slices.Contains(r.Targets, t.Title()) {
			asked = append(asked, t)
		}
	}
	out.Exploration = explore.Explore(m, names, asked, options)
	for n := range out.Exploration.Kernels {
		offer(&out.Exploration.Kernels[n])
	}
	return out
}

// offer adds the targets that were not chosen to those of a kernel, in the order of all.Targets,
// without that of the checked CPU device.
func offer(k *explore.Kernel) {
	var list []explore.Target
	for _, t := range all.Targets {
		n := slices.IndexFunc(k.Targets, func(x explore.Target) bool { return x.Title == t.Title() })
		switch {
		case n >= 0:
			list = append(list, k.Targets[n])
		case t.Name != abi.Checked:
			list = append(list, explore.LeftOut(t))
		}
	}
	k.Targets = list
}

// describe describes what a launch of a kernel needs.
func describe(m *ir.Module, name string, options codegen.Options) Kernel {
	k := Kernel{Name: name}
	list := new(diag.List)
	a := codegen.Compile(m, name, &cpu.Checked, &options, list)
	if a == nil {
		k.Refusal = rendered(m.Sources, list.Items())
		return k
	}
	k.Workgroup, k.Handles, k.Immediates = a.Kernel.Workgroup, a.Kernel.Handles, a.Kernel.ValueBytes()
	k.Overrides = codegen.Overrides(m, name, options.Settings)
	for _, b := range a.Kernel.Arguments() {
		k.Buffers = append(k.Buffers, Buffer{b, layoutOf(m, b.Group, b.Binding, name)})
	}
	return k
}

// Format formats a program. If it has syntax errors, problem is not "".
func Format(text string) (formatted, problem string) {
	set, list := new(source.Set), new(diag.List)
	file, err := set.Add(FileName, text)
	if err != nil {
		return "", err.Error()
	}
	formatted, ok := format.Source(file, list)
	if !ok {
		return "", rendered(set, list.Items())
	}
	return formatted, ""
}

// rendered returns diagnostics as on a terminal.
func rendered(set *source.Set, items []diag.Diagnostic) string {
	var b strings.Builder
	diag.Write(&b, set, items) // a Builder does not fail
	return b.String()
}

// inUnits converts the offsets of diagnostics to units of UTF-16. It removes positions in the IR
// text of the CPU device.
func inUnits(forms []diag.Form, text string) []diag.Form {
	at := func(p **diag.LocationForm) {
		switch {
		case *p == nil:
		case (*p).File != FileName:
			*p = nil
		default:
			(*p).Offset, (*p).EndOffset = units(text[:(*p).Offset]), units(text[:(*p).EndOffset])
		}
	}
	for n := range forms {
		at(&forms[n].Location)
		for k := range forms[n].Notes {
			at(&forms[n].Notes[k].Location)
		}
		for k := range forms[n].Fixes {
			at(&forms[n].Fixes[k].Location)
		}
	}
	return forms
}

// units returns the length of a text in units of UTF-16. An invalid byte is one unit, as U+FFFD is.
func units(text string) (n int) {
	for _, r := range text {
		if n++; r > 0xFFFF && r <= utf8.MaxRune {
			n++
		}
	}
	return n
}
