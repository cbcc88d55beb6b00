package strict

import (
	"cmp"
	"errors"
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/driver/cpu"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

var (
	device   = flag.String("device", "", "run only on these devices, separated by commas")
	rounds   = flag.Int("rounds", 1, "how many rounds of 2^18 operands each operation gets")
	complete = flag.Bool("complete", false, "all operands of functions of 32 bits")
	programs = flag.Int("programs", 6, "how many programs are generated")
	items    = flag.Int("items", 1<<12, "for how many items each program runs")
	seed     = flag.Uint64("seed", 1, "the first seed")
	only     = flag.String("only", "", "only these functions of 32 bits, separated by commas")
	budget   = flag.Duration("budget", 0, "when to begin nothing new, per test and device; 0 for never")
)

// eachDevice runs a test on all devices, and on all tiers of the CPU device.
func eachDevice(t *testing.T, test func(t *testing.T, d *gpu.Device)) {
	infos, err := gpu.Devices()
	if err != nil {
		t.Log(err)
	}
	for _, info := range infos {
		if *device != "" && !slices.Contains(strings.Split(*device, ","), info.ID()) {
			continue
		}
		tiers := []string{""}
		if info.ID() == "cpu:0" {
			tiers = cpu.Tiers()
		}
		for _, tier := range tiers {
			t.Run(strings.TrimSuffix(info.ID()+":"+tier, ":"), func(t *testing.T) {
				if tier != "" {
					t.Setenv(cpu.Variable, tier)
				}
				d := gputest.Open(t, gpu.Named(info.ID()))
				for _, s := range info.Inexact {
					t.Logf("%s lacks: %s", info.Name, s)
				}
				test(t, d)
			})
		}
	}
}

// subnormal reports whether a value is a subnormal number.
func subnormal(k scalar.Kind, x uint64) bool {
	l, ok := layout[k]
	return ok && x>>l[1]&(1<<l[0]-1) == 0 && x&(1<<l[1]-1) != 0
}

// lacks reports whether a device declares that it lacks something of strict arithmetic.
func lacks(d *gpu.Device, what string) bool {
	return slices.ContainsFunc(d.Info().Inexact, func(s string) bool { return strings.Contains(s, what) })
}

// excused reports whether a device that flushes subnormals may have a different result.
func excused(d *gpu.Device, o *Operation, x []uint64, want uint64) bool {
	if !lacks(d, "subnormal") {
		return false
	}
	for n, k := range o.In {
		if subnormal(k, x[n]) {
			return true
		}
	}
	return subnormal(o.Out, want)
}

// TestOperations compares each operation, alone in a kernel, with Go's arithmetic.
func TestOperations(t *testing.T) {
	const n = 1 << 18
	eachDevice(t, func(t *testing.T, d *gpu.Device) {
		for at := range Operations {
			o := &Operations[at]
			k, err := Load(d, o.Module(), ir.MathStrict, true)
			if errors.Is(err, ErrLacks) {
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", o.Name, err)
				continue
			}
			count := n
			if d.Info().Kind != driver.GPU {
				count = n / 32
			}
			wrong, flushed := 0, 0
			for round := range *rounds {
				random := rand.New(rand.NewPCG(uint64(round)+*seed, uint64(at)))
				inputs := make([][]uint64, len(o.In))
				for a := range inputs {
					inputs[a] = make([]uint64, count)
				}
				x := make([]uint64, len(o.In))
				for i := range count {
					operands(random, o, x)
					for a := range x {
						inputs[a][i] = x[a]
					}
				}
				got, err := Run(d, k, count, inputs, o.In, []scalar.Kind{o.Out})
				if err != nil {
					t.Fatalf("%s: %v", o.Name, err)
				}
				for i := range count {
					for a := range x {
						x[a] = inputs[a][i]
					}
					want := o.Go(x)
					if same(o.Out, got[0][i], want) {
						continue
					}
					if excused(d, o, x, want) {
						flushed++
						continue
					}
					if wrong++; wrong <= 4 {
						t.Errorf("%s(%x) = %x, want %x", o.Name, x, got[0][i], want)
					}
				}
			}
			if wrong > 0 || flushed > 0 {
				t.Logf("%s: %d of %d are wrong, %d are flushed", o.Name, wrong, count**rounds, flushed)
			}
			if wrong > 0 {
				t.Fail()
			}
			k.Close()
		}
	})
}

// first are the operations that are tested first with all operands.
var first = []string{"sqrt.f32", "reciprocal.f32", "convert.f32.i32", "convert.u32.f32", "convert.f32.f16"}

// TestAllOperands compares functions of one value of 32 bits with Go's arithmetic: for all values
// on request, within a time budget, and for a sample otherwise.
func TestAllOperands(t *testing.T) {
	eachDevice(t, func(t *testing.T, d *gpu.Device) {
		begin := time.Now()
		var list []*Operation
		for at := range Operations {
			if o := &Operations[at]; len(o.In) == 1 && o.In[0].Bits() == 32 && (*only == "" || slices.Contains(strings.Split(*only, ","), o.Name)) {
				list = append(list, o)
			}
		}
		slices.SortStableFunc(list, func(x, y *Operation) int {
			return cmp.Compare(uint(slices.Index(first, x.Name)), uint(slices.Index(first, y.Name)))
		})
		for _, o := range list {
			k, err := Load(d, o.Sweep(), ir.MathStrict, true)
			if errors.Is(err, ErrLacks) {
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", o.Name, err)
				continue
			}
			stride, block := uint64(4099*16), uint64(1<<16)
			if *complete {
				if stride, block = 1, 1<<23; *budget > 0 && time.Since(begin) > *budget {
					stride = 61
				}
			}
			data := make([]byte, block*uint64(wordOf(o.Out).Bits()/8))
			out, err := gpu.Alloc[byte](d, len(data))
			if err != nil {
				t.Fatal(err)
			}
			wrong, flushed, seen := 0, 0, uint64(0)
			for from := uint64(0); from < 1<<32; from += block * stride {
				bad, err := o.SweepBlock(d, k, out, int(block), uint32(from), uint32(stride), data)
				if err != nil {
					t.Fatalf("%s: %v", o.Name, err)
				}
				for _, i := range bad {
					x := []uint64{uint64(uint32(from) + uint32(i)*uint32(stride))}
					if want := o.Go(x); excused(d, o, x, want) {
						flushed++
					} else if wrong++; wrong <= 4 {
						t.Errorf("%s(%x) = %x, want %x", o.Name, x, stored(o.Out, data, i), want)
					}
				}
				seen += block
			}
			t.Logf("%s: %d operands, %d wrong, %d flushed", o.Name, seen, wrong, flushed)
			out.Close()
			k.Close()
		}
	})
}

// TestPrograms compares the outputs of generated programs with Go's arithmetic on all devices.
func TestPrograms(t *testing.T) {
	eachDevice(t, func(t *testing.T, d *gpu.Device) {
		begin := time.Now()
		info := d.Info()
		has := func(f string) bool {
			return slices.ContainsFunc(info.Features, func(x abi.Feature) bool { return string(x) == f })
		}
		flushes := lacks(d, "subnormal")
		outputs, differing, wrongPrograms, ran := 0, 0, 0, 0
		var flushed atomic.Int64
		for n := range *programs {
			if *budget > 0 && time.Since(begin) > *budget {
				break
			}
			p := Generate(*seed+uint64(n), has("float64") && has("int64"), false)
			k, err := Load(d, p.Module(), ir.MathStrict, (*seed+uint64(n))%4 != 3 || lacks(d, "at -O0"))
			if err != nil {
				t.Errorf("seed %d: %v", *seed+uint64(n), err)
				continue
			}
			inputs := p.Inputs(*seed+uint64(n), *items)
			got, err := Run(d, k, *items, inputs, p.In, p.Out)
			k.Close()
			if err != nil {
				t.Fatalf("seed %d: %v", *seed+uint64(n), err)
			}
			ran++
			bad := make([]int8, *items)
			parallel(*items, func(from, to int) {
				values, x := make([]uint64, len(p.kinds)), make([]uint64, 4)
				for i := from; i < to; i++ {
					for a := range p.In {
						values[a] = inputs[a][i]
					}
					p.Go(values, x)
					for o, v := range p.outputs {
						if !same(p.Out[o], got[o][i], values[v]) {
							bad[i]++
						}
					}
					if bad[i] > 0 && flushes && slices.ContainsFunc(p.all(values), func(v value) bool { return subnormal(v.kind, v.bits) }) {
						flushed.Add(int64(bad[i]))
						bad[i] = 0
					}
				}
			})
			outputs += *items * len(p.Out)
			before := differing
			for i, b := range bad {
				if differing += int(b); b > 0 && differing == before+int(b) && wrongPrograms < 5 {
					t.Errorf("seed %d, item %d:\n%s", *seed+uint64(n), i, p.trace(inputs, got, i))
				}
			}
			if differing > before {
				wrongPrograms++
			}
		}
		t.Logf("%s: %d programs, %d outputs, %d differ in %d programs, %d are flushed", info.ID(), ran, outputs, differing, wrongPrograms, flushed.Load())
		if differing > 0 {
			t.Fail()
		}
	})
}
