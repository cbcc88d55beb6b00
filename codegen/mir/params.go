package mir

// MergeParams merges the parameters of a block that hold the same value on every way there: a loop
// whose result is one of its variables has two. Congruent parameters are an optimistic fixed point
// (Alpern, Wegman and Zadeck, "Detecting equality of variables in programs", 1988). All parameters
// of a block and class begin as equal, and those that some edge passes different values are parted.
func (f *Func) MergeParams() {
	same := make([]Operand, f.Indices()) // by register: the parameter that it equals, or none
	any := false
	for _, b := range f.Order {
		var first [ClassCount]Operand
		for _, p := range f.BlockParams(b) {
			if at := &first[p.Class()]; *at == NoOperand {
				*at = p
			} else {
				same[f.Index(p)], any = *at, true
			}
		}
	}
	if !any {
		return
	}
	of := func(o Operand) Operand {
		if o != NoOperand && !o.IsConst() && same[f.Index(o)] != NoOperand {
			return same[f.Index(o)]
		}
		return o
	}
	into := make([][]Edge, len(f.blocks))
	for _, b := range f.Order {
		for _, e := range f.Edges(f.Last(b)) {
			into[e.To] = append(into[e.To], e)
		}
	}
	firsts := map[uint64]int{}
	for changed := true; changed; {
		changed = false
		for _, b := range f.Order {
			if len(f.BlockParams(b)) > 1 && f.part(b, into[b], same, of, firsts) {
				changed = true
			}
		}
	}
	f.replaceParams(of)
}

// part separates the parameters of a block that some edge passes different values, and reports
// whether there are such. The map is working memory.
func (f *Func) part(b Block, into []Edge, same []Operand, of func(Operand) Operand, firsts map[uint64]int) (parted bool) {
	params := f.BlockParams(b)
	passed := func(k, n int) bool { // parameters k and n get the same
		for _, e := range into {
			args := f.EdgeArgs(e)
			if of(args[k]) != of(args[n]) {
				return false
			}
		}
		return of(params[k]) == of(params[n])
	}
	clear(firsts)
	fresh := make([]Operand, len(params)) // the parameters that they equal from now on
	for n, p := range params {
		hash := uint64(of(p))
		for _, e := range into {
			hash = hash*0x9E3779B97F4A7C15 + uint64(of(f.EdgeArgs(e)[n]))
		}
		fresh[n] = p
		if k, ok := firsts[hash]; !ok {
			firsts[hash] = n
		} else if passed(k, n) { // or else the hashes are the same by chance
			fresh[n] = params[k]
		}
	}
	for n, p := range params {
		if fresh[n] != of(p) {
			same[f.Index(p)], parted = fresh[n], true
		}
	}
	return parted
}

// replaceParams replaces parameters by those that they equal, and leaves them out of the lists of
// blocks and edges.
func (f *Func) replaceParams(of func(Operand) Operand) {
	for _, b := range f.Order {
		for i := f.First(b); i != 0; i = f.Next(i) {
			args := f.Args(i)
			for n, o := range args {
				args[n] = of(o)
			}
			if HasMemory(f.Op(i)) {
				m := f.Memory(i)
				m.Base, m.Index = of(m.Base), of(m.Index)
			}
			for _, e := range f.Edges(i) {
				args := f.EdgeArgs(e)
				for n, o := range args {
					args[n] = of(o)
				}
			}
		}
	}
	keep := make([]bool, 0, 16)
	for _, b := range f.Order {
		params := f.BlockParams(b)
		keep = keep[:0]
		all := true
		for _, p := range params {
			keep = append(keep, of(p) == p)
			all = all && of(p) == p
		}
		if all {
			continue
		}
		f.blocks[b].params = f.filtered(f.blocks[b].params, keep)
		for n := range f.edges {
			if e := &f.edges[n]; e.To == b && int(e.args.count) == len(keep) {
				e.args = f.filtered(e.args, keep)
			}
		}
	}
}

// filtered returns a list without the operands that are not kept.
func (f *Func) filtered(l list, keep []bool) list {
	kept := f.of(l)[:0]
	for n, o := range f.of(l) {
		if keep[n] {
			kept = append(kept, o)
		}
	}
	return list{l.start, uint32(len(kept))}
}
