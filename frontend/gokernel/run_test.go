package gokernel_test

import (
	"encoding/binary"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/source"
)

// TestRun runs the kernels of testdata/run on the interpreter. Their results were worked out by
// hand.
func TestRun(t *testing.T) {
	var set source.Set
	var list diag.List
	m, err := gokernel.Load(&set, gokernel.Options{Folder: filepath.Join("testdata", "run")}, &list, ".")
	if err != nil {
		t.Fatal(err)
	}
	if m != nil {
		ir.Verify(m, &list)
	}
	if m == nil || list.Errors() > 0 {
		var text strings.Builder
		diag.Write(&text, &set, list.Items())
		t.Fatal(text.String())
	}
	tests := map[string]struct {
		x, parameters, y []uint32
	}{
		// 2·(10+20+30+40), 2·(30+40) and again
		"Views":   {x: []uint32{10, 20, 30, 40}, y: []uint32{200, 140, 200}},
		"Emptied": {x: make([]uint32, 6), y: []uint32{6, 0, 4, 0}},
		// of q its third, and of p its third with 100 more and its second
		"Spilled": {parameters: []uint32{1, 2, 3, 4, 5, 6, 7, 8}, y: []uint32{7, 105, 0, 0}},
		// 1; 1+0 and 1; 1+0, 2+1 and 1; 1+0, 2+1, 5+2 and 1; 1+0, 2+1, 5+2, 12+3 and 1
		"Ranges": {x: []uint32{1, 1, 1, 1, 1}, y: []uint32{1, 2, 5, 12, 27}},
		// two digits for each component; of the cross product (-17, 13, -3) 20 and 5 more
		"Vectors": {y: []uint32{60905, 40601, 51406, 50300, 40812, 25, 10202, 50703, 20301, 30102, 30201, 30109, 4321, 43, 31302}},
		// m·v, mᵀ·v and m·mᵀ·v; (1, 6), 5 and 7; (1, 1) and 1; a rotation of four components and
		// back; 2×2, and the squares of its columns
		"Matrices": {y: []uint32{303645, 143253, 513, 612, 764, 1657, 1101, 4123, 2341, 2334, 511}},
		// SwapX, SwapY, SwapDiagonal and so on, from the lowest digit; lanes 0, 3 and 6; 1+…+8, and
		// 1+…+5; subgroup 0 of 1
		"Subgroups": {y: []uint32{4842, 314732, 424622, 534512, 644486, 754376, 864266, 4156, 1 + 8 + 64, 0, 3615, 1}},
		// ((1·4 + 2)·4 + 3)·4 + 1 is 109, and 13 eighths of it are whole; 300 less of it is below
		// zero if there is such a number
		"Horner_float32": {x: []uint32{0x3f800000, 0x40000000, 0x40400000, 0x3f800000}, y: []uint32{109, 109, 1}},
		"Horner_int32":   {x: []uint32{1, 2, 3, 1}, y: []uint32{109, 104, 1}},
		"Horner_uint32":  {x: []uint32{1, 2, 3, 1}, y: []uint32{109, 104, 0}},
		// the words at each offset; the upper half of 10000000000.5, and its root
		"Sizes": {x: make([]uint32, 8), y: []uint32{127, 1, 4, 1107468383, 44, 3, 0xfffffffd, 0xfffffffc, 15, 100000, 0xffffffff, 4}},
		// a half of 2³² four times; -9, which becomes -5
		"Counts": {x: []uint32{0xfffffff7, 0xffffffff}, y: []uint32{2, 0, 1}},
		// 1+2+3, and 1·2·3·4·5
		"Fold_sum_3_uint32":     {x: []uint32{1, 2, 3, 4, 5}, y: []uint32{6}},
		"Fold_product_5_uint32": {x: []uint32{1, 2, 3, 4, 5}, y: []uint32{120}},
		// nothing; two; two hundred; one; 1+2; two; not nil; 2<<4|2 and 1+1; three; two; two, one
		// and none; none
		"Sizeless": {x: []uint32{1, 1}, y: []uint32{0, 2, 200, 1, 3, 2, 0, 36, 3, 2, 36, 0}},
		// what Go's compiler makes of it
		"InOrder": {y: []uint32{21, 2, 33, 6, 0, 6, 7, 11, 30}},
	}
	if n := len(m.Kernels()); n != len(tests) {
		t.Errorf("there are %d kernels, want %d", n, len(tests))
	}
	for _, k := range m.Kernels() {
		test, ok := tests[k.Name]
		if !ok {
			t.Errorf("there is no test for %s", k.Name)
			continue
		}
		program, err := interp.Compile(m, k)
		if err != nil {
			t.Errorf("%s: %v", k.Name, err)
			continue
		}
		var buffers [][]byte
		var result []byte
		for _, b := range program.Bindings() {
			content := map[string][]uint32{"x": test.x, "parameters": test.parameters, "y": make([]uint32, len(test.y))}[b.Name]
			data, _ := binary.Append(nil, binary.LittleEndian, content)
			if buffers = append(buffers, data); b.Name == "y" {
				result = data
			}
		}
		found, err := program.Run(&interp.Launch{Buffers: buffers, Grid: [3]uint32{1, 1, 1}, Checked: true})
		if err != nil || len(found) > 0 {
			t.Errorf("%s: %v %v", k.Name, err, found)
		}
		got := make([]uint32, len(test.y))
		if _, err := binary.Decode(result, binary.LittleEndian, got); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, test.y) {
			t.Errorf("%s: expected %v, found %v", k.Name, test.y, got)
		}
	}
}
