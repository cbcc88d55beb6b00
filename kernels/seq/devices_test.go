package seq

import (
	"math"
	"reflect"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// environment is a device with a stream.
type environment struct {
	t testing.TB
	s *gpu.Stream
}

func (e *environment) check(err error) {
	e.t.Helper()
	if err != nil {
		e.t.Fatal(err)
	}
}

// opened are the devices of a test, which opens each once.
var opened map[string]*environment

// environments returns the devices that there are in long mode, and the CPU device otherwise.
func environments(t testing.TB) (list []*environment) {
	t.Helper()
	infos, err := gpu.Devices()
	if err != nil {
		t.Logf("a driver fails, and its devices are left out: %v", err)
	}
	for _, info := range infos {
		if info.Target == abi.Checked || !testmode.IsLong() && info.Target != abi.CPU {
			continue
		}
		e := opened[info.ID()]
		if e == nil {
			d, err := gpu.Open(gpu.Named(info.ID()), gpu.KernelCache("off"))
			if err != nil {
				t.Fatal(err)
			}
			s, err := d.NewStream()
			if err != nil {
				t.Fatal(err)
			}
			e = &environment{s: s}
			if opened == nil {
				opened = map[string]*environment{}
			}
			opened[info.ID()] = e
		}
		e.t = t
		list = append(list, e)
	}
	return list
}

// onDevices runs a test on each device. What it returns is the same on all of them, to the bit: the
// results are kept by name. A device that lacks a type is left out, and the log says so.
func onDevices(t *testing.T, results map[string]any, name string, f func(*environment) any) {
	t.Helper()
	for _, e := range environments(t) {
		got := f(e)
		if got == nil {
			continue
		}
		if want, ok := results[name]; !ok {
			results[name] = got
		} else if !reflect.DeepEqual(bitsOf(got), bitsOf(want)) {
			t.Fatalf("%s: %s has %v, another device %v", name, e.s.Device().Info().Name, got, want)
		}
	}
}

// bitsOf makes NaNs equal to themselves: DeepEqual compares floats.
func bitsOf(v any) any {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = bitsOf(v[i])
		}
		return list
	case []float32:
		return bits32(v)
	case []float64:
		return bits64(v)
	}
	return v
}

func upload[T any](e *environment, x []T) *gpu.Buffer[T] {
	e.t.Helper()
	b, err := gpu.Upload(e.t.Context(), e.s.Device(), x)
	e.check(err)
	e.t.Cleanup(func() { b.Close() })
	return b
}

func alloc[T any](e *environment, n int) *gpu.Buffer[T] {
	e.t.Helper()
	b, err := gpu.Alloc[T](e.s.Device(), n)
	e.check(err)
	e.t.Cleanup(func() { b.Close() })
	return b
}

func read[T any](e *environment, b *gpu.Buffer[T]) []T {
	e.t.Helper()
	x := make([]T, b.Len())
	e.check(b.Read(e.t.Context(), e.s, x))
	return x
}

func bits32(v []float32) (list []uint32) {
	for _, f := range v {
		b := math.Float32bits(f)
		if f != f {
			b = 0x7fc00000
		}
		list = append(list, b)
	}
	return list
}

func bits64(v []float64) (list []uint64) {
	for _, f := range v {
		b := math.Float64bits(f)
		if f != f {
			b = 0x7ff8 << 48
		}
		list = append(list, b)
	}
	return list
}

// some returns all sizes in long mode, and every third one from the last on otherwise.
func some[T any](sizes []T) (list []T) {
	for n, size := range sizes {
		if testmode.IsLong() || (len(sizes)-1-n)%3 == 0 {
			list = append(list, size)
		}
	}
	return list
}

// mayWait reports whether workgroups of a device may wait for others.
func mayWait(e *environment) bool {
	target := e.s.Device().Info().Target
	return target == abi.PTX || target == abi.CPU
}
