package gpu_test

import (
	"context"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

// TestReadReports reads what kernels left on the checked interpreter: a Read returns the error
// that a kernel ran into, with the contents, and leaves warnings to Wait.
func TestReadReports(t *testing.T) {
	p, err := jit.Parse("report.wgsl", `
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
var<workgroup> words: array<u32, 4>;
@compute @workgroup_size(4) fn races() { x[0] = 7u; }
@compute @workgroup_size(1) fn unwritten() { x[0] = words[0] + 8u; }`, codegen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := gpu.Open(gpu.Named("cpu:checked"))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	ctx := context.Background()
	x, err := gpu.Alloc[uint32](d, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		kernels    []string
		left       uint32
		read, wait string // parts of errors
	}{
		{[]string{"races"}, 7, "race", ""},
		{[]string{"unwritten"}, 8, "", "no invocation has written"},
		{[]string{"unwritten", "unwritten"}, 8, "", "no invocation has written"},
		{[]string{"unwritten", "races"}, 7, "race", ""},
	} {
		s, err := d.NewStream()
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range test.kernels {
			k, err := p.Load(d, name)
			if err != nil {
				t.Fatal(err)
			}
			args := k.Args()
			if err := args.Set(0, x); err != nil {
				t.Fatal(err)
			}
			if err := s.Launch(args, gpu.Grid{X: 1, Y: 1, Z: 1}); err != nil {
				t.Fatal(err)
			}
		}
		var got [1]uint32
		if err := x.Read(ctx, s, got[:]); !says(err, test.read) || got[0] != test.left {
			t.Errorf("%v: Read returns %v and %d, want %q and %d", test.kernels, err, got[0], test.read, test.left)
		}
		if err := s.Wait(ctx); !says(err, test.wait) {
			t.Errorf("%v: Wait returns %v, want %q", test.kernels, err, test.wait)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// says reports whether an error has a text, or whether there is none if the text is empty.
func says(err error, text string) bool {
	if err == nil || text == "" {
		return err == nil && text == ""
	}
	return strings.Contains(err.Error(), text)
}
