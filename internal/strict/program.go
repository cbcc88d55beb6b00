package strict

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
)

// Program is a generated kernel: a list of steps, whose operands are earlier values. The inputs are
// the first values.
type Program struct {
	In, Out []scalar.Kind
	steps   []step
	outputs []int
	kinds   []scalar.Kind // of all values: inputs, then one for each step
}

// step computes a value: an operation, a constant, or a loop that applies an operation repeatedly
// to its result, which is the first operand.
type step struct {
	operation  *Operation
	args       []int
	constant   uint64
	iterations uint32
}

// constants are constants with algebraic identities that passes and drivers use.
var constants = map[scalar.Kind][]float64{
	scalar.F32: {0, math.Copysign(0, -1), 1, -1, 2, 0.5, 3, 0.1, 1e-38, 1e-45, 3e38, math.Inf(1), math.Inf(-1), math.NaN(), 0x1p-126, 0x1p24},
	scalar.F64: {0, math.Copysign(0, -1), 1, -1, 2, 0.5, 3, 0.1, 1e-308, 5e-324, 1e308, math.Inf(1), math.Inf(-1), math.NaN(), 0x1p-1022, 0x1p53},
}

// kinds are the kinds of operations, weighted by repetition.
func allowed(o *Operation, doubles, halves bool) bool {
	for _, k := range append([]scalar.Kind{o.Out}, o.In...) {
		if (k == scalar.F64 || k == scalar.I64 || k == scalar.U64) && !doubles || k == scalar.F16 && !halves {
			return false
		}
	}
	return true
}

// weights make some operations more frequent.
func weight(name string) int {
	switch before, _, _ := strings.Cut(name, "."); before {
	case "div", "fma", "sqrt":
		return 6
	case "add", "sub", "mul":
		return 4
	case "select":
		return 2
	}
	return 1
}

// Generate returns the program of a seed.
func Generate(seed uint64, doubles, halves bool) *Program {
	random := rand.New(rand.NewPCG(seed, 40))
	p := &Program{In: []scalar.Kind{scalar.F32, scalar.F32, scalar.F32, scalar.I32}}
	if doubles {
		p.In = append(p.In, scalar.F64, scalar.F64, scalar.I64)
	}
	p.kinds = append(p.kinds, p.In...)
	var choices []*Operation
	for n := range Operations {
		if o := &Operations[n]; allowed(o, doubles, halves) {
			for range weight(o.Name) {
				choices = append(choices, o)
			}
		}
	}
	add := func(s step, k scalar.Kind) int {
		p.steps = append(p.steps, s)
		p.kinds = append(p.kinds, k)
		return len(p.kinds) - 1
	}
	// argument finds a value of a kind, a late one rather than an early one
	argument := func(k scalar.Kind) int {
		if list := constants[k]; list != nil && random.IntN(6) == 0 {
			return add(step{constant: scalar.FromFloat64(k, list[random.IntN(len(list))])}, k)
		}
		found := -1
		for n := len(p.kinds) - 1; n >= 0; n-- {
			if p.kinds[n] == k {
				if found = n; random.IntN(3) == 0 {
					break
				}
			}
		}
		return found
	}
	for made := 0; made < 24+random.IntN(24); {
		o := choices[random.IntN(len(choices))]
		s := step{operation: o}
		for _, k := range o.In {
			s.args = append(s.args, argument(k))
		}
		if len(s.args) > 1 && random.IntN(12) == 0 && o.In[1] == o.In[0] {
			s.args[1] = s.args[0] // x - x, x / x
		}
		ok := true
		for _, a := range s.args {
			ok = ok && a >= 0
		}
		if !ok {
			continue
		}
		if o.Out == o.In[0] && random.IntN(8) == 0 {
			s.iterations = 2 + random.Uint32N(5)
		}
		add(s, o.Out)
		made++
	}
	// the last values of each kind, which the others lead to
	for n := len(p.kinds) - 1; n >= 0 && len(p.outputs) < 6; n-- {
		if n < len(p.In) || p.steps[n-len(p.In)].operation != nil {
			p.outputs = append(p.outputs, n)
			p.Out = append(p.Out, p.kinds[n])
		}
	}
	return p
}

