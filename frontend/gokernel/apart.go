package gokernel

import (
	"go/constant"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gpuc/gpuc/ir"
)

// This file finds stores of tiles that need no order. One statement alone writes the matrix, and
// the loops around it move the tile by at least its size. Two forms are known:
//
//	for i := first; …; i += step {           the row or the column advances; of two
//		gpu.StoreTile(it, m, i*Rows, 0, x)    loops, each advances one of them
//	}
//	for n := first; …; n += step {           TileAt has another tile of a grid for each n
//		row, col := m.TileAt(n, Rows, Cols)
//		gpu.StoreTile(it, m, row, col, x)
//	}
//
// Numbers wrap after 2³² steps. No invocation is ahead of another one by that many.

// apart looks at a store of a tile with rows and columns.
type apart struct {
	rows, columns int64
	loops         []loopAround
}

// loopAround is a loop around the store, in the function that has the store or in one that calls
// that.
type loopAround struct {
	frame *frame
	*naturalLoop
}

// naturalLoop is a loop of a function: its header, and by index the blocks from which the header is
// reached again.
type naturalLoop struct {
	header *ssa.BasicBlock
	has    []bool
}

// findLoops finds the loops of a function.
func (x *function) findLoops() []naturalLoop {
	if x.loops != nil {
		return x.loops
	}
	x.loops = []naturalLoop{}
	for _, header := range x.Blocks {
		l := naturalLoop{header: header}
		var work []*ssa.BasicBlock
		for _, p := range header.Preds {
			if header.Dominates(p) {
				work = append(work, p)
			}
		}
		if work == nil {
			continue
		}
		l.has = make([]bool, len(x.Blocks))
		l.has[header.Index] = true
		for len(work) > 0 {
			b := work[len(work)-1]
			if work = work[:len(work)-1]; !l.has[b.Index] {
				l.has[b.Index] = true
				work = append(work, b.Preds...)
			}
		}
		x.loops = append(x.loops, l)
	}
	return x.loops
}

// storesApart reports whether a call of StoreTile in a loop stores to other elements each time, or
// is in no loop.
func (f *frame) storesApart(v *ssa.Call, tile ir.Type) bool {
	_, rows, columns := f.t.m.TileShape(tile)
	a := apart{rows: int64(rows), columns: int64(columns)}
	for x, at := f, v.Block(); ; x, at = x.caller, x.site.Block() {
		loops := x.findLoops()
		for n := range loops {
			if loops[n].has[at.Index] {
				a.loops = append(a.loops, loopAround{x, &loops[n]})
			}
		}
		if x.caller == nil || x.site == nil {
			break
		}
	}
	if len(a.loops) == 0 {
		return true
	}
	const matrix, row, column = 1, 2, 3 // arguments
	return a.isApart(f, v.Call.Args[matrix], v.Call.Args[row], v.Call.Args[column])
}

// isApart decides it for a position in a matrix.
func (a *apart) isApart(f *frame, matrix, row, column ssa.Value) bool {
	if a.ofTile(f, row, column) && a.at(f, matrix).is(invariant) {
		return true
	}
	r, c := a.at(f, row), a.at(f, column)
	for depth := 0; depth < maxDepth; depth++ {
		x, call := a.resolve(f, matrix)
		method, arguments := viewMethod(call)
		switch method {
		case "T":
			a.rows, a.columns, r, c = a.columns, a.rows, c, r
		case "Sub": // what is outside of the part is not stored
			r, c = r.plus(a.at(x, arguments[1])), c.plus(a.at(x, arguments[2]))
		default:
			return a.at(f, matrix).is(invariant) && a.covers(r, c)
		}
		f, matrix = x, arguments[0]
	}
	return false
}

// covers reports whether each loop moves the row or the column by the size of the tile, and no
// other loop moves the same.
func (a *apart) covers(row, column advance) bool {
	for n := range a.loops {
		if !(row.is(n) && max(row.step, -row.step) >= a.rows) && !(column.is(n) && max(column.step, -column.step) >= a.columns) {
			return false
		}
	}
	return true
}

