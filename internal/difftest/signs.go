package difftest

// The family "signs": loops in which variables change their signs, or places with others.
// Compilers that look for what a loop carries from one turn to the next see a negation
// undo the one before, or take it for a copy. All values are small whole numbers, so that
// those of f32, i32 and u32, where -1 is 4294967295, follow one arithmetic.

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// signer makes one program of the family and runs it.
type signer struct {
	r      *rand.Rand
	scalar string // the type of components
	width  int    // of the variables; 1 is scalars
	values [][4]int32
	sum    [4]int32
	turn   int32
	d      []uint32
}

// signStep is a statement of a loop's body, and what it does.
type signStep struct {
	text string
	do   func()
}

func signs(seed uint64) *Case {
	s := &signer{r: rand.New(rand.NewPCG(seed, 0x516)), width: 1}
	s.scalar = []string{"f32", "f32", "i32", "u32"}[s.r.IntN(4)]
	if s.r.IntN(2) == 0 {
		s.width = 2 + s.r.IntN(3)
	}
	var body strings.Builder
	for n := range 1 + s.r.IntN(3) {
		var v [4]int32
		parts := make([]string, s.width)
		known := s.r.IntN(3) == 0
		for k := range parts {
			v[k] = int32(1 + s.r.IntN(60))
			parts[k] = s.number(v[k])
			if !known {
				parts[k] = fmt.Sprintf("%s(d[%d])", s.scalar, len(s.d))
				s.d = append(s.d, uint32(v[k]))
			}
		}
		s.values = append(s.values, v)
		fmt.Fprintf(&body, "  var v%d = %s(%s);\n", n, s.typed(), strings.Join(parts, ", "))
	}
	fmt.Fprintf(&body, "  var sum = %s();\n", s.typed())

	steps := make([]signStep, 1+s.r.IntN(4))
	for n := range steps {
		steps[n] = s.step()
	}
	gather := s.gather()
	steps = append(steps, gather)
	s.r.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	turns := 1 + s.r.IntN(7)
	most := fmt.Sprint(turns)
	if s.r.IntN(2) == 0 {
		most = fmt.Sprintf("i32(d[%d])", len(s.d))
		s.d = append(s.d, uint32(turns))
	}
	lines := make([]string, len(steps))
	for n := range steps {
		lines[n] = "    " + steps[n].text + "\n"
	}
	tail := s.r.IntN(len(lines) + 1) // what stands in the continuing block
	switch s.r.IntN(4) {
	case 0:
		fmt.Fprintf(&body, "  for (var k = 0i; k < %s; k++) {\n%s  }\n", most, strings.Join(lines, ""))
	case 1:
		fmt.Fprintf(&body, "  var k = 0i;\n  while k < %s {\n%s    k++;\n  }\n", most, strings.Join(lines, ""))
	case 2:
		fmt.Fprintf(&body, "  var k = 0i;\n  loop {\n%s    continuing {\n%s    k++;\n    break if k >= %s;\n    }\n  }\n",
			strings.Join(lines[:tail], ""), strings.Join(lines[tail:], ""), most)
	case 3:
		fmt.Fprintf(&body, "  var k = 0i;\n  loop {\n    if k >= %s { break; }\n%s    continuing {\n%s    k++;\n    }\n  }\n",
			most, strings.Join(lines[:tail], ""), strings.Join(lines[tail:], ""))
	}
	for s.turn = 0; s.turn < int32(turns); s.turn++ {
		for _, step := range steps {
			step.do()
		}
	}

	var o []uint32
	put := func(name string, v *[4]int32) {
		for k := range s.width {
			fmt.Fprintf(&body, "  o[%d] = u32(i32(%s));\n", len(o), s.component(name, k))
			o = append(o, uint32(v[k]))
		}
	}
	put("sum", &s.sum)
	for n := range s.values {
		if s.r.IntN(3) > 0 {
			put(fmt.Sprintf("v%d", n), &s.values[n])
		}
	}
	s.d = append(s.d, 0) // no buffer is empty
	return small("signs", seed, "", body.String(), s.d, o)
}

func (s *signer) typed() string { return s.vector(s.width) }

func (s *signer) vector(width int) string {
	if width == 1 {
		return s.scalar
	}
	return fmt.Sprintf("vec%d<%s>", width, s.scalar)
}

// minus writes the negation of a vector or a scalar.
func (s *signer) minus(x string, width int) string {
	if s.scalar == "u32" { // which WGSL does not negate
		return fmt.Sprintf("(%s() - %s)", s.vector(width), x)
	}
	return "-" + x
}

