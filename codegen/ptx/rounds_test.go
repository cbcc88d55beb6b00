package ptx_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
)

// A round is a statement of the body of a loop that goes around an array of 16 numbers: text for
// the compiler, and what it does.
type round struct {
	text string
	do   func(s *rounds)
}

// rounds is the state of an invocation.
type rounds struct {
	i, x, y uint32
	a       [16]uint32
}

// roundOf makes a statement; ifs are nested as deep as depth says.
func roundOf(r *rand.Rand, depth int) round {
	c, k := r.Uint32N(20), r.Uint32N(99)|1
	switch kind := r.IntN(6); {
	case depth > 0 && kind < 3:
		test := testOf(r)
		yes, no := roundsOf(r, depth-1, 1+r.IntN(2)), round{do: func(*rounds) {}}
		if r.IntN(2) == 0 {
			no = roundsOf(r, depth-1, 1)
		}
		return round{fmt.Sprintf("if %s { %s } else { %s }\n", test.text, yes.text, no.text), func(s *rounds) {
			if test.holds(s) {
				yes.do(s)
			} else {
				no.do(s)
			}
		}}
	case kind == 3:
		return round{fmt.Sprintf("x = x * %du + a[(i + %d) %% 16];\n", k, c), func(s *rounds) { s.x = s.x*k + s.a[(s.i+c)%16] }}
	case kind == 4:
		return round{fmt.Sprintf("a[(i + %d) %% 16] ^= x + %du;\n", c, k), func(s *rounds) { s.a[(s.i+c)%16] ^= s.x + k }}
	}
	return round{fmt.Sprintf("y = (y ^ a[i %% 16]) * %du + table[i] + x;\n", k), func(s *rounds) { s.y = (s.y^s.a[s.i%16])*k + s.i*s.i + s.x }}
}

// test is a condition of what is counted, or of what is computed.
type test struct {
	text  string
	holds func(s *rounds) bool
}

func testOf(r *rand.Rand) test {
	t := []uint32{16, 32, 48, 0, 7, 20, 33, 95}[r.IntN(8)]
	switch r.IntN(5) {
	case 0:
		return test{fmt.Sprintf("i >= %d", t), func(s *rounds) bool { return s.i >= t }}
	case 1:
		return test{fmt.Sprintf("i < %d", t), func(s *rounds) bool { return s.i < t }}
	case 2:
		return test{fmt.Sprintf("i %% 8 == %d", t%8), func(s *rounds) bool { return s.i%8 == t%8 }}
	case 3:
		return test{fmt.Sprintf("(i / 16) %% 2 == %d", t%2), func(s *rounds) bool { return s.i/16%2 == t%2 }}
	}
	return test{"(x & 2) == 0", func(s *rounds) bool { return s.x&2 == 0 }}
}

// roundsOf makes several statements one.
func roundsOf(r *rand.Rand, depth, count int) round {
	var text strings.Builder
	var list []round
	for range count {
		one := roundOf(r, depth)
		text.WriteString(one.text)
		list = append(list, one)
	}
	return round{text.String(), func(s *rounds) {
		for _, one := range list {
			one.do(s)
		}
	}}
}

// TestRounds compiles loops that go around an array, of which 16 iterations become one
// (opt.Periods). What is done under one condition is merged (opt.Merge). It runs them and compares
// with what their statements do in Go.
func TestRounds(t *testing.T) {
	const count, lanes = 400, 4
	written := 0
	for seed := range uint64(count) {
		r := rand.New(rand.NewPCG(seed, 17))
		body := roundsOf(r, 2, 2+r.IntN(4))
		iterations := []uint32{48, 64, 96, 40, 50}[r.IntN(5)]
		var numbers []string
		for i := range 128 {
			numbers = append(numbers, fmt.Sprint(i*i))
		}
		source := fmt.Sprintf(`@group(0) @binding(0) var<storage, read_write> b: array<array<u32, 18>>;
const table = array<u32, 128>(%s);
@compute @workgroup_size(%d)
fn main(@builtin(local_invocation_index) t: u32) {
  var x = b[t][16];
  var y = b[t][17];
  var a: array<u32, 16>;
  for (var i = 0u; i < 16; i++) { a[i] = b[t][i]; }
  for (var i = 0u; i < %d; i++) {
    %s
  }
  for (var i = 0u; i < 16; i++) { b[t][i] = a[i]; }
  b[t][16] = x;
  b[t][17] = y;
}
`, strings.Join(numbers, ", "), lanes, iterations, body.text)
		var list diag.List
		a := codegen.Compile(loadText(t, "rounds.wgsl", source, opt.MathWGSL), "main", &ptx.Target, new(codegen.Options), &list)
		if a == nil {
			t.Fatal(list.Items())
		}
		text := string(a.Code)
		if !strings.Contains(text, ".local") && strings.Contains(text, "setp.lt.u32 %p1, %r") && strings.Contains(text, fmt.Sprintf(", %d;", iterations)) {
			written++
		}
		data := make([]byte, lanes*18*4)
		var want [lanes]rounds
		for lane := range want {
			s := &want[lane]
			s.x, s.y = r.Uint32(), r.Uint32()
			for n := range s.a {
				s.a[n] = r.Uint32()
				binary.LittleEndian.PutUint32(data[4*(18*lane+n):], s.a[n])
			}
			binary.LittleEndian.PutUint32(data[4*(18*lane+16):], s.x)
			binary.LittleEndian.PutUint32(data[4*(18*lane+17):], s.y)
			for s.i = 0; s.i < iterations; s.i++ {
				body.do(s)
			}
		}
		p, err := read(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.launch("main", [3]uint32{1, 1, 1}, [][]byte{data}, []int64{lanes}, nil); err != nil {
			t.Fatal(err)
		}
		for lane := range want {
			s := &want[lane]
			for n, x := range append(s.a[:], s.x, s.y) {
				if got := binary.LittleEndian.Uint32(data[4*(18*lane+n):]); got != x {
					t.Fatalf("seed %d, invocation %d, number %d: %#x, want %#x\n%s", seed, lane, n, got, x, source)
				}
			}
		}
	}
	if written < count/8 {
		t.Errorf("%d of %d loops are unrolled 16 times", written, count)
	}
	t.Logf("%d of %d loops are unrolled 16 times", written, count)
}
