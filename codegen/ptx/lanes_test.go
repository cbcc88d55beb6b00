package ptx_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
)

// TestLanes loads an array of halves or bytes as a vector, reverses it and stores it, where its
// alignment makes that one access of words, and where it does not.
func TestLanes(t *testing.T) {
	for _, test := range []struct {
		element    string
		lanes      int
		align      int
		load, stay string // what the code has, and what takes too few lanes or too many
	}{
		{"u8", 16, 16, "ld.global.v4.b32", "v4.b8"},
		{"i8", 16, 8, "ld.global.v2.b32", "v4.b32"},
		{"u8", 8, 8, "ld.global.v2.b32", "v4.b8"},
		{"u8", 8, 4, "ld.global.v4.b8", "b32 {"},
		{"i16", 8, 16, "ld.global.v4.b32", "v4.b16"},
		{"u16", 8, 8, "ld.global.v4.b16", "b32 {"},
		{"f16", 8, 16, "ld.global.v4.b32", "v4.b16"},
	} {
		t.Run(fmt.Sprintf("%s×%d align %d", test.element, test.lanes, test.align), func(t *testing.T) {
			array := fmt.Sprintf("array<%s, %du>", test.element, test.lanes)
			var body strings.Builder
			var list []string
			for k := range test.lanes {
				fmt.Fprintf(&body, "  %%e%d = extract %%x, %du : %s\n", k, k, test.element)
				list = append(list, fmt.Sprintf("%%e%d", k))
			}
			slices.Reverse(list)
			text := compile(t, fmt.Sprintf(`var @out : ptr<storage, array<%[1]s>, read_write> [group 0, binding 0]

kernel @main() [workgroup 1u, 1u, 1u] {
  %%p = access @out, 0u : ptr<storage, %[1]s, read_write>
  %%q = access @out, 1u : ptr<storage, %[1]s, read_write>
  %%x = load %%p [align %[2]d] : %[1]s
%[3]s  %%y = construct %[4]s : %[1]s
  store %%q, %%y [align %[2]d]
  return
}
`, array, test.align, body.String(), strings.Join(list, ", ")), codegen.Options{NoOptimize: true})
			if !strings.Contains(text, test.load) || strings.Contains(text, test.stay) {
				t.Errorf("want %s and no %s\n%s", test.load, test.stay, numbered(text))
			}
			p, err := read(text)
			if err != nil {
				t.Fatalf("%v\n%s", err, numbered(text))
			}
			if ptxas := findAssembler(); ptxas != "" {
				assemble(t, ptxas, "lanes", text, "sm_70", "sm_90")
			}
			width := 1
			if strings.HasSuffix(test.element, "16") {
				width = 2
			}
			n := width * test.lanes
			buffer := make([]byte, 2*n)
			for k := range n {
				buffer[k] = byte(k*37 + 129) // of all signs, and no NaN of f16
			}
			want := bytes.Clone(buffer[:n])
			for k := 0; k < n; k += width { // the bytes of an element, then all of them
				slices.Reverse(want[k:][:width])
			}
			slices.Reverse(want)
			if err := p.launch("main", [3]uint32{1, 1, 1}, [][]byte{buffer}, []int64{2}, nil); err != nil {
				t.Fatal(err)
			}
			if got := buffer[n:]; !bytes.Equal(got, want) {
				t.Errorf("got  %x\nwant %x\n%s", got, want, numbered(text))
			}
		})
	}
}
