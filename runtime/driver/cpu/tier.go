// Tiers: the ways in which the CPU device executes a kernel, from the one that is always there to
// the fastest. What a tier refuses, the next lower one takes; the interpreter takes everything.

package cpu

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/gpuc/gpuc/codegen/cpu/jit"
	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/codegen/cpu/sampling"
	"github.com/gpuc/gpuc/codegen/cpu/vector"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/driver"
)

// Tier is a way to execute kernels.
type Tier uint8

// The tiers, from the lowest. The zero value is the one that is taken where nobody asks for
// another: machine code, where there can be any, a processor of the kind has executed some
// (jit.ByDefault), and no race detector watches; columns elsewhere.
const (
	Default     Tier = iota
	Interpreter      // one invocation at a time (package interp)
	Columns          // a workgroup at a time, an operation at a time (package columns)
	Native           // machine code (package native)
	tierCount
)

// executor is a kernel as a tier runs it. A launch has been checked by the interpreter's program of
// the same kernel, and its buffers, handles and immediates are in that program's order. Results are
// what interp.Program.Run returns.
type executor interface {
	Run(launch *interp.Launch) ([]diag.Diagnostic, error)
}

// subject is a kernel for which a tier is looked for: its IR text, and the program of that, which
// is built when a tier asks for it.
type subject struct {
	text    []byte
	module  *ir.Module
	kernel  *ir.Func
	shapes  []texture.Shape // of the handles of a launch
	program func() (*lower.Program, error)
}

func newSubject(text []byte, m *ir.Module, f *ir.Func, handles []interp.Handle) *subject {
	s := &subject{text: text, module: m, kernel: f, program: sync.OnceValues(func() (*lower.Program, error) { return lower.Build(m, f) })}
	for _, h := range handles {
		s.shapes = append(s.shapes, h.Shape)
	}
	return s
}

// tiers are what is known of each. The error of compile says why a tier refuses a kernel.
var tiers = [tierCount]struct {
	name, words string // as options have it, and as the device's name has it
	compile     func(s *subject) (executor, error)
}{
	Default:     {name: "default"},
	Interpreter: {name: "interpreter", words: "interpreter"},
	Columns:     {"columns", "interpreter of columns", compileColumns},
	Native:      {"native", "machine code", compileNative},
}

func compileColumns(s *subject) (executor, error) {
	p, err := s.program()
	if err != nil {
		return nil, err
	}
	return vector.Compile(p)
}

// machine is a kernel as machine code, and in columns for launches that the code does not take.
type machine struct {
	code    *jit.Kernel
	columns func() (executor, error) // compiles when there is the first such launch

	subject  *subject
	mutex    sync.Mutex
	variants []variant // the one that was used last is the first
}

// variant is machine code for some states of textures and samplers, or nil if there is none.
type variant struct {
	states []sampling.State
	code   *jit.Kernel
	// handles are the indices of the handles that the code still has calls for
	handles []int
}

// mostVariants bounds how many variants a kernel keeps.
const mostVariants = 8

// variant returns the machine code for the textures and samplers of a launch, which is compiled for
// the first launch that has some like them.
func (m *machine) variant(handles []texture.Handle) (found variant) {
	states, ok := sampling.AppendStates(nil, handles)
	if !ok {
		return found
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	n := slices.IndexFunc(m.variants, func(v variant) bool { return slices.Equal(v.states, states) })
	if n < 0 {
		v := variant{states: states}
		lowered, kernel := sampling.Lower(m.subject.module, m.subject.kernel, states)
		if p, err := lower.Build(lowered, kernel); err == nil {
			v.code, _ = jit.Load(p, jit.Options{})
		}
		before := ir.ReachOf(m.subject.module, m.subject.kernel).Handles
		for _, h := range ir.ReachOf(lowered, kernel).Handles {
			v.handles = append(v.handles, slices.Index(before, h))
		}
		n = min(len(m.variants), mostVariants-1)
		m.variants = append(m.variants[:n], v)
	}
	v := m.variants[n]
	copy(m.variants[1:n+1], m.variants[:n])
	m.variants[0] = v
	return v
}

// compileNative takes the code that is a part of the program, if there is any, or makes it.
func compileNative(s *subject) (executor, error) {
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
	return &machine{code: k, columns: sync.OnceValues(func() (executor, error) { return compileColumns(s) }), subject: s}, nil
}

// Run executes a launch.
func (m *machine) Run(launch *interp.Launch) ([]diag.Diagnostic, error) {
	if len(launch.Handles) > 0 && launch.Fuel == 0 {
		if v := m.variant(launch.Handles); v.code != nil {
			with := *launch
			with.Handles = nil
			for _, n := range v.handles {
				with.Handles = append(with.Handles, launch.Handles[n])
			}
			with.Buffers = sampling.AppendBuffers(slices.Clone(launch.Buffers), launch.Handles, m.subject.shapes)
			if v.code.Takes(&with) {
				return v.code.Run(&with)
			}
		}
	}
	if m.code.Takes(launch) {
		return m.code.Run(launch)
	}
	c, err := m.columns()
	if err != nil {
		return nil, err
	}
	return c.Run(launch)
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
		return Native, nil
	case name == "":
		return Columns, nil
	}
	for t := Interpreter; t < tierCount; t++ {
		if tiers[t].name == name {
			return t, nil
		}
	}
	return Default, fmt.Errorf("the environment variable %s is %q; it is one of %s, or is left out", Variable, name, strings.Join(Tiers(), ", "))
}

// Compiles reports whether kernels become machine code where a program asks for no tier itself:
// whether the processor and the system let it, and the variable does not ask for another tier.
func Compiles() bool {
	t, err := new(Driver).highest()
	return err == nil && possible(t) == Native
}

// possible returns the highest tier that there is here, up to one.
func possible(t Tier) Tier {
	if t == Native && jit.Available() != nil {
		return Columns
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

// choose compiles a kernel for the highest tier that takes it, and returns why those above do not.
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
