package jit

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/cpu/neon"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// TestTemplatesHaveRows: what the tables of this package have instructions for has some on arm64.
func TestTemplatesHaveRows(t *testing.T) {
	count := 0
	look := func(x *template, what ...any) {
		if x == nil {
			return
		}
		for n := range x.steps {
			if count++; !neon.Known(x.steps[n].op) {
				t.Errorf("%v: %v has no row in package neon", what, x.steps[n].op)
			}
		}
	}
	for _, all := range [...]*[op.Count][scalar.Count][byKinds]*template{table(), scalarTable()} {
		for o := range all {
			for k := range all[o] {
				for _, x := range all[o][k] {
					look(x, op.Op(o), scalar.Kind(k))
				}
			}
		}
	}
	for _, all := range [...]*[scalar.Count][scalar.Count]*template{conversions(), scalarConversions()} {
		for from := range all {
			for to, x := range all[from] {
				look(x, scalar.Kind(from), scalar.Kind(to))
			}
		}
	}
	for class, x := range canonicalizers() {
		look(x, class)
	}
	if count < 500 {
		t.Errorf("that was %d instructions", count)
	}
}

// TestMachines: a kernel that has machine code on one machine has some on the other, in each width.
func TestMachines(t *testing.T) {
	defer func() { forced = 0 }()
	compiles := 0
	for _, c := range exectest.Cases() {
		var o codegen.Options
		if c.Strict {
			o.Math = opt.MathStrict
		}
		for _, s := range c.Dispatches[0].Overrides {
			o.Settings = append(o.Settings, ir.Setting{Key: s.Name, Value: s.Value})
		}
		p, _, err := compiled(t, module(t, c.File(), o.Math), c.Dispatches[0].Entry, &o)
		if err != nil {
			continue
		}
		for _, forced = range [...]int{1, 4} {
			var errs [machines]error
			for m := AMD64; m < machines; m++ {
				code, err := Compile(p, Options{Machine: m})
				var refused *Refused
				if errs[m] = err; err != nil && !errors.As(err, &refused) {
					t.Errorf("%s on %s: %v", c.Name, m.row().name, err)
				} else if err == nil {
					if compiles++; len(code.Text)%4 != 0 && m == ARM64 {
						t.Errorf("%s has %d bytes", c.Name, len(code.Text))
					}
				}
			}
			if (errs[AMD64] == nil) != (errs[ARM64] == nil) {
				t.Errorf("%s: amd64 %v, arm64 %v", c.Name, errs[AMD64], errs[ARM64])
			}
		}
	}
	if t.Logf("%d compilations", compiles); compiles < 300 {
		t.Error("that is too few")
	}
}

// TestLowRegisters: an instruction that EVEX is not for has no register above 15, even if it
// compares a value with itself, so that it does not depend on the value.
func TestLowRegisters(t *testing.T) {
	var text strings.Builder
	text.WriteString(`
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
`)
	const count = 24
	for k := range count {
		fmt.Fprintf(&text, "  let v%d = out[id.x * %du + %du] ^ id.x;\n", k, k+2, k)
	}
	for k := range count {
		fmt.Fprintf(&text, "  if v%d == v%d { out[id.x + %du] = v%d * v%d; }\n", k, k, 5*k, k, (k+1)%count)
	}
	text.WriteString("}\n")
	p, _, err := compiled(t, parsed(t, text.String()), "main", &codegen.Options{NoOptimize: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { forced = 0 }()
	for _, forced = range [...]int{1, 4} {
		if _, err := Compile(p, Options{Machine: AVX512}); err != nil {
			t.Errorf("%d blocks together: %v", forced, err)
		}
	}
}
