package difftest

// The family "repeats": expressions of what loops of few turns count and hand on, as values and as
// places. A driver that writes such a loop out puts constants for its counts behind what it does to
// sums otherwise: of min(1 - ~x * k, y) NVIDIA's Vulkan driver lost the complement, where it learnt
// that k is 1 behind joining the difference and the minimum (nvidia.SignedMinMaxOfLateNegation).

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// repeats makes a loop, or one in another, each of at most four turns that constants tell. What a
// turn computes is made of the same random numbers in each, with the values that its leaves have
// there.
func repeats(seed uint64) *Case {
	shape := rand.New(rand.NewPCG(seed, 0x4e9))
	signed := shape.IntN(2) == 0
	t := &terms{signed: signed}
	typed := t.scalar()
	switch shape.IntN(4) {
	case 0:
		t.extremes = true
	case 1, 2:
		t.products = true
	}
	d := make([]uint32, 7)
	for n := range d {
		d[n] = edge(shape)
	}
	count := shortCount(shape, signed)
	outer := countedLoop{values: []uint32{0}}
	if shape.IntN(3) == 0 {
		outer = shortCount(shape, signed)
	}
	zero := []string{"group.x", "local.y", "global.z", "place"}[shape.IntN(4)]
	start := edge(shape)
	carries := shape.IntN(2) == 0
	number := shape.Uint64()

	var body strings.Builder
	var o []uint32
	carried := start
	robust := false
	for _, around := range outer.values {
		for _, k := range count.values {
			r := rand.New(rand.NewPCG(number, 0x4ea)) // the same for each turn
			body.Reset()
			t.r = r
			t.leaves = []term{{text: "k", v: k}, {text: "k", v: k}, {text: "x", v: d[0]}, {text: fmt.Sprintf("%s(%s)", typed, zero)}, {text: "around", v: around}}
			if carries {
				t.leaves = append(t.leaves, term{text: "c", v: carried}, term{text: "c", v: carried})
			}
			for n := range 3 {
				e := t.make(2 + r.IntN(3))
				fmt.Fprintf(&body, "      let e%d = %s;\n", n, e.text)
				if r.IntN(2) == 0 {
					robust = true
					o = append(o, d[min(e.v, uint32(len(d)-1))])
					fmt.Fprintf(&body, "      o[at] = d[e%d];\n", n)
				} else {
					o = append(o, e.v)
					fmt.Fprintf(&body, "      o[at] = u32(e%d);\n", n)
				}
				body.WriteString("      at++;\n")
			}
			if carries {
				e := t.make(1 + r.IntN(3))
				fmt.Fprintf(&body, "      c = %s;\n", e.text)
				carried = e.v
			}
		}
	}
	code := fmt.Sprintf("  let x = bitcast<%s>(d[0]);\n  var c = %s;\n  var at = 0u;\n", typed, numeral(signed, start))
	turns := "    " + count.text("k") + " {\n" + body.String() + "    }\n"
	if outer.header == "" {
		code += "  {\n    let around = " + numeral(signed, 0) + ";\n" + turns + "  }\n"
	} else {
		code += "  " + outer.text("around") + " {\n" + turns + "  }\n"
	}
	c := small("repeats", seed, "", code, d, o)
	c.Robust = robust
	return c
}

// countedLoop is a for statement without its body, with %s for the variable that it counts, and
// that variable's value in each turn.
type countedLoop struct {
	header string
	values []uint32
}

func (l *countedLoop) text(name string) string { return strings.ReplaceAll(l.header, "%s", name) }

// shortCount makes a loop of one to four turns.
func shortCount(r *rand.Rand, signed bool) (l countedLoop) {
	turns := 1 + uint32(r.IntN(4))
	step := []uint32{1, 1, 1, 2, 3}[r.IntN(5)]
	first := []uint32{0, 1, 1, 2, 5, 30}[r.IntN(6)]
	last := first + (turns-1)*step
	start, down := first, r.IntN(2) == 0
	test := fmt.Sprintf("%%s <= %s", numeral(signed, last))
	change := fmt.Sprintf("%%s += %s", numeral(signed, step))
	if down {
		if first < step { // a number without a sign would not become less than zero
			first, last = first+step, last+step
		}
		start = last
		test = fmt.Sprintf("%%s >= %s", numeral(signed, first-step+1))
		change = fmt.Sprintf("%%s -= %s", numeral(signed, step))
	}
	for n := range turns {
		v := start + n*step
		if down {
			v = start - n*step
		}
		l.values = append(l.values, v)
	}
	l.header = fmt.Sprintf("for (var %%s = %s; %s; %s)", numeral(signed, start), test, change)
	return l
}
