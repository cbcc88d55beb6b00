package gfx942

import (
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Differential tests of this package and MGPUSim, on random registers and memory.

// The registers of the compared instructions.
const (
	testScalarDestination = 16
	testScalarBase        = 4
	testMask              = 14
	testSecondDestination = 12
	testDestination       = 2
	testVectorBase        = 8 // two registers for each source
)

// encoded returns an instruction of a row with random modifiers.
func encoded(r *row, f form, random *rand.Rand) []byte {
	op := uint32(r.code)
	s := [3]uint32{256 + testVectorBase, 256 + testVectorBase + 2, 256 + testVectorBase + 4}
	if r.s[2] == mask {
		s[2] = testMask
	}
	scalar := uint32(testScalarBase)
	if random.IntN(4) == 0 && !r.moves && (r.format != vop3p || r.d != b64) { // a constant
		s[0] = constantOperand(random)
		scalar = s[0]
	}
	var words []uint32
	switch r.format {
	case sop2:
		words = []uint32{0x80000000 | op<<23 | testScalarDestination<<16 | (testScalarBase+2)<<8 | scalar}
	case sopk:
		words = []uint32{0xB0000000 | op<<23 | testScalarBase<<16 | random.Uint32()&0xFFFF}
	case sop1:
		words = []uint32{0xBE800000 | testScalarDestination<<16 | op<<8 | scalar}
	case sopc:
		words = []uint32{0xBF000000 | op<<16 | (testScalarBase+2)<<8 | scalar}
	case sopp:
		words = []uint32{0xBF800000 | op<<16 | random.Uint32()&0xFFFF}
	case smem:
		words = []uint32{0xC0020000 | op<<18 | testScalarDestination<<6 | testScalarBase/2, uint32(4*random.IntN(16)) | uint32(m0)<<25}
		if random.IntN(4) == 0 { // with a register
			words[0] |= 1 << 14
		}
	case vop1, vop2, vopc:
		if f == wide {
			words = encodedWide(r, [...]uint32{vop1: wideVOP1, vop2: wideVOP2, vopc: 0}[r.format]+op, s, random)
			break
		}
		first := s[0]
		if f == subdword {
			first, s[0] = subdwordMark, 256+testVectorBase
		}
		switch r.format {
		case vop1:
			words = []uint32{0x7E000000 | testDestination<<17 | op<<9 | first}
		case vop2:
			words = []uint32{op<<25 | testDestination<<17 | (s[1]-256)<<9 | first, math.Float32bits(1.5)}
		case vopc:
			words = []uint32{0x7C000000 | op<<17 | (s[1]-256)<<9 | first}
		}
		if f == subdword {
			words = append(words[:1], s[0]-256|uint32(random.IntN(7))<<16|uint32(random.IntN(7))<<24)
			if r.format != vopc {
				words[1] |= uint32(random.IntN(7))<<8 | uint32(random.IntN(3))<<11
			}
		}
	case vop3:
		words = encodedWide(r, op, s, random)
	case vop3p:
		all := uint32(3)<<27 | 1<<30
		words = []uint32{0xD3800000 | op<<16 | testDestination | 1<<14, s[0] | s[1]<<9 | s[2]<<18 | all&(3<<27)}
		if random.IntN(2) == 0 { // other halves, and signs
			signs := random.Uint32() & 7
			words[0] |= signs << 8
			words[1] |= signs << 29
			words[0] = words[0]&^(1<<14) | uint32(random.IntN(16))<<11
			words[1] = words[1]&^(3<<27) | uint32(random.IntN(4))<<27
		}
	case ds:
		words = []uint32{0xD8000000 | op<<17 | uint32(random.IntN(2))*16, testVectorBase | (testVectorBase+2)<<8 | (testVectorBase+6)<<16 | testDestination<<24}
		if r.stride > 0 {
			words[0] |= 1 << 8
		}
	default:
		segment := map[format]uint32{flat: 0, scratch: 1, global: 2}[r.format]
		words = []uint32{0xDC000000 | op<<18 | segment<<14, testVectorBase | (testVectorBase+2)<<8 | 0x7F<<16 | testDestination<<24}
		if r.format == global { // a scalar address, and an offset from it
			words = []uint32{words[0] | uint32(16*random.IntN(5)-32)&0x1FFF, words[1]&^(0x7F<<16) | testScalarBase<<16}
		}
	}
	var data []byte
	for _, w := range words {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	return append(data, make([]byte, 16)...)
}

// constantOperand returns an operand that is a constant.
func constantOperand(random *rand.Rand) uint32 {
	if random.IntN(2) == 0 {
		return firstFloat + uint32(random.IntN(len(constants)))
	}
	return firstInteger + uint32(random.IntN(lastNegative+1-firstInteger))
}

// encodedWide returns the words of an encoding of 64 bits.
func encodedWide(r *row, op uint32, s [3]uint32, random *rand.Rand) []uint32 {
	first, second := 0xD0000000|op<<16|testDestination, uint32(0)
	if r.compare != nil || r.toScalar {
		first = 0xD0000000 | op<<16 | testScalarDestination
	}
	if r.carry != nil {
		first |= testSecondDestination << 8
	}
	for n, k := range r.s {
		if k == none || n == 2 && r.accumulates {
			continue
		}
		second |= s[n] << (9 * n)
		if k.float() && random.IntN(3) == 0 {
			if r.carry == nil {
				first |= uint32(random.IntN(2)) << (8 + n)
			}
			second |= uint32(random.IntN(2)) << (29 + n)
		}
	}
	return []uint32{first, second}
}

// value returns a random value of a kind, often an edge case.
func value(k kind, random *rand.Rand) uint64 {
	edges := []uint64{0, 1, 2, 31, 32, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x8000, 0x7FFF, 0xFFFF, 0xFFFFFF, 0x800000, 1 << 52, 1 << 63, math.MaxUint64}
	switch k {
	case f32:
		for _, f := range []float64{0, 1, -1, 0.5, 1.5, 2.5, -2.5, 1e-40, -1e-40, 1e38, 3e9, -3e9, 1e10, math.Inf(1), math.Inf(-1), math.NaN(), 0x1p-126, 0x1p-149, -130, 140} {
			edges = append(edges, singleBits(float32(f)), singleBits(float32(f)))
		}
		edges = append(edges, 1<<31, 0x7F800001, 0x7F800001, singleBits(float32(random.NormFloat64())), singleBits(float32(random.NormFloat64()*1000)))
	case f64:
		for _, f := range []float64{0, 1, -1, 0.5, 1.5, -2.5, 1e-310, 1e300, 3e9, math.Inf(1), math.NaN()} {
			edges = append(edges, math.Float64bits(f))
		}
		edges = append(edges, math.Float64bits(random.NormFloat64()))
	case f16, p16:
		for _, f := range []float64{0, 1, -1, 0.5, 1.5, 65504, 1e-6, math.Inf(1), math.NaN()} {
			edges = append(edges, halfBits(f))
		}
	}
	if random.IntN(4) == 0 {
		return random.Uint64()
	}
	return edges[random.IntN(len(edges))]
}

// stage returns the execution of one instruction on random registers.
func stage(i *instruction, random *rand.Rand) *execution {
	x := &execution{object: &Object{}, launch: &Launch{}, kernel: &kernel{}, lds: make([]byte, 4096), memory: memory{unit: 4}}
	buffer := make([]byte, 4096)
	for n := range buffer {
		buffer[n], x.lds[n] = byte(random.Uint32()), byte(random.Uint32())
	}
	at := x.memory.add(region{"the buffer", buffer, true})
	w := &wave{pc: 1 << 20}
	if i.row.format == scratch {
		w.scratch, w.definedScratch = make([]byte, lanes*4096), make([]bool, lanes*4096)
	}
	x.wave = w
	for n := range operand(scalars) {
		w.setScalar(n, b32, random.Uint64())
	}
	w.setSCC(random.Uint64() & 1)
	exec := random.Uint64()
	switch random.IntN(4) {
	case 0:
		exec = 0
	case 1:
		exec = ^uint64(0)
	}
	w.setScalar(execLow, b64, exec)
	if random.IntN(3) == 0 {
		w.setScalar(vccLow, b64, 0)
	}
	r := i.row
	for n, k := range r.s {
		if n < 2 && (r.format <= sopc) {
			w.setScalar(operand(testScalarBase+2*n), b64, value(k, random))
		}
	}
	for lane := range lanes {
		for n := range operand(24) { // all that an instruction here reads and writes
			w.setVectorWord(vectors+n, lane, random.Uint32())
		}
		w.setVector(vectors+testDestination, lane, b64, value(r.d, random))
		for n, k := range r.s {
			x := value(k, random)
			if r.name == "v_lshl_add_u64" && n == 1 { // more is undefined
				x %= 5
			}
			if strings.HasPrefix(r.name, "v_cmp_class") && n == 1 {
				x = 1 << random.IntN(10)
			}
			w.setVector(vectors+operand(testVectorBase+2*n), lane, b64, x)
		}
	}
	switch r.format {
	case smem:
		w.setScalar(testScalarBase, b64, at+uint64(4*random.IntN(8)))
		w.setScalar(m0, b32, uint64(4*random.IntN(8)))
	case ds, global, flat, scratch:
		w.setScalar(testScalarBase, b64, at)
		for lane := range lanes {
			address := uint64(32*lane + 64)
			if r.format == flat {
				address += at
			}
			for n := range operand(8) {
				w.setVectorWord(vectors+testVectorBase+2+n, lane, random.Uint32())
			}
			w.setVector(vectors+testVectorBase, lane, b64, address)
		}
	}
	x.foreign = newForeign(x)
	x.foreign.begin(x.lds)
	return x
}

// verdict is the result of comparing both sides.
type verdict struct {
	lacks   string // what MGPUSim says that it has not
	differs string // an example
}

// compareSides executes an instruction on both sides several times.
func compareSides(r *row, f form) (v verdict) {
	decoder := newForeignDecoder()
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 7))
		code := encoded(r, f, random)
		i, err := decode(code)
		if err != nil {
			panic(fmt.Sprintf("%s: %v", r.name, err))
		}
		if i.row != r || i.form != f {
			panic(fmt.Sprintf("%s of form %d is encoded as %s", r.name, f, i.name()))
		}
		inst, err := decoder.decode(i, code)
		if err != nil {
			if strings.Contains(err.Error(), "not found") || strings.Contains(err.Error(), "decoder: ") {
				v.lacks = err.Error()
				return v
			}
			v.differs = err.Error()
			return v
		}
		if i.special() {
			continue
		}
		i.foreign = &foreignInstruction{inst}
		ours, foreign := stage(i, rand.New(rand.NewPCG(seed, 8))), stage(i, rand.New(rand.NewPCG(seed, 8)))
		ours.executeRow(i)
		if message := foreign.tried(i); message != "" {
			if strings.Contains(message, "not implemented") || strings.Contains(message, "nil pointer") {
				v.lacks = message
			} else {
				v.differs = message
			}
			return v
		}
		if v.differs = difference(i, ours, foreign); v.differs != "" {
			return v
		}
	}
	return v
}

