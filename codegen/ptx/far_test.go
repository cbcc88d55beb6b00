package ptx_test

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/opt"
)

// farAccesses are instructions that access one scalar or vector of a binding of
// 2 GiB and more; %k is 100. The first byte they reach is worked out by hand.
var farAccesses = []struct {
	name, types, binding, body string
	length                     int64 // elements of a runtime-sized array, or -1
	at                         uint64
}{
	{"constant index", "", "array<u32, 700000000u>", `
  %p = access @x, 600000000u : ptr<storage, u32, read_write>
  store %p, %k`, -1, 2400000000},
	{"last below 2 GiB", "", "array<u32, 700000000u>", `
  %p = access @x, 536870911u : ptr<storage, u32, read_write>
  store %p, %k`, -1, 1<<31 - 4},
	{"first at 2 GiB", "", "array<u32, 700000000u>", `
  %p = access @x, 536870912u : ptr<storage, u32, read_write>
  store %p, %k`, -1, 1 << 31},
	{"last below 4 GiB", "", "array<u32, 1073741823u>", `
  %p = access @x, 1073741822u : ptr<storage, u32, read_write>
  store %p, %k`, -1, 1<<32 - 8},
	{"vector", "", "array<vec4<u32>, 268435455u>", `
  %p = access @x, 200000000u : ptr<storage, vec4<u32>, read_write>
  %v = load %p : vec4<u32>
  %e = extract %v, 3u : u32
  store @o, %e`, -1, 3200000000},
	{"component", "", "array<vec4<u32>, 268435455u>", `
  %p = access @x, 200000000u, 3u : ptr<storage, u32, read_write>
  store %p, %k`, -1, 3200000012},
	{"dynamic index", "", "array<u32, 700000000u>", `
  %i = add %k, 600000000u : u32
  %p = access @x, %i : ptr<storage, u32, read_write>
  store %p, %k`, -1, 2400000400},
	{"signed index", "", "array<u32, 700000000u>", `
  %s = bitcast %k : i32
  %i = add %s, 600000000i : i32
  %p = access @x, %i : ptr<storage, u32, read_write>
  store %p, %k`, -1, 2400000400},
	{"two indices", "", "array<array<u32, 1000u>, 1000000u>", `
  %i = add %k, 900000u : u32
  %p = access @x, %i, %k : ptr<storage, u32, read_write>
  store %p, %k`, -1, 3600400400},
	{"constant behind a dynamic index", "", "array<array<u32, 600000000u>, 1u>", `
  %i = sub %k, 100u : u32
  %p = access @x, %i, 550000000u : ptr<storage, u32, read_write>
  store %p, %k`, -1, 2200000000},
	{"access of an access", "", "array<array<u32, 100000u>, 10000u>", `
  %row = access @x, 9000u : ptr<storage, array<u32, 100000u>, read_write>
  %p = access %row, 99999u : ptr<storage, u32, read_write>
  store %p, %k`, -1, 3600399996},
	{"runtime-sized", "", "array<u32>", `
  %i = mul %k, 10000000u : u32
  %p = access @x, %i : ptr<storage, u32, read_write>
  store %p, %k`, 1073741823, 4000000000},
	{"wide elements", "", "array<array<u32, 250000000u>>", `
  %i = sub %k, 97u : u32
  %p = access @x, %i, 7u : ptr<storage, u32, read_write>
  store %p, %k`, 4, 3000000028},
	{"atomic", "", "array<atomic<u32>, 700000000u>", `
  %p = access @x, 600000000u : ptr<storage, atomic<u32>, read_write>
  %old = atomic_rmw %p, %k [add] : u32
  store @o, %old`, -1, 2400000000},
	{"member", "S [size 3000000004, align 4] { a: u32 [offset 0], b: u32 [offset 3000000000] }", "S", `
  %p = access @x, 1u : ptr<storage, u32, read_write>
  store %p, %k`, -1, 3000000000},
	{"member of a value", "S [size 3000000004, align 4] { b: u32 [offset 3000000000], a: u32 [offset 0] }", "S", `
  %v = load @x : S
  %b = extract %v, 0u : u32
  %a = extract %v, 1u : u32
  %s = add %a, %b : u32
  store @o, %s`, -1, 3000000000},
}

// offsets finds the constants of memory operands.
var offsets = regexp.MustCompile(`\[[^\]+]+\+([^\]]+)\]`)

// TestFarAddresses runs accesses at 2 GiB and beyond on a small buffer: the
// emulator says which address was asked for.
func TestFarAddresses(t *testing.T) {
	modes := []struct {
		name string
		o    codegen.Options
	}{
		{"robust", codegen.Options{}},
		{"off", codegen.Options{Bounds: opt.BoundsOff}},
		{"trap", codegen.Options{Bounds: opt.BoundsTrap}},
		{"plain", codegen.Options{NoOptimize: true}},
		{"plain, off", codegen.Options{NoOptimize: true, Bounds: opt.BoundsOff}},
	}
	var texts []string
	for _, test := range farAccesses {
		types := ""
		if test.types != "" {
			types = "struct " + test.types + "\n"
		}
		source := types + fmt.Sprintf(`var @x : ptr<storage, %s, read_write> [group 0, binding 0]
var @k : ptr<storage, u32> [group 0, binding 1]
var @o : ptr<storage, u32, read_write> [group 0, binding 2]

kernel @main() [workgroup 1u, 1u, 1u] {
  %%k = load @k : u32
  store @o, %%k%s
  return
}
`, test.binding, test.body)
		for _, mode := range modes {
			text := compile(t, source, mode.o)
			texts = append(texts, text)
			for _, offset := range offsets.FindAllStringSubmatch(text, -1) {
				if _, err := strconv.ParseInt(offset[1], 10, 32); err != nil {
					t.Errorf("%s, %s: the offset in %s has more than 32 bits", test.name, mode.name, offset[0])
				}
			}
			p, err := read(text)
			if err != nil {
				t.Fatalf("%s, %s: %v\n%s", test.name, mode.name, err, numbered(text))
			}
			buffers := [][]byte{make([]byte, 16), binary.LittleEndian.AppendUint32(nil, 100), make([]byte, 4)}
			lengths := []int64{test.length, -1, -1}
			if mode.o.Bounds == opt.BoundsTrap && strings.Count(text, ".param .u64") > len(buffers) {
				buffers, lengths = append(buffers, make([]byte, 32)), append(lengths, -1)
			}
			err = p.launch("main", [3]uint32{1, 1, 1}, buffers, lengths, nil)
			if want := fmt.Sprintf(" at %#x in 16 bytes of global memory", test.at); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %s: got %v, want an access%s\n%s", test.name, mode.name, err, want, numbered(text))
			}
		}
	}
	for n, text := range texts {
		if n%len(modes) == 0 {
			assemble(t, assembler(t), "far", text, architectures[0])
		}
	}
}
