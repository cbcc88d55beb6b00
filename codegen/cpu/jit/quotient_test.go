package jit

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/runtime/execmem"
)

// TestQuotients executes quotients and remainders by constants and compares with Go's: divisors of
// all sizes, dividends at and beside multiples of them, and at the ends.
func TestQuotients(t *testing.T) {
	needCode(t)
	rng := rand.New(rand.NewPCG(5, 6))
	divisors := []uint32{0, 1, 641, 6700417, 1<<31 - 1, 1 << 31, 1<<31 + 1, 1<<32 - 1, 1<<32 - 2, 1<<32 - 7, 1<<16 - 1, 1<<16 + 1, 0x55555555, 0xAAAAAAAB}
	for d := range uint32(40) {
		divisors = append(divisors, d+2, -d-2, rng.Uint32()>>rng.IntN(31))
	}
	made := 0
	for _, d := range divisors {
		dividends := []uint32{0, 1, 1<<31 - 1, 1 << 31, 1<<31 + 1, 1<<32 - 1, 1<<32 - 2}
		for len(dividends) < 64 {
			multiple := d * (rng.Uint32() >> rng.IntN(32))
			dividends = append(dividends, multiple, multiple-1, multiple+1, rng.Uint32())
		}
		for _, o := range [...]op.Op{op.Div, op.Rem} {
			for _, k := range [...]scalar.Kind{scalar.U32, scalar.I32} {
				got, ok := quotients(t, o, k, d, dividends)
				if !ok {
					if d > 1 && d != 1<<31 && d != 1<<32-1 {
						t.Errorf("%v of %v by %#x has none", o, k, d)
					}
					continue
				}
				made++
				for n, x := range dividends[:len(got)] {
					q, r := x/d, x%d
					if k != scalar.U32 {
						q, r = uint32(int32(x)/int32(d)), uint32(int32(x)%int32(d))
					}
					if o == op.Rem {
						q = r
					}
					if got[n] != q {
						t.Fatalf("%v of %v: of %#x and %#x comes %#x, not %#x", o, k, x, d, got[n], q)
					}
				}
			}
		}
	}
	if made < 400 {
		t.Errorf("%d quotients alone were made", made)
	}
}

// quotients executes one on dividends, whose number is a multiple of eight.
func quotients(t *testing.T, o op.Op, k scalar.Kind, d uint32, dividends []uint32) (list []uint32, ok bool) {
	var s selector
	x, to := s.freshVector(), s.freshVector()
	s.load(amd64.VMovUPS, amd64.Wide, x, amd64.At(amd64.RDI, 32))
	if !s.divideBy(o, k, to, x, d) {
		return nil, false
	}
	s.store(amd64.VMovUPS, amd64.Wide, amd64.At(amd64.RDI, 0), to)
	s.emit(amd64.Ret, 0)
	s.allocator.analyse(s.list, s.banks, s.labs)
	s.verified(512)
	code, _, err := s.machine.row().assemble(&s, nil)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := execmem.Load("quotient", code)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()
	memory := make([]byte, 128)
	memory = memory[-uintptr(unsafe.Pointer(unsafe.SliceData(memory)))&31:]
	for n := 0; n+lanes <= len(dividends); n += lanes {
		for k := range lanes {
			binary.LittleEndian.PutUint32(memory[32+4*k:], dividends[n+k])
		}
		loaded.Call(0, unsafe.Pointer(&memory[0]))
		for k := range lanes {
			list = append(list, binary.LittleEndian.Uint32(memory[4*k:]))
		}
	}
	return list, true
}
