package ir

import (
	"slices"
	"strconv"
)

// Within is a comparison that the host makes before it launches a kernel: that a sum is less than
// the number of elements of an array, and not negative. Accesses of the kernel are in bounds only
// then (opt.LaunchBoundsVersioning). In the text form
//
//	kernel @k(…) [workgroup 64u, 1u, 1u] [within @a: 4 invocations 0, 3] [within : 1 @w 0, -1] {
//
// says that a has more elements than four times the invocations along x and three, and that the
// word at the beginning of w is at least 1. The numbers are integers without limits.
type Within struct {
	// Array is a variable, a runtime-sized array; NoValue means 2^31 elements.
	Array Value
	Sum   []Product
}

// Product is a number times quantities.
type Product struct {
	Factor int64
	Of     []Quantity
}

// Quantity is a number that is known when a kernel is launched, and is not negative. With Over it
// is (the number + Plus) / Over, rounded down.
type Quantity struct {
	Kind QuantityKind
	// Of is the array whose elements are counted, or the variable in address space immediate that
	// has the word.
	Of Value
	// Number is the dimension, or the offset of the word in bytes.
	Number     uint32
	Plus, Over uint32
}

// QuantityKind is what is known when a kernel is launched.
type QuantityKind uint8

const (
	Invocations QuantityKind = iota // of the grid along a dimension
	Workgroups                      // likewise
	Elements                        // of a runtime-sized array
	Word                            // 32 bits of the immediates, as a number without a sign
)

var quantityNames = [...]string{Invocations: "invocations", Workgroups: "workgroups", Elements: "elements"}

// RenumberWithin replaces the variables that Within names: renumbered has the new value of each by
// the index of the old one.
func (f *Func) RenumberWithin(renumbered []Value) {
	for n := range f.Within { // products share their lists with others
		w := &f.Within[n]
		if w.Array != NoValue {
			w.Array = renumbered[w.Array.Index()]
		}
		w.Sum = slices.Clone(w.Sum)
		for k := range w.Sum {
			p := &w.Sum[k]
			p.Of = slices.Clone(p.Of)
			for i := range p.Of {
				if p.Of[i].Of != NoValue {
					p.Of[i].Of = renumbered[p.Of[i].Of.Index()]
				}
			}
		}
	}
}

// within prints what is compared before a kernel is launched.
func (p *printer) within(list []Within) {
	for n := range list {
		p.text(" [within ")
		if list[n].Array != NoValue {
			p.value(list[n].Array)
		}
		p.text(":")
		for k, product := range list[n].Sum {
			if k > 0 {
				p.text(",")
			}
			p.text(" ")
			p.text(strconv.FormatInt(product.Factor, 10))
			for _, q := range product.Of {
				p.quantity(q)
			}
		}
		p.text("]")
	}
}

func (p *printer) quantity(q Quantity) {
	if q.Kind < Word {
		p.text(" ")
		p.text(quantityNames[q.Kind])
	}
	if q.Kind >= Elements {
		p.text(" ")
		p.value(q.Of)
	}
	if q.Kind != Elements {
		p.text(" ")
		p.number(uint64(q.Number))
	}
	if q.Over != 0 {
		p.text(" plus ")
		p.number(uint64(q.Plus))
		p.text(" over ")
		p.number(uint64(q.Over))
	}
}

// within reads what is compared before a kernel is launched.
func (p *parser) within(f *Func) {
	b := Within{}
	if !p.Accept(":") {
		b.Array = p.value()
		p.Expect(":")
	}
	for {
		factor, err := strconv.ParseInt(p.Text(p.Token), 10, 64)
		if err != nil {
			p.Fail(p.Token, "expected a factor, found "+p.Describe())
		}
		p.Next()
		product := Product{Factor: factor}
		for p.Text(p.Token) != "," && p.Text(p.Token) != "]" {
			q := Quantity{}
			if k := slices.Index(quantityNames[:], p.Text(p.Token)); k >= 0 {
				q.Kind = QuantityKind(k)
				p.Next()
			} else {
				q.Kind = Word
			}
			if q.Kind >= Elements {
				q.Of = p.value()
			}
			if q.Kind != Elements {
				q.Number = uint32(p.Integer("a dimension or an offset"))
			}
			if p.Accept("plus") {
				q.Plus = uint32(p.Integer("a number"))
				p.Expect("over")
				q.Over = uint32(p.Integer("a divisor"))
			}
			product.Of = append(product.Of, q)
		}
		b.Sum = append(b.Sum, product)
		if !p.Accept(",") {
			break
		}
	}
	f.Within = append(f.Within, b)
}

// within verifies what is compared before a kernel is launched.
func (v *verifier) within() {
	f, m := v.f, v.m
	isArray := func(x Value) bool {
		return x.IsGlobal() && int(x.Index()) < len(m.Globals) && m.IsRuntimeArray(m.Element(m.TypeOf(x))) && m.KindOf(m.Element(m.TypeOf(x))) == ArrayType
	}
	for _, b := range f.Within {
		if b.Array != NoValue && !isArray(b.Array) {
			v.report(f.Span, "a launch check of kernel @"+f.Name+" names a value that is not a runtime-sized array")
		}
		for _, product := range b.Sum {
			for _, q := range product.Of {
				switch {
				case q.Kind < Elements && q.Number > 2:
					v.report(f.Span, "a launch check of kernel @"+f.Name+" names a dimension that is not there")
				case q.Kind == Elements && !isArray(q.Of):
					v.report(f.Span, "a launch check of kernel @"+f.Name+" counts the elements of a value that is not a runtime-sized array")
				case q.Kind == Word && (!q.Of.IsGlobal() || int(q.Of.Index()) >= len(m.Globals) || m.SpaceOf(m.TypeOf(q.Of)) != Immediate):
					v.report(f.Span, "a launch check of kernel @"+f.Name+" names a word of a value that is not in address space immediate")
				}
			}
		}
	}
}
