package object_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
	"github.com/gpuc/gpuc/codegen/amdgpu/object"
	"github.com/gpuc/gpuc/internal/amdgputest"
	bench "github.com/gpuc/gpuc/internal/emulate/amdgpu"
)

// This file compares the writer with LLVM's back end and linker: for the numbers in their code
// objects of the exec kernels, it writes the same notes and descriptors.

const root = "../../.."

// loaded is a code object as package debug/elf reads it.
type loaded struct {
	file    *elf.File
	note    []byte
	symbols map[string]elf.Symbol
}

func load(t *testing.T, data []byte) *loaded {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	l := &loaded{file: f, symbols: map[string]elf.Symbol{}}
	note, err := f.Section(".note").Data()
	if err != nil {
		t.Fatal(err)
	}
	size := binary.LittleEndian.Uint32(note[4:])
	if owner := string(note[12:20]); owner != "AMDGPU\x00\x00" || binary.LittleEndian.Uint32(note[8:]) != 32 {
		t.Fatalf("the note is of %q", owner)
	}
	l.note = note[20 : 20+size]
	dynamic, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range dynamic {
		l.symbols[s.Name] = s
	}
	return l
}

// at returns the bytes at an address.
func (l *loaded) at(t *testing.T, address, size uint64) []byte {
	t.Helper()
	for _, p := range l.file.Progs {
		if p.Type == elf.PT_LOAD && address >= p.Vaddr && address+size <= p.Vaddr+p.Filesz {
			data := make([]byte, size)
			if _, err := p.ReadAt(data, int64(address-p.Vaddr)); err != nil {
				t.Fatal(err)
			}
			return data
		}
	}
	t.Fatalf("nothing is loaded at %#x", address)
	return nil
}

// kernelsOf reads the numbers of a code object's kernels from the note, and from descriptors what
// the note does not have. Notes have one count for accumulation and other vector registers.
func kernelsOf(t *testing.T, l *loaded) (kernels []object.Kernel) {
	t.Helper()
	root, err := object.Unpack(l.note)
	if err != nil {
		t.Fatal(err)
	}
	number := func(v any) int { n, _ := v.(uint64); return int(n) }
	for _, one := range root.(map[string]any)["amdhsa.kernels"].([]any) {
		m := one.(map[string]any)
		k := object.Kernel{
			Name: m[".name"].(string), AGPRs: number(m[".agpr_count"]), SGPRs: number(m[".sgpr_count"]),
			VGPRSpills: number(m[".vgpr_spill_count"]), SGPRSpills: number(m[".sgpr_spill_count"]),
			Shared: uint32(number(m[".group_segment_fixed_size"])), Scratch: uint32(number(m[".private_segment_fixed_size"])),
			DynamicStack: m[".uses_dynamic_stack"].(bool), ArgumentBytes: uint32(number(m[".kernarg_segment_size"])),
			ArgumentAlign: uint32(number(m[".kernarg_segment_align"])), Wave: number(m[".wavefront_size"]), Workgroup: number(m[".max_flat_workgroup_size"]),
		}
		k.VGPRs = number(m[".vgpr_count"]) - k.AGPRs
		list, _ := m[".args"].([]any)
		for _, one := range list {
			a := one.(map[string]any)
			name, _ := a[".name"].(string)
			k.Arguments = append(k.Arguments, object.Argument{Name: name, Offset: uint32(number(a[".offset"])), Bytes: uint32(number(a[".size"])),
				Kind: object.ArgumentKind(a[".value_kind"].(string)), ReadOnly: a[".actual_access"] == "read_only"})
		}
		s := l.symbols[k.Name]
		k.Code = l.at(t, s.Value, s.Size)
		second := binary.LittleEndian.Uint32(l.at(t, l.symbols[k.Name+".kd"].Value, 64)[52:])
		for n := range k.Groups {
			k.Groups[n] = second>>(7+n)&1 != 0
		}
		k.Items = int(second>>11&3) + 1
		kernels = append(kernels, k)
	}
	return kernels
}