// tried executes an instruction by MGPUSim and returns the message of a panic.
func (x *execution) tried(i *instruction) (message string) {
	defer func() {
		if p := recover(); p != nil {
			message = fmt.Sprint(p)
		}
	}()
	x.foreign.run(i)
	return ""
}

// difference returns the first difference of two executions of an instruction, or "". All NaNs are
// equal.
func difference(i *instruction, a, b *execution) string {
	u, v := a.wave, b.wave
	for n := range u.s {
		if u.s[n] != v.s[n] {
			return fmt.Sprintf("%s is %#x, MGPUSim's %#x (sources %#x and %#x)", operand(n), u.s[n], v.s[n], u.s[testScalarBase], u.s[testScalarBase+2])
		}
	}
	same := func(x, y, xHigh, yHigh uint32) bool {
		switch {
		case x == y && xHigh == yHigh:
			return true
		case i.row.d == f32:
			return single(uint64(x)) != single(uint64(x)) && single(uint64(y)) != single(uint64(y))
		case i.row.d == f16:
			return math.IsNaN(halfValue(uint64(x))) && math.IsNaN(halfValue(uint64(y)))
		case i.row.d == f64:
			return math.IsNaN(math.Float64frombits(uint64(x)|uint64(xHigh)<<32)) && math.IsNaN(math.Float64frombits(uint64(y)|uint64(yHigh)<<32))
		case i.row.format == vop3p:
			nan := func(x, y uint32) bool {
				return x == y || single(uint64(x)) != single(uint64(x)) && single(uint64(y)) != single(uint64(y))
			}
			return nan(x, y) && nan(xHigh, yHigh)
		}
		return false
	}
	for lane := range lanes {
		for n := range u.v {
			if u.v[n][lane] == v.v[n][lane] {
				continue
			}
			low := n &^ 1
			if !same(u.v[low][lane], v.v[low][lane], u.v[low+1][lane], v.v[low+1][lane]) {
				s := func(k int) uint64 {
					return uint64(u.v[testVectorBase+k][lane]) | uint64(u.v[testVectorBase+k+1][lane])<<32
				}
				return fmt.Sprintf("v%d is %#x, MGPUSim's %#x (sources %#x, %#x and %#x, neg %b abs %b)", n, u.v[n][lane], v.v[n][lane], s(0), s(2), s(4), i.neg, i.abs)
			}
		}
	}
	switch {
	case u.scc != v.scc:
		return fmt.Sprintf("SCC is %d, MGPUSim's %d (sources %#x and %#x)", u.scc, v.scc, u.s[testScalarBase], u.s[testScalarBase+2])
	case u.pc != v.pc:
		return fmt.Sprintf("PC is %#x, MGPUSim's %#x", u.pc, v.pc)
	case !slices.Equal(a.lds, b.lds):
		return "workgroup memory is not the same"
	case !slices.Equal(a.memory.regions[0].data, b.memory.regions[0].data):
		return "memory is not the same"
	}
	return ""
}

