package gfx942

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	bench "github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/runtime/abi"
)

// Tests of atomic operations, compiled by LLVM: on buffers and workgroup memory, on 32 and 64 bits,
// with a result and without.

// exchanges are LLVM's atomic operations, with the new value as a function of the old one and the
// operand.
var exchanges = []struct {
	name string
	f    func(old, x uint64, bytes int) uint64
}{
	{"add", func(old, x uint64, _ int) uint64 { return old + x }},
	{"sub", func(old, x uint64, _ int) uint64 { return old - x }},
	{"and", func(old, x uint64, _ int) uint64 { return old & x }},
	{"or", func(old, x uint64, _ int) uint64 { return old | x }},
	{"xor", func(old, x uint64, _ int) uint64 { return old ^ x }},
	{"xchg", func(_, x uint64, _ int) uint64 { return x }},
	{"umin", func(old, x uint64, _ int) uint64 { return min(old, x) }},
	{"umax", func(old, x uint64, _ int) uint64 { return max(old, x) }},
	{"min", func(old, x uint64, bytes int) uint64 { return uint64(min(extended(old, bytes), extended(x, bytes))) }},
	{"max", func(old, x uint64, bytes int) uint64 { return uint64(max(extended(old, bytes), extended(x, bytes))) }},
	{"cmpxchg", nil}, // its third operand is what is expected
}

func extended(x uint64, bytes int) int64 { return int64(x<<(64-8*bytes)) >> (64 - 8*bytes) }

// atomicKernel returns a kernel in which each invocation has 24 bytes: the old value, the operand
// and the expected value. It overwrites the first with the new value, and the second with the
// result, if the operation has one.
func atomicKernel(name, t string, shared, result bool) string {
	text := "  %n = mul i32 %x, 24\n  %at = getelementptr i8, ptr addrspace(1) %b0, i32 %n\n"
	for n, v := range []string{"a", "b", "c"} {
		text += fmt.Sprintf("  %%p%s = getelementptr i8, ptr addrspace(1) %%at, i32 %d\n  %%%s = load %s, ptr addrspace(1) %%p%s, align 8\n", v, 8*n, v, t, v)
	}
	address, scope := "ptr addrspace(1) %pa", "agent"
	if shared {
		address, scope = "ptr addrspace(3) %slot", "workgroup"
		text += fmt.Sprintf("  %%slot = getelementptr %s, ptr addrspace(3) @pairs, i32 %%x\n  store %s %%a, %s, align 8\n", t, t, address)
	}
	if name == "cmpxchg" {
		text += fmt.Sprintf("  %%both = cmpxchg %s, %s %%c, %s %%b syncscope(\"%s\") monotonic monotonic, align 8\n  %%old = extractvalue {%s, i1} %%both, 0\n", address, t, t, scope, t)
	} else {
		text += fmt.Sprintf("  %%old = atomicrmw %s %s, %s %%b syncscope(\"%s\") monotonic, align 8\n", name, address, t, scope)
	}
	if shared {
		text += fmt.Sprintf("  %%left = load %s, %s, align 8\n  store %s %%left, ptr addrspace(1) %%pa, align 8\n", t, address, t)
	}
	if result {
		text += fmt.Sprintf("  store %s %%old, ptr addrspace(1) %%pb, align 8\n", t)
	}
	return strings.Replace(kernelText(text+"  ret void"), "@shared = ", "@pairs = internal addrspace(3) global [128 x i64] undef, align 16\n@shared = ", 1)
}

// TestAtomics executes all atomic operations.
func TestAtomics(t *testing.T) {
	needTools(t)
	type form struct {
		name           string
		bytes          int
		shared, result bool
		f              func(old, x uint64, bytes int) uint64
	}
	var list []form
	var programs []bench.Program
	for _, e := range exchanges {
		for n := range 8 {
			o := form{e.name, 4 + n&4, n&1 != 0, n&2 != 0, e.f}
			list = append(list, o)
			code := atomicKernel(o.name, fmt.Sprintf("i%d", 8*o.bytes), o.shared, o.result)
			programs = append(programs, bench.Program{Code: []byte(code), Kernel: &abi.Kernel{Name: "k"}})
		}
	}
	assembled, err := bench.Assemble(profile, programs)
	if err != nil {
		t.Fatal(err)
	}
	object, err := Load(assembled.Data)
	if err != nil {
		t.Fatal(err)
	}
	var total counts
	for n, o := range list {
		const count, width = 128, 24
		random := rand.New(rand.NewPCG(uint64(n), 3))
		data := make([]byte, count*width)
		for at := 0; at < len(data); at += width {
			a, b, c := value(b64, random), value(b64, random), value(b64, random)
			if random.IntN(2) == 0 {
				c = a
			}
			for k, x := range []uint64{a, b, c} {
				binary.LittleEndian.PutUint64(data[at+8*k:], x)
			}
		}
		before := append([]byte{}, data...)
		l := &Launch{Kernel: bench.KernelName(n), Grid: [3]uint32{1, 1, 1}, Workgroup: [3]uint32{count, 1, 1}, Buffers: [][]byte{data}, Arguments: []Argument{{Buffer: 0}}}
		done := total.counting(l)
		err := object.Run(l)
		done()
		what := fmt.Sprintf("%s of %d bytes, workgroup memory %v, result %v", o.name, o.bytes, o.shared, o.result)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		for at := 0; at < len(data); at += width {
			was := func(k int) uint64 { return word(before[at+8*k:], o.bytes) }
			old, x, expected := was(0), was(1), was(2)
			left := old
			switch {
			case o.f != nil:
				left = o.f(old, x, o.bytes)
			case old == expected:
				left = x
			}
			left = left << (64 - 8*o.bytes) >> (64 - 8*o.bytes)
			second := x
			if o.result {
				second = old
			}
			if got, result := word(data[at:], o.bytes), word(data[at+8:], o.bytes); got != left || result != second {
				t.Errorf("%s: of %#x and %#x (%#x expected) it leaves %#x and %#x, want %#x and %#x", what, old, x, expected, got, result, left, second)
				break
			}
		}
	}
	total.log(t)
}
