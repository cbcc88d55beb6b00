// Tiers: the ways in which the CPU device executes a kernel, from the interpreter, which takes
// every kernel, to machine code. A kernel that a tier refuses runs in the next lower one.

package cpu

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/gpuc/gpuc/codegen/cpu/jit"
	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/codegen/cpu/vector"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/runtime/driver"
)

// Tier is a way to execute kernels.
type Tier uint8

// The tiers, from the lowest. The zero value is the default. That is machine code, where there can
// be any, a processor of the kind has executed some (jit.ByDefault), and no race detector watches.
// Elsewhere it is the vector engine.
const (
	Default     Tier = iota
	Interpreter      // one invocation at a time (package ir/interp)
	Vector           // a workgroup at a time, an operation at a time (package vector)
	JIT              // machine code (package jit)
	tierCount
)

// executor runs a kernel in a tier. The interpreter's program of the kernel has checked a launch
// and has put buffers, handles and immediates into its order. Results are those of
// interp.Program.Run.
type executor interface {
	Run(launch *interp.Launch) ([]diag.Diagnostic, error)
}

// subject is a kernel for which a tier is looked for.
type subject struct {
	text    []byte // its IR text, or none if it was made here
	module  *ir.Module
	kernel  *ir.Func
	program func() (*lower.Program, error) // built when a tier first needs it
}

func newSubject(text []byte, m *ir.Module, f *ir.Func) *subject {
	return &subject{text, m, f, sync.OnceValues(func() (*lower.Program, error) { return lower.Build(m, f) })}
}

// tiers describes each tier. The error of compile says why it refuses a kernel.
var tiers = [tierCount]struct {
	name, words string // as options have it, and as the device's name has it
	compile     func(s *subject) (executor, error)
}{
	Default:     {name: "default"},
	Interpreter: {name: "interpreter", words: "interpreter"},
	Vector:      {"vector", "vector engine", compileVector},
	JIT:         {"jit", "machine code", compileJIT},
}

func compileVector(s *subject) (executor, error) {
	p, err := s.program()
	if err != nil {
		return nil, err
	}
	return vector.Compile(p)
}

// compileJIT takes the code that is a part of the program, if there is any, or makes it.
func compileJIT(s *subject) (executor, error) {
	k := jit.Linked(s.text)
	if k == nil {
		p, err := s.program()
		if err != nil {
			return nil, err
		}
		if k, err = jit.Load(p, jit.Options{}); err != nil {
			return nil, err
		}
	}
	return &machineCode{k, sync.OnceValues(func() (executor, error) { return compileVector(s) })}, nil
}

// machineCode is a kernel as machine code, and in the vector engine for launches that the code does
// not take.
type machineCode struct {
	code   *jit.Kernel
	vector func() (executor, error) // compiles for the first such launch
}

// Run executes a launch.
func (m *machineCode) Run(launch *interp.Launch) ([]diag.Diagnostic, error) {
	if m.code.Takes(launch) {
		return m.code.Run(launch)
	}
	v, err := m.vector()
	if err != nil {
		return nil, err
	}
	return v.Run(launch)
}

// String returns the tier's name.
func (t Tier) String() string { return tiers[t].name }

// Variable is the environment variable that names the highest tier to use, where Driver.Tier does
// not.
const Variable = "GPUC_CPU"

// highest returns the highest tier to use.
func (d *Driver) highest() (Tier, error) {
	name := os.Getenv(Variable)
	switch {
	case d.Tier != Default:
		return d.Tier, nil
	case name == "" && jit.ByDefault() && !raceEnabled:
		return JIT, nil
	case name == "":
		return Vector, nil
	}
	for t := Interpreter; t < tierCount; t++ {
		if tiers[t].name == name {
			return t, nil
		}
	}
	return Default, fmt.Errorf("the environment variable %s is %q; it is one of %s, or is left out", Variable, name, strings.Join(Tiers(), ", "))
}

// Compiles reports whether kernels become machine code where a program sets no tier itself. The
// processor and the system have to let it, and the variable must not name another tier.
func Compiles() bool {
	t, err := new(Driver).highest()
	return err == nil && possible(t) == JIT
}

// possible returns the highest tier up to t that is available.
func possible(t Tier) Tier {
	if t == JIT && jit.Available() != nil {
		return Vector
	}
	return t
}

// Tiers returns the names of the tiers, the lowest first.
func Tiers() (names []string) {
	for t := Interpreter; t < tierCount; t++ {
		names = append(names, tiers[t].name)
	}
	return names
}

// choose compiles a kernel for the highest tier that takes it, and returns why higher ones do not.
func choose(highest Tier, s *subject) (tier Tier, code executor, refused error) {
	var reasons []error
	for t := highest; t > Interpreter; t-- {
		code, err := tiers[t].compile(s)
		if err == nil {
			return t, code, errors.Join(reasons...)
		}
		if _, none := s.program(); none != nil { // for any tier
			return Interpreter, nil, none
		}
		reasons = append(reasons, fmt.Errorf("%s: %w", t, err))
	}
	return Interpreter, nil, errors.Join(reasons...)
}

// TierOf returns the tier that a loaded kernel runs in, and why not in a higher one.
func TierOf(k driver.Kernel) (Tier, error) {
	loaded := k.(*kernel)
	return loaded.tier, loaded.refused
}
