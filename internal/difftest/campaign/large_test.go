package campaign

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/difftest"
	"github.com/gpuc/gpuc/internal/testmode"
)

// largePrograms are programs whose size is in their number of parts alone: what compiles runs on
// each device. They read the words 3, 1 and 0, and leave another word, which Go's own arithmetic
// says.
var largePrograms = []struct {
	name, before, after string
	part                func(n int) string
	parts               int
	want                func(parts int) uint32
}{
	{"straight lines", "", "", func(n int) string { return fmt.Sprintf("v = v * %du + (i ^ %du);\n", 2*n+3, 3*n+1) }, 20000, func(parts int) (v uint32) {
		for n := range uint32(parts) {
			v = v*(2*n+3) + (3 ^ (3*n + 1))
		}
		return v
	}},
	{"values that are used late", "", "", func(n int) string { return fmt.Sprintf("let a%d = i * %du; v ^= a%[1]d + a%[3]d;\n", n, n+2, n/2) }, 4000, func(parts int) (v uint32) {
		for n := range uint32(parts) {
			v ^= 3*(n+2) + 3*(n/2+2)
		}
		return v
	}},
	{"else-ifs", "if i == 1000000u {}\n", "", func(n int) string { return fmt.Sprintf("else if i + %du == %du { v = %du; }\n", 2000, 2*n+1, n) }, 2000, func(int) uint32 { return 1001 }},
	{"ifs", "", "", func(n int) string { return fmt.Sprintf("if (i + %du) %% 3 == 0 { v += %[1]du; }\n", n) }, 4000, func(parts int) (v uint32) {
		for n := range uint32(parts) {
			if n%3 == 0 {
				v += n
			}
		}
		return v
	}},
	{"nested ifs", "", "", nil, 400, func(parts int) uint32 { return uint32(parts) }},
}

// TestLargePrograms runs large programs in each tier of the CPU device, on the checked one, by the
// emulators and through WGSL.
func TestLargePrograms(t *testing.T) {
	testmode.LongPart(t, 3)
	for _, p := range largePrograms {
		var body strings.Builder
		body.WriteString(p.before)
		if p.part == nil {
			body.WriteString(strings.Repeat("if i > z { v++;\n", p.parts) + strings.Repeat("}", p.parts))
		} else {
			for n := range p.parts {
				body.WriteString(p.part(n))
			}
		}
		in := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, 3), 1), 0)
		want := binary.LittleEndian.AppendUint32(nil, p.want(p.parts))
		c := &difftest.Case{Entry: "main", Dispatch: [3]int{1, 1, 1}, Code: "@group(0) @binding(0) var<storage> a: array<u32>;\n@group(0) @binding(1) var<storage, read_write> o: array<u32>;\n" +
			"@compute @workgroup_size(1) fn main() {\nlet i = a[0];\nlet z = a[1];\nvar v = a[2];\n" + body.String() + p.after + "o[0] = v;\n}\n",
			Bindings: []difftest.Binding{{Name: "a", Kind: "read-only-storage", Data: in, Want: in}, {Binding: 1, Name: "o", Kind: "storage", Data: make([]byte, 4), Want: want}}}
		for _, name := range append(cpuWays(t), "cpu:checked", "spirv", "ptx", "wgsl") {
			way, err := Open(name)
			if err != nil {
				t.Fatal(err)
			}
			for n, o := range []Configuration{{}, {NoOptimize: true}} {
				if n > 0 && !strings.HasPrefix(name, "cpu") {
					continue
				}
				if err := way.Run(c, o); err != nil {
					t.Errorf("%s, %s, %+v: %.300v", p.name, name, o, err)
				}
			}
		}
	}
}
