package opt_test

import (
	"fmt"
	"runtime/debug"
	"testing"
	"time"

	"github.com/gpuc/gpuc/internal/irgen"
	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/internal/peak"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

func countInsts(m *ir.Module) (n int) {
	for _, f := range m.Funcs {
		for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
			n++
		}
	}
	return n
}

// big returns a generated kernel of about 5,000 instructions, most of them live.
func big() *ir.Module {
	for seed := uint64(1); ; seed++ {
		m := irgen.Generate(seed, irgen.Options{Instructions: 5000, NoCalls: true})
		c := &opt.Context{List: new(diag.List)}
		live := m.Clone()
		c.Run(live, []opt.Pass{opt.Dce}, 0)
		if n := countInsts(live); n > 3000 {
			return live
		}
	}
}

// BenchmarkStandard runs the whole pipeline on clones of one kernel, and reports the time of each
// pass per instruction of the input.
func BenchmarkStandard(b *testing.B) {
	m := big()
	n := countInsts(m)
	c := &opt.Context{List: new(diag.List), Timed: true}
	c.Run(m.Clone(), opt.Standard(), ir.Initial)
	times := make([]time.Duration, len(opt.Standard()))
	b.ReportAllocs()
	for b.Loop() {
		c.Times = c.Times[:0]
		c.Run(m.Clone(), opt.Standard(), ir.Initial)
		for k, t := range c.Times {
			times[k] += t.Time
		}
	}
	for k, p := range opt.Standard() {
		b.ReportMetric(float64(times[k].Nanoseconds())/float64(n*b.N), fmt.Sprintf("%d.%s-ns/inst", k, p.Name))
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "insts/s")
}

// BenchmarkClone measures Module.Clone alone, which BenchmarkStandard includes.
func BenchmarkClone(b *testing.B) {
	m := big()
	b.ReportAllocs()
	for b.Loop() {
		m.Clone()
	}
}

// straight builds a kernel of n rounds of loads, arithmetic on a variable and
// stores, one after the other.
func straight(n int) *ir.Module {
	m := irgen.Generate(1, irgen.Options{Instructions: 1, NoCalls: true, NoBarriers: true})
	f := m.NewFunc("straight", ir.Void)
	f.Kernel = true
	f.Workgroup = [3]ir.Value{m.ConstU32(1), m.ConstU32(1), m.ConstU32(1)}
	f.Builtins = []ir.Builtin{ir.LocalInvocationIndex}
	lane := f.AddParam(f.Entry, ir.U32)
	b := ir.NewBuilder(f)
	v := b.Var(ir.U32, "v")
	b.Store(v, lane)
	out := ir.GlobalValue(irgen.OutputWords)
	for k := range n {
		x := b.Op(op.Add, b.Load(v), m.ConstU32(uint32(k)))
		i := b.If(b.Op(op.Lt, x, lane))
		b.SetBlock(f.Region(i, 0))
		b.Store(v, b.Op(op.Mul, x, lane))
		b.Exit(i)
		b.SetBlock(f.Region(i, 1))
		b.Exit(i)
		b.SetBlock(f.Entry)
		b.Store(b.Access(out, x), b.Load(v))
	}
	b.Return(0)
	return m
}

// nested builds a kernel of n ifs and loops, one inside of the other, around a
// variable that the innermost stores.
func nested(n int) *ir.Module {
	m := straight(0)
	f := m.Func("straight")
	f.Remove(f.Last(f.Entry))
	b := ir.NewBuilder(f)
	lane := f.Params(f.Entry)[0]
	v := f.Result(f.First(f.Entry))
	outer := make([]ir.Inst, n)
	for k := range n {
		condition := b.Op(op.Lt, b.Load(v), m.ConstU32(uint32(k)))
		if k%2 == 0 {
			i := b.If(condition)
			outer[k] = i
			b.SetBlock(f.Region(i, 1))
			b.Exit(i)
			b.SetBlock(f.Region(i, 0))
			continue
		}
		i := b.Loop()
		outer[k] = i
		b.SetBlock(f.Region(i, 1))
		b.Next(i, nil, condition, nil)
		b.SetBlock(f.Region(i, 0))
	}
	b.Store(v, lane)
	for k := n - 1; k >= 0; k-- {
		i := outer[k]
		if f.Op(i) == op.If {
			b.Exit(i)
		} else {
			b.Continue(i)
		}
		b.SetBlock(f.BlockOf(i))
	}
	b.Store(b.Access(ir.GlobalValue(irgen.OutputWords), lane), b.Load(v))
	b.Return(0)
	return m
}

// TestTimeIsLinear runs the pipeline on inputs of growing size, long and deep:
// ten times as much may need thirty times as much processor time, not a hundred.
func TestTimeIsLinear(t *testing.T) {
	testmode.Long(t)
	for _, shape := range []struct {
		name         string
		build        func(n int) *ir.Module
		small, large int
	}{
		{"straight", straight, 10_000, 100_000},
		{"nested", nested, 300, 3_000},
	} {
		t.Run(shape.name, func(t *testing.T) {
			defer debug.SetGCPercent(debug.SetGCPercent(400))
			measure := func(n int) time.Duration {
				m := shape.build(n)
				irtest.Verify(t, m, 0)
				c := &opt.Context{List: new(diag.List)}
				took := peak.Processor(func() { c.Run(m, opt.Standard(), ir.Initial) })
				irtest.Verify(t, m, 0)
				return took
			}
			// other processes evict caches and slow single runs down: one good pair is enough
			const attempts = 5
			for n := range attempts {
				small, large := measure(shape.small), measure(shape.large)
				t.Logf("%d: %v, %d: %v", shape.small, small, shape.large, large)
				if large <= 30*small || large <= time.Second {
					return
				}
				if n == attempts-1 {
					t.Errorf("%d takes %v, %d takes %v", shape.small, small, shape.large, large)
				}
			}
		})
	}
}