// TestLikeLLVM writes code objects for the numbers of LLVM's, and compares the two.
func TestLikeLLVM(t *testing.T) {
	if missing := bench.MissingTools(); missing != "" {
		t.Skip("skipped: there is no " + missing)
	}
	for _, c := range []struct {
		family isa.Family
		wave   int
	}{{isa.GFX942, 64}, {isa.GFX1100, 32}, {isa.GFX1100, 64}} {
		t.Run(fmt.Sprint(c.family, " in waves of ", c.wave), func(t *testing.T) {
			programs := amdgputest.Programs(t, root, c.family.String(), codegen.Options{})
			var objects [][]byte
			if c.family == isa.GFX1100 && c.wave == 64 {
				for n := 0; n < len(programs); n += 8 { // in several processes
					if code := programs[n].Code; !bytes.Contains(code, []byte("llvm.amdgcn.ballot")) {
						objects = append(objects, byLLVM(t, string(code), "-mcpu=gfx1100", "-mattr=-wavefrontsize32,+wavefrontsize64"))
					}
				}
			} else {
				o, err := bench.Assemble(c.family.String(), programs)
				if err != nil {
					t.Fatal(err)
				}
				objects = append(objects, o.Data)
			}
			if c.family == isa.GFX942 {
				objects = append(objects, byLLVM(t, accumulating, "-mcpu=gfx942"))
			}
			count := 0
			for _, o := range objects {
				count += compare(t, c.family, o)
			}
			if count == 0 {
				t.Error("there are no kernels")
			}
			t.Logf("%d kernels", count)
		})
	}
}

// accumulating is a kernel with accumulation registers. The number of registers of each kind is not
// a multiple of the granule.
const accumulating = `
target triple = "amdgcn-amd-amdhsa"
define protected amdgpu_kernel void @accumulating(ptr addrspace(1) %p) #0 {
  call void asm sideeffect "v_accvgpr_write_b32 a4, v20", "~{a4},~{v20}"()
  store i32 1, ptr addrspace(1) %p
  ret void
}
attributes #0 = { nounwind "amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-workitem-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-workgroup-id-y" "amdgpu-no-workgroup-id-z" "amdgpu-flat-work-group-size"="64,64" "uniform-work-group-size"="true" }
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
`