// ofTile reports whether a row and a column are those of TileAt, for tiles that are not smaller,
// with a number that the only loop advances.
func (a *apart) ofTile(f *frame, row, column ssa.Value) bool {
	x, r := a.resolve(f, row)
	y, c := a.resolve(f, column)
	first, ok := r.(*ssa.Extract)
	second, also := c.(*ssa.Extract)
	if !ok || !also || x != y || first.Tuple != second.Tuple || first.Index != 0 || second.Index != 1 || len(a.loops) != 1 {
		return false
	}
	call, _ := first.Tuple.(*ssa.Call)
	method, arguments := viewMethod(call)
	if method != "TileAt" || !a.at(x, arguments[0]).is(invariant) {
		return false
	}
	rows, known := integer(arguments[2])
	columns, alsoKnown := integer(arguments[3])
	n := a.at(x, arguments[1])
	return known && alsoKnown && rows >= a.rows && columns >= a.columns && n.is(0) && n.step != 0
}

// advance is how a number changes.
type advance struct {
	known bool
	// loop is the only loop that changes the number, by its index, or invariant. Each iteration
	// adds the same, which has the sign of step and at least its size.
	loop int
	step int64
}

// invariant says that no loop changes a number.
const invariant = -1

// is reports whether only this loop changes the number, or no loop does.
func (x advance) is(loop int) bool { return x.known && x.loop == loop }

func (x advance) plus(y advance) advance {
	switch {
	case !x.known || !y.known:
	case y.loop == invariant:
		return x
	case x.loop == invariant:
		return y
	case x.loop == y.loop && (x.step < 0) == (y.step < 0):
		return advance{true, x.loop, x.step + y.step}.bounded()
	}
	return advance{}
}

func (x advance) times(n int64) advance {
	if !x.known || x.loop == invariant {
		return x
	}
	x.step *= n
	return x.bounded()
}

// bounded returns a number that is not known if its steps may be too large for a sum of two.
func (x advance) bounded() advance {
	if x.step == 0 || x.step != int64(int32(x.step)) {
		return advance{}
	}
	return x
}

// maxDepth bounds how many operations make a number.
const maxDepth = 12

// at returns how a value of a function changes.
func (a *apart) at(f *frame, v ssa.Value) advance { return a.within(f, v, maxDepth) }

func (a *apart) within(f *frame, v ssa.Value, depth int) advance {
	f, v = a.resolve(f, v)
	fixed := advance{known: true, loop: invariant}
	if depth == 0 {
		return advance{}
	}
	of := func(v ssa.Value) advance { return a.within(f, v, depth-1) }
	switch v := v.(type) {
	case *ssa.Const:
		return fixed
	case *ssa.Parameter: // of the kernel, or of a call that resolve does not know
		if f.caller == nil {
			return fixed
		}
		return advance{}
	case ssa.Instruction:
		if !a.isInLoop(f, v.Block()) {
			return fixed
		}
	}
	switch v := v.(type) {
	case *ssa.Phi:
		return a.induction(f, v, depth)
	case *ssa.BinOp:
		x, y := of(v.X), of(v.Y)
		n, known := integer(v.Y)
		m, first := integer(v.X)
		switch {
		case x.is(invariant) && y.is(invariant):
			return fixed
		case v.Op == token.ADD:
			return x.plus(y)
		case v.Op == token.SUB:
			return x.plus(y.times(-1))
		case v.Op == token.MUL && known:
			return x.times(n)
		case v.Op == token.MUL && first:
			return y.times(m)
		}
	case *ssa.Convert:
		if isWord(v.Type()) && isWord(v.X.Type()) {
			return of(v.X)
		}
	case *ssa.Field:
		return of(v.X)
	case *ssa.Call:
		if method, arguments := viewMethod(v); slices.Contains(pureMethods[:], method) {
			if !slices.ContainsFunc(arguments, func(x ssa.Value) bool { return !isItem(x.Type()) && !of(x).is(invariant) }) {
				return fixed
			}
		}
	}
	return advance{}
}

// induction returns how a phi of a loop's header changes.
func (a *apart) induction(f *frame, phi *ssa.Phi, depth int) (x advance) {
	n := slices.IndexFunc(a.loops, func(l loopAround) bool { return l.frame == f && l.header == phi.Block() })
	if n < 0 {
		return advance{}
	}
	for k, p := range phi.Block().Preds {
		if !a.loops[n].has[p.Index] {
			if !a.within(f, phi.Edges[k], depth-1).is(invariant) {
				return advance{}
			}
			continue
		}
		next, ok := phi.Edges[k].(*ssa.BinOp)
		if !ok || next.X != phi || next.Op != token.ADD && next.Op != token.SUB {
			return advance{}
		}
		step, known := a.stepOf(f, next.Y)
		if next.Op == token.SUB {
			step = -step
		}
		if !known || x.known && step != x.step {
			return advance{}
		}
		x = advance{true, n, step}.bounded()
	}
	return x
}