// Module returns the kernel of a program.
func (p *Program) Module() *ir.Module {
	k := newKernel()
	var values []ir.Value
	for _, kind := range p.In {
		values = append(values, k.input(kind))
	}
	for n, s := range p.steps {
		kind := p.kinds[len(p.In)+n]
		if s.operation == nil {
			values = append(values, k.module.ConstSplat(ir.Type(kind), s.constant))
			continue
		}
		x := make([]ir.Value, len(s.args))
		for a, v := range s.args {
			x[a] = values[v]
		}
		if s.iterations == 0 {
			values = append(values, s.operation.Build(k.Builder, x))
			continue
		}
		carried := k.Var(ir.Type(kind), fmt.Sprint("v", n))
		k.Store(carried, x[0])
		k.Count(s.iterations, func(ir.Value) {
			again := append([]ir.Value{k.Load(carried)}, x[1:]...)
			k.Store(carried, s.operation.Build(k.Builder, again))
		})
		values = append(values, k.Load(carried))
	}
	for n, v := range p.outputs {
		k.output(values[v], p.Out[n])
	}
	k.Return(0)
	return k.module
}

// Go evaluates an item: values has its inputs, and Go sets the others.
func (p *Program) Go(values []uint64, x []uint64) {
	for n, s := range p.steps {
		at := len(p.In) + n
		if s.operation == nil {
			values[at] = s.constant
			continue
		}
		x = x[:len(s.args)]
		for a, v := range s.args {
			x[a] = values[v]
		}
		v := s.operation.Go(x)
		for range max(s.iterations, 1) - 1 {
			x[0] = v
			v = s.operation.Go(x)
		}
		values[at] = v
	}
}

// Inputs returns random columns of inputs for n items.
func (p *Program) Inputs(seed uint64, n int) [][]uint64 {
	columns := make([][]uint64, len(p.In))
	for a := range columns {
		columns[a] = make([]uint64, n)
	}
	parallel(n, func(from, to int) {
		random := rand.New(rand.NewPCG(seed, uint64(from)))
		for i := from; i < to; i++ {
			for a, k := range p.In {
				columns[a][i] = operand(random, k)
			}
		}
	})
	return columns
}

// value is a stored value with its kind.
type value struct {
	kind scalar.Kind
	bits uint64
}

func (p *Program) all(values []uint64) []value {
	list := make([]value, len(values))
	for n, bits := range values {
		list[n] = value{p.kinds[n], bits}
	}
	return list
}

// trace formats an item: each step with its operands and value, and the expected and actual
// outputs.
func (p *Program) trace(inputs, got [][]uint64, i int) string {
	var b strings.Builder
	values := make([]uint64, len(p.kinds))
	for a, k := range p.In {
		values[a] = inputs[a][i]
		fmt.Fprintf(&b, "v%d = input %s %#x\n", a, k, values[a])
	}
	p.Go(values, make([]uint64, 4))
	for n, s := range p.steps {
		at := len(p.In) + n
		if s.operation == nil {
			fmt.Fprintf(&b, "v%d = constant %s %#x\n", at, p.kinds[at], values[at])
			continue
		}
		fmt.Fprintf(&b, "v%d = %s%v", at, s.operation.Name, s.args)
		if s.iterations > 0 {
			fmt.Fprintf(&b, " %d times", s.iterations)
		}
		fmt.Fprintf(&b, " = %#x\n", values[at])
	}
	for n, v := range p.outputs {
		mark := ""
		if !same(p.Out[n], got[n][i], values[v]) {
			mark = " WRONG"
		}
		fmt.Fprintf(&b, "output v%d: %#x, want %#x%s\n", v, got[n][i], values[v], mark)
	}
	return b.String()
}