// number writes a constant of the scalar type.
func (s *signer) number(v int32) string {
	if s.scalar == "u32" {
		return fmt.Sprintf("%du", uint32(v))
	}
	return fmt.Sprintf("%s(%d)", s.scalar, v)
}

func (s *signer) component(name string, k int) string {
	if s.width == 1 {
		return name
	}
	return name + "." + "xyzw"[k:k+1]
}

// all is a step that does the same to every component.
func (s *signer) all(v int, text string, f func(x int32) int32) signStep {
	return signStep{text, func() {
		for k := range s.width {
			s.values[v][k] = f(s.values[v][k])
		}
	}}
}

// step makes a statement that negates something.
func (s *signer) step() signStep {
	n, w := s.r.IntN(len(s.values)), s.r.IntN(len(s.values))
	v, other := fmt.Sprintf("v%d", n), fmt.Sprintf("v%d", w)
	negate := func(x int32) int32 { return -x }
	minus := s.number(-1)
	k := s.r.IntN(s.width)
	part := s.component(v, k)
	// a condition, and whether it holds
	condition, holds := "(k & 1) == 0", func() bool { return s.turn&1 == 0 }
	switch s.r.IntN(3) {
	case 0:
		condition, holds = part+" < "+s.number(0), func() bool { return s.values[n][k] < 0 }
		if s.scalar == "u32" {
			condition = part + " >= 0x80000000u"
		}
	case 1:
		bound := int32(s.r.IntN(5))
		condition, holds = fmt.Sprintf("k < %d", bound), func() bool { return s.turn < bound }
	}
	switch s.r.IntN(11) {
	case 0:
		return s.all(n, fmt.Sprintf("%s = %s() - %s;", v, s.typed(), v), negate)
	case 1:
		return s.all(n, fmt.Sprintf("%s = %s * %s;", v, v, minus), negate)
	case 2:
		return s.all(n, fmt.Sprintf("%s *= %s;", v, minus), negate)
	case 3:
		if s.scalar == "i32" { // quotients of f32 need not be exact, and those of u32 are others
			return s.all(n, fmt.Sprintf("%s = %s / %s;", v, v, minus), negate)
		}
	case 4:
		c := int32(s.r.IntN(9) - 4)
		return s.all(n, fmt.Sprintf("%s = %s - %s;", v, s.number(c), v), func(x int32) int32 { return c - x })
	case 5:
		return signStep{fmt.Sprintf("if %s { %s = %s; }", condition, v, s.minus(v, s.width)), func() {
			if holds() {
				for k := range s.width {
					s.values[n][k] *= -1
				}
			}
		}}
	case 6:
		return signStep{fmt.Sprintf("%s = select(%s, %s, %s);", v, v, s.minus(v, s.width), condition), func() {
			if holds() {
				for k := range s.width {
					s.values[n][k] *= -1
				}
			}
		}}
	case 7:
		return signStep{fmt.Sprintf("%s = %s;", part, s.minus(part, 1)), func() { s.values[n][k] *= -1 }}
	case 8:
		return signStep{fmt.Sprintf("{ let t = %s; %s = %s; %s = t; }", v, v, s.minus(other, s.width), other), func() {
			t := s.values[n]
			for k := range s.width {
				s.values[n][k] = -s.values[w][k]
			}
			s.values[w] = t
		}}
	case 9:
		return signStep{fmt.Sprintf("{ let t = %s; %s = %s; %s = t; }", s.minus(v, s.width), v, other, other), func() {
			t := s.values[n]
			s.values[n] = s.values[w]
			for k := range s.width {
				s.values[w][k] = -t[k]
			}
		}}
	}
	return s.all(n, fmt.Sprintf("%s = %s;", v, s.minus(v, s.width)), negate)
}

// gather makes the statement that looks at a variable in each turn.
func (s *signer) gather() signStep {
	n := s.r.IntN(len(s.values))
	sign, factor := "+", int32(1)
	if s.r.IntN(2) == 0 {
		sign, factor = "-", -1
	}
	if s.r.IntN(3) > 0 {
		return signStep{fmt.Sprintf("sum %s= v%d;", sign, n), func() {
			for k := range s.width {
				s.sum[k] += factor * s.values[n][k]
			}
		}}
	}
	k := s.r.IntN(s.width)
	return signStep{fmt.Sprintf("%s %s= %s;", s.component("sum", k), sign, s.component(fmt.Sprintf("v%d", n), k)), func() {
		s.sum[k] += factor * s.values[n][k]
	}}
}