// stepOf returns a number that is the same in each iteration, or the least that it can be: a
// constant, or how many workgroups there are.
func (a *apart) stepOf(f *frame, v ssa.Value) (least int64, known bool) {
	f, v = a.resolve(f, v)
	if n, ok := integer(v); ok {
		return n, true
	}
	if field, ok := v.(*ssa.Field); ok {
		_, x := a.resolve(f, field.X)
		method, _ := viewMethod(x)
		return 1, method == "Groups"
	}
	return 0, false
}

// isInLoop reports whether a block of a function is executed several times.
func (a *apart) isInLoop(f *frame, b *ssa.BasicBlock) bool {
	return slices.ContainsFunc(a.loops, func(l loopAround) bool {
		if l.frame == f {
			return l.has[b.Index]
		}
		for x := f; x != nil; x = x.caller {
			if x == l.frame { // it has a loop around a call
				return true
			}
		}
		return false
	})
}

// resolve follows a value to the function that computes it: from a parameter to the argument, and
// from a variable that is assigned once to what that is.
func (a *apart) resolve(f *frame, v ssa.Value) (*frame, ssa.Value) {
	for range maxDepth {
		switch x := v.(type) {
		case *ssa.Parameter:
			n := slices.Index(x.Parent().Params, x)
			if f.caller == nil || f.site == nil || x.Parent() != f.Function || f.site.Call.StaticCallee() != f.Function {
				return f, v
			}
			f, v = f.caller, f.site.Call.Args[n]
		case *ssa.ChangeType:
			v = x.X
		case *ssa.UnOp:
			stored := assignedOnce(x)
			if stored == nil {
				return f, v
			}
			v = stored
		default:
			return f, v
		}
	}
	return f, v
}

// assignedOnce returns what a load of a variable yields, if one assignment before it is all that
// changes the variable.
func assignedOnce(load *ssa.UnOp) ssa.Value {
	variable, ok := load.X.(*ssa.Alloc)
	if !ok || load.Op != token.MUL {
		return nil
	}
	var store *ssa.Store
	for _, use := range *variable.Referrers() {
		switch use := use.(type) {
		case *ssa.Store:
			if store != nil || use.Addr != variable {
				return nil
			}
			store = use
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.MakeClosure:
			if !onlyReads(use, variable) {
				return nil
			}
		default:
			return nil
		}
	}
	if store == nil || !precedes(store, load) {
		return nil
	}
	return store.Val
}

// onlyReads reports whether a function literal only reads a variable that it captures.
func onlyReads(c *ssa.MakeClosure, variable ssa.Value) bool {
	literal, ok := c.Fn.(*ssa.Function)
	if !ok {
		return false
	}
	for n, x := range c.Bindings {
		if x != variable {
			continue
		}
		for _, use := range *literal.FreeVars[n].Referrers() {
			switch use.(type) {
			case *ssa.UnOp, *ssa.DebugRef:
			default:
				return false
			}
		}
	}
	return true
}

// precedes reports whether an instruction is executed before another one, as often.
func precedes(first, second ssa.Instruction) bool {
	b := first.Block()
	if b != second.Block() {
		return b.Dominates(second.Block())
	}
	return slices.Index(b.Instrs, first) < slices.Index(b.Instrs, second)
}

// pureMethods are the methods of matrices and items whose results depend on their arguments alone,
// and are the same for all items of a workgroup.
var pureMethods = [...]string{"Rows", "Cols", "T", "Sub", "Tiles", "Group", "Groups", "Size"}

// viewMethod returns the name and the arguments of a call of a method of gpu.Matrix or gpu.Item, or
// "".
func viewMethod(v ssa.Value) (name string, arguments []ssa.Value) {
	call, ok := v.(*ssa.Call)
	if !ok || call == nil {
		return "", nil
	}
	callee := call.Call.StaticCallee()
	if callee == nil || callee.Signature.Recv() == nil {
		return "", nil
	}
	if t := callee.Signature.Recv().Type(); !isNamed(t, "Matrix") && !isItem(t) {
		return "", nil
	}
	return callee.Name(), call.Call.Args
}

// integer returns a constant's value.
func integer(v ssa.Value) (int64, bool) {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.Int {
		return 0, false
	}
	return constant.Int64Val(c.Value)
}