// byLLVM returns the code object that LLVM makes from LLVM IR.
func byLLVM(t *testing.T, text string, options ...string) []byte {
	t.Helper()
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	if err := os.WriteFile(path("k.ll"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][]string{
		append([]string{"llc-19", "-O3", "-mtriple=amdgcn-amd-amdhsa", "-filetype=obj", path("k.ll"), "-o", path("k.o")}, options...),
		{"ld.lld-19", "-shared", path("k.o"), "-o", path("k.hsaco")},
	} {
		if out, err := exec.Command(c[0], c[1:]...).CombinedOutput(); err != nil || len(out) > 0 {
			t.Fatalf("%s: %v: %s", c[0], err, out)
		}
	}
	data, err := os.ReadFile(path("k.hsaco"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// compare writes a code object like the given one and compares them. It returns the number of
// kernels.
func compare(t *testing.T, f isa.Family, theirs []byte) int {
	t.Helper()
	want := load(t, theirs)
	kernels := kernelsOf(t, want)
	if kernels[0].Name == "accumulating" {
		kernels[0].VGPRs = 21 // LLVM's count is rounded
	}
	ours, err := object.Write(f, kernels)
	if err != nil {
		t.Fatal(err)
	}
	got := load(t, ours)
	if !bytes.Equal(got.note, want.note) {
		t.Errorf("the notes are different:\n%q\n%q", got.note, want.note)
	}
	if !bytes.Equal(ours[:16], theirs[:16]) || !bytes.Equal(ours[48:52], theirs[48:52]) || got.file.Type != want.file.Type || got.file.Machine != want.file.Machine {
		t.Errorf("the headers are different: %+v, %+v", got.file.FileHeader, want.file.FileHeader)
	}
	for n := range kernels {
		k := &kernels[n]
		g, w := got.symbols[k.Name], want.symbols[k.Name]
		if g.Size != w.Size || g.Info != w.Info || g.Other != w.Other || !bytes.Equal(got.at(t, g.Value, g.Size), k.Code) || g.Value%256 != 0 {
			t.Errorf("the symbol of %s is %+v, not %+v", k.Name, g, w)
		}
		gd, wd := got.symbols[k.Name+".kd"], want.symbols[k.Name+".kd"]
		if gd.Size != wd.Size || gd.Info != wd.Info || gd.Other != wd.Other || gd.Value%64 != 0 {
			t.Errorf("the symbol of %s.kd is %+v, not %+v", k.Name, gd, wd)
		}
		mine, llvm := got.at(t, gd.Value, 64), want.at(t, wd.Value, 64)
		if entry := binary.LittleEndian.Uint64(mine[16:]); gd.Value+entry != g.Value {
			t.Errorf("%s is at %#x, and its descriptor at %#x has the entry offset %#x", k.Name, g.Value, gd.Value, entry)
		}
		copy(llvm[16:24], mine[16:24])
		// LLVM 19 writes a count of scalar registers into bits that have to be zero on gfx1100
		if f == isa.GFX1100 {
			llvm[48] &^= 0xC0
			llvm[49] &^= 3
		}
		if !bytes.Equal(mine, llvm) {
			t.Errorf("the descriptor of %s is\n%x, not\n%x", k.Name, mine, llvm)
		}
	}
	return len(kernels)
}

// TestTools has LLVM's tools read code objects. They have no warnings and find the kernels.
func TestTools(t *testing.T) {
	for _, name := range []string{"llvm-readelf-19", "llvm-objdump-19"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("skipped: there is no " + name + " (Debian: llvm-19)")
		}
	}
	for f := range isa.GFX1100 + 1 {
		path := filepath.Join(t.TempDir(), "object")
		if err := os.WriteFile(path, small(t, f), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			command []string
			want    []string
		}{
			{[]string{"llvm-readelf-19", "-hlSnsW", "--dyn-syms", "--hash-table", "--notes", path}, []string{"AMDGPU - HSA", f.String(), "FUNC    GLOBAL PROTECTED", "a_kernel.kd", "value_kind:     global_buffer", ".max_flat_workgroup_size: 256"}},
			{[]string{"llvm-readelf-19", "--hash-symbols", path}, []string{"a_kernel.kd", "another"}},
			{[]string{"llvm-objdump-19", "-d", path}, []string{"<a_kernel>:", "s_endpgm"}},
			{[]string{"llvm-objdump-19", "-D", "-j", ".rodata", path}, []string{".amdhsa_kernel a_kernel", ".amdhsa_group_segment_fixed_size 64", ".amdhsa_system_vgpr_workitem_id 1", ".amdhsa_system_sgpr_workgroup_id_y 1"}},
		} {
			var out, problems bytes.Buffer
			x := exec.Command(c.command[0], c.command[1:]...)
			x.Stdout, x.Stderr = &out, &problems
			if err := x.Run(); err != nil || problems.Len() > 0 {
				t.Errorf("%v: %v: %s", c.command, err, problems.String())
			}
			for _, w := range c.want {
				if !strings.Contains(out.String(), w) {
					t.Errorf("%v: there is no %q in\n%s", c.command, w, out.String())
				}
			}
		}
	}
}

// small returns a code object with two empty kernels.
func small(t *testing.T, f isa.Family) []byte {
	t.Helper()
	code, err := isa.Append(nil, f, &isa.Instruction{Op: isa.SEndpgm})
	if err != nil {
		t.Fatal(err)
	}
	k := object.Kernel{Name: "a_kernel", Code: code, VGPRs: 3, SGPRs: object.CountSGPRs(f, 20, true), Shared: 64, ArgumentBytes: 12, ArgumentAlign: 8,
		Arguments: []object.Argument{{Name: "a", Bytes: 8, Kind: object.GlobalBuffer}, {Name: "n", Offset: 8, Bytes: 4, Kind: object.ByValue}},
		Wave:      []int{64, 32}[f], Workgroup: 256, Groups: [3]bool{true, true, false}, Items: 2}
	other := k
	other.Name, other.Arguments, other.ArgumentBytes = "another", nil, 0
	o, err := object.Write(f, []object.Kernel{k, other})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestOwnMetadata reads the metadata of a code object that Write has made.
func TestOwnMetadata(t *testing.T) {
	for f := range isa.GFX1100 + 1 {
		m, err := object.MetadataOf(small(t, f), "another")
		if want := (object.Metadata{VGPRs: 3, SGPRs: []uint64{26, 22}[f], Shared: 64, Wave: []uint64{64, 32}[f], Workgroup: 256}); err != nil || *m != want {
			t.Errorf("%s: %+v, %v", f, m, err)
		}
	}
}

// TestRefused checks the errors for kernels that are not valid.
func TestRefused(t *testing.T) {
	code := []byte{0, 0, 0x81, 0xBF}
	good := object.Kernel{Name: "k", Code: code, ArgumentAlign: 8, Wave: 64, Workgroup: 64, Items: 1}
	for _, c := range []struct {
		change func(k *object.Kernel)
		want   string
	}{
		{func(k *object.Kernel) { k.VGPRs = 257 }, "there are 257 VGPRs, and there may be 0 to 256"},
		{func(k *object.Kernel) { k.Workgroup = 1025 }, "1025 invocations in a workgroup"},
		{func(k *object.Kernel) { k.Wave = 32 }, "gfx942 has no waves of 32"},
		{func(k *object.Kernel) { k.Shared = 65537 }, "65537 bytes of workgroup memory"},
		{func(k *object.Kernel) { k.ArgumentAlign = 12 }, "the alignment of the arguments is 12"},
		{func(k *object.Kernel) { k.Code = code[:3] }, "3 bytes of code"},
		{func(k *object.Kernel) { k.Name = "" }, "no name"},
		{func(k *object.Kernel) { k.Arguments = []object.Argument{{Bytes: 4, Kind: object.ByValue}} }, "argument 0 ends at 4, beyond the segment of 0 bytes"},
	} {
		k := good
		c.change(&k)
		if _, err := object.Write(isa.GFX942, []object.Kernel{k}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v does not say %q", err, c.want)
		}
	}
	for _, list := range [][]object.Kernel{nil, {good, good}} {
		if _, err := object.Write(isa.GFX942, list); err == nil {
			t.Errorf("%d kernels are written", len(list))
		}
	}
	if _, err := object.Write(isa.GFX942, []object.Kernel{good}); err != nil {
		t.Error(err)
	}
}

// TestHash checks known values of the hash function, and that the table finds every symbol.
func TestHash(t *testing.T) {
	for name, want := range map[string]uint32{"": 0, "exit": 0x0006CF04, "printf": 0x077905A6, "syscall": 0x0B09985C, "flapenguin.me": 0x03987915} {
		if got := object.HashOf(name); got != want {
			t.Errorf("the hash of %q is %#x, not %#x", name, got, want)
		}
	}
	l := load(t, small(t, isa.GFX942))
	table, err := l.file.Section(".hash").Data()
	if err != nil {
		t.Fatal(err)
	}
	word := func(n uint32) uint32 { return binary.LittleEndian.Uint32(table[4*n:]) }
	symbols, err := l.file.DynamicSymbols() // without the null symbol
	if err != nil || len(symbols) != 4 {
		t.Fatalf("%d symbols, %v", len(symbols), err)
	}
	for _, s := range symbols {
		n, steps := word(2+object.HashOf(s.Name)%word(0)), 0
		for ; n != 0 && symbols[n-1].Name != s.Name && steps < 4; steps++ {
			n = word(2 + word(0) + n)
		}
		if n == 0 || steps == 4 {
			t.Errorf("%s is not found", s.Name)
		}
	}
}
