package jit

import (
	"errors"

	"github.com/gpuc/gpuc/codegen/cpu/lower"
)

// This file compiles kernels ahead of time: their code becomes assembly of Go's, which is a part of
// the program that runs them.

// Ahead is the machine code of a kernel for a program that is to be built.
type Ahead struct {
	// Key and Layout are what the code is registered with (execmem.Linked.Register), so that
	// Linked finds it.
	Key, Layout string
	code        *Code
}

// CompileAhead compiles the IR text of a kernel. The error says why the kernel has no machine code,
// if it is a *Refused or a *lower.Refused.
func CompileAhead(text []byte) (*Ahead, error) {
	m, f, _, err := lower.Read("", text)
	if err != nil {
		return nil, err
	}
	p, err := lower.Build(m, f)
	if err != nil {
		return nil, err
	}
	code, err := Compile(p, Options{List: true, Machine: AMD64})
	if err != nil {
		return nil, err
	}
	layout, err := code.Layout.text()
	return &Ahead{Key(text), layout, code}, err
}

// IsRefusal reports whether an error says why a kernel has no machine code, which is no mistake of
// anybody's.
func IsRefusal(err error) bool {
	var code *Refused
	var lanes *lower.Refused
	return errors.As(err, &code) || errors.As(err, &lanes)
}

// AppendAssembly appends the code as a function of Go's assembler, and a variable of the same name
// that says where it is. A file of such functions begins with amd64.Plan9Head.
func (a *Ahead) AppendAssembly(text []byte, name string) []byte {
	assembler, listing := a.code.listing(name, nil)
	return assembler.AppendPlan9(text, listing)
}
