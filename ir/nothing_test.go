package ir_test

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/source"
)

// said returns what a call panics with, if that is a text, or "".
func said(call func()) (text string) {
	defer func() { text, _ = recover().(string) }()
	call()
	return ""
}

// TestNoModule: the module of a program that has errors is nil, and its methods panic with a
// message that says where the errors are. A zero module is empty, or says what makes one; so do a
// function and a builder of nothing.
func TestNoModule(t *testing.T) {
	var none *ir.Module
	for name, call := range map[string]func(){
		"Kernels":     func() { none.Kernels() },
		"Func":        func() { none.Func("main") },
		"Clone":       func() { none.Clone() },
		"Reset":       func() { none.Reset(new(source.Set)) },
		"Trim":        func() { none.Trim() },
		"NewFunc":     func() { none.NewFunc("f", 0) },
		"AddGlobal":   func() { none.AddGlobal(ir.Global{}) },
		"AddOverride": func() { none.AddOverride(ir.Override{}) },
		"AppendText":  func() { none.Text() },
		"AppendDot":   func() { none.AppendDot(nil, ir.PrintOptions{}) },
		"FuncNames":   func() { none.FuncNames() },
		"StripNames":  func() { none.StripNames(nil) },
	} {
		if got, want := said(call), "ir.Module."+name+" of nil; "; !strings.HasPrefix(got, want) || !strings.Contains(got, "list of diagnostics") {
			t.Errorf("%s panics with %q, want %q", name, got, want)
		}
	}
	if got := said(func() { ir.NewBuilder(none.Func("main")) }); !strings.HasPrefix(got, "ir.Module.Func of nil; ") {
		t.Errorf("a builder of no module: %q", got)
	}
	m := ir.NewModule(new(source.Set))
	if got := said(func() { ir.NewBuilder(m.Func("main")) }); !strings.HasPrefix(got, "ir.NewBuilder of nil; ") {
		t.Errorf("a builder of no function: %q", got)
	}
	empty := new(ir.Module)
	if empty.Text() != "" || empty.Kernels() != nil || empty.Func("main") != nil || empty.Clone().Text() != "" || len(empty.FuncNames()) != 0 {
		t.Errorf("a module that is empty has %q", empty.Text())
	}
	for name, call := range map[string]func(){
		"NewFunc":     func() { empty.NewFunc("f", 0) },
		"AddGlobal":   func() { empty.AddGlobal(ir.Global{}) },
		"AddOverride": func() { empty.AddOverride(ir.Override{}) },
	} {
		if got, want := said(call), "ir.Module."+name+" of new(ir.Module); ir.NewModule makes one"; got != want {
			t.Errorf("%s panics with %q, want %q", name, got, want)
		}
	}
	empty.Reset(new(source.Set))
	if empty.NewFunc("f", empty.VectorOf(ir.U32, 2)); empty.Func("f") == nil {
		t.Error("after Reset a module is as NewModule makes it")
	}
}