// TestSecondOpinion compares all instructions that MGPUSim has with the rows of this package.
// MGPUSim must execute those with equal results, and wrongInMGPUSim must list the others.
func TestSecondOpinion(t *testing.T) {
	log.SetOutput(io.Discard) // where MGPUSim writes before it panics
	wrong := map[string]bool{}
	for _, w := range wrongInMGPUSim {
		for name := range wordsOf(w.names) {
			wrong[name] = true
		}
	}
	type compared struct {
		name string
		verdict
	}
	var jobs []*compared
	var group sync.WaitGroup
	room := make(chan bool, runtime.NumCPU())
	for f := range formats {
		for _, code := range slices.Sorted(maps.Keys(rowOf[f])) {
			r := rowOf[f][code]
			tried := []form{plain}
			if (f == vop1 || f == vop2 || f == vopc) && !r.single {
				tried = []form{plain, wide, subdword}
			}
			// of whole waves, which the launch manages
			if r.name == "s_endpgm" || r.name == "s_barrier" {
				continue
			}
			for _, form := range tried {
				c := &compared{name: (&instruction{row: r, form: form}).name()}
				jobs = append(jobs, c)
				group.Go(func() {
					room <- true
					c.verdict = compareSides(r, form)
					<-room
				})
			}
		}
	}
	group.Wait()
	same, different, lacking := 0, 0, 0
	for _, c := range jobs {
		switch {
		case c.lacks != "":
			lacking++
			if executedByMGPUSim[c.name] || wrong[c.name] {
				t.Errorf("%s is listed, and MGPUSim has it not: %s", c.name, c.lacks)
			}
		case c.differs != "":
			different++
			if !wrong[c.name] {
				t.Errorf("%s differs, and is not listed with a reason: %s", c.name, c.differs)
			}
		default:
			same++
			if !executedByMGPUSim[c.name] {
				t.Errorf("%s is the same on both sides, and is not left to MGPUSim", c.name)
			}
		}
	}
	t.Logf("of %d instructions with a row, MGPUSim has %d; %d are the same, %d are not", len(jobs), same+different, same, different)
	if want := len(executedByMGPUSim); same != want {
		t.Errorf("%d are left to MGPUSim, and %d are the same", want, same)
	}
}
