package amdgpu_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/amdgpu"
	"github.com/gpuc/gpuc/codegen/amdgpu/machine"
	"github.com/gpuc/gpuc/codegen/amdgpu/object"
	bench "github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/jit"
)

// This file compares the machine code of package machine with LLVM's.

// absentDirect are the operations, by name and kind, that only the table of LLVM IR has. Most of
// them lower.ExpandI64 expresses by operations on words; kernels with the others are refused.
var absentDirect = strings.Fields(`
	count_one_bits.i64 count_one_bits.u64 extract_bits.i64 extract_bits.u64 first_leading_bit.i64 first_leading_bit.u64 first_trailing_bit.i64
	first_trailing_bit.u64 insert_bits.i64 insert_bits.u64 mul_high.u64 reverse_bits.i64 reverse_bits.u64
	rem.f64`)

// TestDirectExpresses compares the tables of machine code and of LLVM IR: no other operation may be
// missing.
func TestDirectExpresses(t *testing.T) {
	templates := amdgpu.TemplatesOf(opt.MathWGSL)
	absent := map[string]bool{}
	for o := op.Neg; o < op.Count; o++ {
		for k := range scalar.Count {
			if templates[o][k] != "" && !machine.Expresses(o, k) {
				absent[o.String()+"."+k.String()] = true
			}
		}
	}
	for to := range scalar.Count {
		for from := range scalar.Count {
			if amdgpu.Conversions[to][from] != "" && !machine.Converts(to, from) {
				absent["convert."+from.String()+"."+to.String()] = true
			}
		}
	}
	if found := slices.Sorted(maps.Keys(absent)); !slices.Equal(found, slices.Sorted(slices.Values(absentDirect))) {
		t.Errorf("the table lacks\n%s", strings.Join(found, " "))
	}
}

// figures are the resources of kernels.
type figures struct{ kernels, vgprs, sgprs, bytes, spilled int }

func (f *figures) add(m *object.Metadata, bytes int) {
	f.kernels++
	f.vgprs += int(m.VGPRs)
	f.sgprs += int(m.SGPRs)
	f.bytes += bytes
	f.spilled += int(m.VGPRSpills)
}

// TestDirectBesideLLVM compares the registers and code size of all exec kernels with LLVM's. They
// must not be more than three times as large.
func TestDirectBesideLLVM(t *testing.T) {
	testmode.Long(t)
	if missing := bench.MissingTools(); missing != "" {
		t.Skip("skipped: there is no " + missing)
	}
	var own, llvm figures
	var programs []bench.Program
	eachDirect(t, "gfx942", func(_ string, r *machine.Result) {
		own.add(&object.Metadata{VGPRs: uint64(r.Vectors), SGPRs: uint64(r.Scalars) + 6, VGPRSpills: uint64(r.Spilled)}, r.Instructions)
	})
	eachKernel(t, &amdgpu.Target, "gfx942", func(p bench.Program) { programs = append(programs, p) })
	assembled, err := bench.Assemble("gfx942", programs)
	if err != nil {
		t.Fatal(err)
	}
	for n := range programs {
		name := bench.KernelName(n)
		m, err := object.MetadataOf(assembled.Data, name)
		if err != nil {
			t.Fatal(err)
		}
		_, size, _ := strings.Cut(assembled.Symbols[name], " ")
		bytes := 0
		for _, digit := range size {
			bytes = 10*bytes + int(digit-'0')
		}
		llvm.add(m, bytes)
	}
	t.Logf("%d kernels: without LLVM %d VGPRs, %d SGPRs, %d bytes of instructions, %d words spilled", own.kernels, own.vgprs, own.sgprs, own.bytes, own.spilled)
	t.Logf("%d kernels: by llc-19 -O3 %d VGPRs, %d SGPRs, %d bytes of instructions, %d words spilled", llvm.kernels, llvm.vgprs, llvm.sgprs, llvm.bytes, llvm.spilled)
	if own.kernels != llvm.kernels || own.bytes > 3*llvm.bytes || own.vgprs > 3*llvm.vgprs {
		t.Error("the code needs more than three times as much")
	}
}

// eachKernel compiles the exec kernels.
func eachKernel(t *testing.T, target *codegen.Target, profile string, use func(p bench.Program)) {
	t.Helper()
	target, err := target.With(profile)
	if err != nil {
		t.Fatal(err)
	}
	cases := exectest.Cases()
	for n := range cases {
		c := &cases[n]
		if len(c.Textures) > 0 { // the target refuses them
			continue
		}
		text, err := os.ReadFile("../../" + c.File())
		if err != nil {
			t.Fatal(err)
		}
		var o codegen.Options
		if c.Strict {
			o.Math = opt.MathStrict
		}
		p, err := jit.Parse(c.Name+".wgsl", string(text), o)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range c.Dispatches {
			o.Settings, o.Context = nil, &opt.Context{Verify: true}
			for _, s := range d.Overrides {
				o.Settings = append(o.Settings, ir.Setting{Key: s.Name, Value: s.Value})
			}
			var list diag.List
			a := codegen.Compile(p.Module(), d.Entry, target, &o, &list)
			if a == nil {
				t.Errorf("%s %s: %s", c.Name, d.Entry, list.Items()[0].Message)
				continue
			}
			use(bench.Program{Code: a.Code, Kernel: &a.Kernel})
		}
	}
}

// eachDirect compiles the exec kernels without LLVM.
func eachDirect(t *testing.T, profile string, use func(entry string, r *machine.Result)) {
	t.Helper()
	var made *machine.Result
	eachKernel(t, amdgpu.DirectTo(func(r *machine.Result) { made = r }), profile, func(p bench.Program) { use(p.Kernel.Name, made) })
}

// TestDirectDisassembles reads all code objects with LLVM's disassembler, without warnings or
// unknown instructions. Those of gfx1100, which nothing runs, are tested only here.
func TestDirectDisassembles(t *testing.T) {
	testmode.Long(t)
	if _, err := exec.LookPath("llvm-objdump-19"); err != nil {
		t.Skip("skipped: there is no llvm-objdump-19 (Debian: llvm-19)")
	}
	for _, processor := range []string{"gfx942", "gfx1100"} {
		folder := t.TempDir()
		var files []string
		eachKernel(t, amdgpu.Direct(), processor, func(p bench.Program) {
			files = append(files, fmt.Sprintf("%s/%d_%s.hsaco", folder, len(files), p.Kernel.Name))
			if err := os.WriteFile(files[len(files)-1], p.Code, 0o600); err != nil {
				t.Fatal(err)
			}
		})
		c := exec.Command("llvm-objdump-19", append([]string{"-d", "--mcpu=" + processor}, files...)...)
		var complaints strings.Builder
		c.Stderr = &complaints
		text, err := c.Output()
		if err != nil || complaints.Len() > 0 {
			t.Errorf("%s: %v %s", processor, err, complaints.String())
		}
		parts := strings.Split(string(text), "file format elf64-amdgpu")[1:]
		if len(parts) != len(files) {
			t.Errorf("%s: %d of %d files are read", processor, len(parts), len(files))
		}
		for n, part := range parts {
			if code, _, ended := strings.Cut(part, "s_endpgm"); !ended || strings.Contains(code, "<unknown>") || strings.Contains(code, ".long") {
				t.Errorf("%s has an unknown instruction", files[n])
			}
		}
		t.Logf("%s: %d code objects", processor, len(files))
	}
}
