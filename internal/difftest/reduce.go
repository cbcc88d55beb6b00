package difftest

// Reduction: changes that make a program smaller, each kept if the program is still a Case and
// still fails.

// Reduce makes a program smaller as long as fails says so of its Case. The program must fail at
// first, and is not changed. Up to width cases are judged at once: those that come next if none
// of them fails, as most do not. After the first that does, the others are made anew, which the
// answers so far make cheap: the same answers lead to the same questions.
func Reduce(p *Program, width int, fails func([]*Case) []bool) *Program {
	r := &reducer{width: width}
	for {
		r.p, r.asked, r.ahead = p.clone(), 0, r.ahead[:0]
		r.reduce()
		if len(r.ahead) == 0 {
			return r.p
		}
		var cases []*Case
		for _, c := range r.ahead {
			if c != nil {
				cases = append(cases, c)
			}
		}
		judged := fails(cases)
		for _, c := range r.ahead {
			answer := false
			if c != nil {
				answer, judged = judged[0], judged[1:]
			}
			r.answers = append(r.answers, answer)
			if answer {
				break
			}
		}
	}
}

func (r *reducer) reduce() {
	if !r.holds() {
		return
	}
	for r.changed = true; r.changed; {
		// What removes most comes first, and again as long as it does.
		for r.changed = true; r.changed; {
			r.changed = false
			r.functions()
			r.lists()
			r.structure()
		}
		r.expressions()
		r.parameters()
		r.declarations()
		r.dispatch()
	}
}

type reducer struct {
	p       *Program
	changed bool
	answers []bool // to the first questions
	asked   int
	ahead   []*Case // the questions after them; nil for what is no Case
	width   int
}

// holds says whether the program as it is still fails, and no if that is not known yet.
func (r *reducer) holds() bool {
	n := r.asked
	r.asked++
	switch {
	case n < len(r.answers):
		return r.answers[n]
	case len(r.ahead) < r.width:
		c, err := r.p.Case()
		if err != nil {
			c = nil
		}
		r.ahead = append(r.ahead, c)
	}
	return false
}

// try makes a change, and takes it back if the program does not fail any more.
func (r *reducer) try(change, undo func()) bool {
	change()
	if r.holds() {
		r.changed = true
		return true
	}
	undo()
	return false
}

func set[T any](r *reducer, at *T, value T) bool {
	old := *at
	return r.try(func() { *at = value }, func() { *at = old })
}

// shrink removes parts of a list: halves first, then quarters, down to single elements.
func shrink[T any](r *reducer, list *[]T) {
	for size := len(*list); size > 0; size /= 2 {
		for from := len(*list) - size; from > -size; from -= size {
			old := *list
			start := max(from, 0)
			if start >= len(old) {
				continue
			}
			end := min(from+size, len(old))
			set(r, list, append(append([]T(nil), old[:start]...), old[end:]...))
		}
	}
}

// functions removes functions and the statements that call nothing else.
func (r *reducer) functions() {
	for i := len(r.p.Funcs) - 1; i >= 0; i-- {
		if i >= len(r.p.Funcs) || r.p.Funcs[i] == r.p.Entry {
			continue
		}
		old := r.p.Funcs
		set(r, &r.p.Funcs, append(append([]*Func(nil), old[:i]...), old[i+1:]...))
	}
}

func (r *reducer) declarations() {
	shrink(r, &r.p.Globals)
	shrink(r, &r.p.Aliases)
	for i := len(r.p.Structs) - 1; i >= 0; i-- {
		if !r.usesType(r.p.Structs[i]) {
			r.p.Structs = append(append([]*Type(nil), r.p.Structs[:i]...), r.p.Structs[i+1:]...)
		}
	}
	for _, v := range r.p.Globals {
		if v.Kind == MemoryVar && v.Init != nil {
			set(r, &v.Init, nil)
		}
		if v.Kind == OverrideVar && v.Set && v.Init != nil {
			if !set(r, &v.Init, nil) {
				set(r, &v.Set, false)
			}
		}
		if v.Type.Size != nil {
			set(r, &v.Type.Size, nil)
		}
		if len(v.Data) > 0 && !isZeros(v.Data) {
			set(r, &v.Data, make([]byte, len(v.Data)))
		}
	}
	for _, flag := range []*bool{&r.p.Subgroups, &r.p.Half, &r.p.Robust} {
		if *flag {
			set(r, flag, false)
		}
	}
}

func isZeros(data []byte) bool {
	for _, x := range data {
		if x != 0 {
			return false
		}
	}
	return true
}

// usesType says whether a declaration needs a struct type.
func (r *reducer) usesType(t *Type) bool {
	has := func(u *Type) bool { return u == t }
	found := false
	look := func(u *Type) { found = found || u != nil && u.uses(has) }
	expr := func(e *Expr) { look(e.Type) }
	for _, u := range r.p.Structs {
		if u != t {
			look(u)
		}
	}
	for _, v := range r.p.Globals {
		look(v.Type)
		walkExpr(v.Init, expr)
	}
	for _, f := range r.p.Funcs {
		look(f.Result)
		for _, v := range f.Params {
			look(v.Type)
		}
		walkStmts(f.Body, func(s *Stmt) {
			if s.Var != nil {
				look(s.Var.Type)
			}
		}, expr)
	}
	return found
}

// lists removes statements.
func (r *reducer) lists() {
	for _, f := range r.p.Funcs {
		r.list(&f.Body)
	}
}

func (r *reducer) list(list *[]*Stmt) {
	shrink(r, list)
	for _, s := range *list {
		r.list(&s.Body)
		r.list(&s.Else)
		shrink(r, &s.Cases)
		for _, c := range s.Cases {
			r.list(&c.Body)
			shrink(r, &c.Selectors)
		}
	}
}

// structure replaces statements by what is in them.
func (r *reducer) structure() {
	for _, f := range r.p.Funcs {
		r.flatten(&f.Body)
	}
}

func (r *reducer) flatten(list *[]*Stmt) {
	for i := 0; i < len(*list); i++ {
		s := (*list)[i]
		bodies := [][]*Stmt{s.Body, s.Else}
		for _, c := range s.Cases {
			bodies = append(bodies, c.Body)
		}
		if s.Kind == StmtFor {
			bodies[0] = append([]*Stmt{}, s.Body...)
			if s.Init != nil {
				bodies[0] = append([]*Stmt{s.Init}, bodies[0]...)
			}
		}
		replaced := false
		for _, body := range bodies {
			if len(body) == 0 || replaced {
				continue
			}
			old := *list
			flat := append(append([]*Stmt(nil), old[:i]...), body...)
			replaced = set(r, list, append(flat, old[i+1:]...))
		}
		if replaced {
			i--
			continue
		}
		if s.Init != nil {
			set(r, &s.Init, nil)
		}
		if s.Update != nil {
			set(r, &s.Update, nil)
		}
		if s.Fuel > 0 && !set(r, &s.Fuel, 0) && s.Fuel > 1 {
			set(r, &s.Fuel, 1)
		}
		if s.Kind == StmtLoop && s.Value != nil {
			set(r, &s.Value, nil)
		}
		if s.Kind == StmtFor && s.Value != nil && s.Init == nil && s.Update == nil {
			set(r, &s.Kind, StmtWhile)
		}
		if s.Kind == StmtAssign && s.Name != "" && same(s.Target.Type, s.Value.Type) {
			set(r, &s.Name, "")
		}
		if s.Var != nil && s.Kind == StmtDeclare && s.Var.Kind == MemoryVar && s.Var.Init != nil {
			set(r, &s.Var.Init, nil)
		}
		r.flatten(&s.Body)
		r.flatten(&s.Else)
		for _, c := range s.Cases {
			r.flatten(&c.Body)
		}
	}
}

// expressions replaces expressions by constants and by their parts.
func (r *reducer) expressions() {
	var roots, references []*Expr
	collect := func(e *Expr) {
		if e != nil {
			roots = append(roots, e)
		}
	}
	for _, v := range r.p.Globals {
		collect(v.Init)
	}
	for _, f := range r.p.Funcs {
		walkStmts(f.Body, func(s *Stmt) {
			if s.Kind == StmtDeclare {
				collect(s.Var.Init)
			}
			if s.Target != nil {
				references = append(references, s.Target)
			}
			collect(s.Value)
			for _, c := range s.Cases {
				for _, e := range c.Selectors {
					collect(e)
				}
			}
		}, func(*Expr) {})
	}
	for _, e := range roots {
		r.expression(e)
	}
	for _, e := range references {
		r.reference(e)
	}
	// Sizes of workgroups last, each by itself.
	for i := range r.p.Entry.Workgroup {
		if e := r.p.Entry.Workgroup[i]; e != nil && (e.Op != OpLiteral || e.Bits != 1) {
			for _, n := range []uint32{1, 2, 4} {
				if e.Op == OpLiteral && e.Bits <= n {
					break
				}
				if set(r, &r.p.Entry.Workgroup[i], literalOf(u32Type, n)) {
					break
				}
			}
		}
	}
}

// reference reduces what a reference is computed from.
func (r *reducer) reference(e *Expr) {
	for i, a := range e.Args {
		if i == 0 && e.Op != OpDeref {
			r.reference(a)
		} else {
			r.expression(a)
		}
	}
}

func (r *reducer) expression(e *Expr) {
	if e.Op == OpAddress {
		r.reference(e.Args[0])
		return
	}
	for _, simple := range simpler(e) {
		if set(r, e, *simple) {
			break
		}
	}
	if len(e.Args) > 2 && e.Op == OpConstruct {
		zero := *e
		zero.Args = nil
		set(r, e, zero)
	}
	for _, a := range e.Args {
		r.expression(a)
	}
}

// simpler lists expressions that may replace e.
func simpler(e *Expr) []*Expr {
	if e.Type == nil || e.Type.Kind == Pointer || e.Op == OpLiteral && (e.Bits <= 1 || e.Bits == word(1)) && e.Wide <= 1 {
		return nil
	}
	var list []*Expr
	switch {
	case e.Type.Kind == AbstractInt:
		list = append(list, &Expr{Op: OpLiteral, Type: e.Type, Wide: 1})
	case e.Type.isScalar():
		for _, v := range []uint32{0, 1} {
			if e.Type.isFloat() {
				v = word(float32(v))
			}
			list = append(list, literalOf(e.Type, v))
		}
	case e.Type.isConstructible() && (e.Op != OpConstruct || len(e.Args) > 0):
		list = append(list, &Expr{Op: OpConstruct, Type: e.Type})
	}
	if e.Op == OpLiteral {
		return list
	}
	// Parts of the same type, nearest first.
	var parts func(e *Expr, depth int)
	t := e.Type
	parts = func(e *Expr, depth int) {
		for _, a := range e.Args {
			if a.Type != nil && same(a.Type, t) {
				list = append(list, a)
			}
		}
		if depth > 0 {
			for _, a := range e.Args {
				parts(a, depth-1)
			}
		}
	}
	parts(e, 2)
	return list
}

// parameters removes parameters with their arguments, and results.
func (r *reducer) parameters() {
	for _, f := range r.p.Funcs {
		for i := len(f.Params) - 1; i >= 0; i-- {
			r.parameter(f, i)
		}
	}
}

func (r *reducer) parameter(f *Func, i int) {
	params := f.Params
	var calls []*Expr
	var args [][]*Expr
	for _, g := range r.p.Funcs {
		walkStmts(g.Body, func(*Stmt) {}, func(e *Expr) {
			if e.Op == OpCall && e.Func == f {
				calls = append(calls, e)
				args = append(args, e.Args)
			}
		})
	}
	seen := map[*Expr]bool{}
	r.try(func() {
		f.Params = append(append([]*Var(nil), params[:i]...), params[i+1:]...)
		for k, e := range calls {
			if !seen[e] {
				seen[e] = true
				e.Args = append(append([]*Expr(nil), args[k][:i]...), args[k][i+1:]...)
			}
		}
	}, func() {
		f.Params = params
		for k, e := range calls {
			e.Args = args[k]
		}
	})
}

func (r *reducer) dispatch() {
	for i := range r.p.Dispatch {
		if n := r.p.Dispatch[i]; n > 1 && !set(r, &r.p.Dispatch[i], 1) && n > 2 {
			set(r, &r.p.Dispatch[i], 2)
		}
	}
}

// clone copies a program. Types are shared; they do not change.
func (p *Program) clone() *Program {
	c := *p
	k := &copier{vars: map[*Var]*Var{}, funcs: map[*Func]*Func{}}
	c.Globals = nil
	for _, v := range p.Globals {
		c.Globals = append(c.Globals, k.variable(v))
	}
	c.Funcs = nil
	for _, f := range p.Funcs {
		c.Funcs = append(c.Funcs, k.function(f))
	}
	c.Entry = k.function(p.Entry)
	return &c
}

type copier struct {
	vars  map[*Var]*Var
	funcs map[*Func]*Func
}

func (k *copier) variable(v *Var) *Var {
	if v == nil || k.vars[v] != nil {
		return k.vars[v]
	}
	c := *v
	k.vars[v] = &c
	c.Init = k.expr(v.Init)
	if v.Type.Size != nil { // the one kind of type that names a variable
		t := *v.Type
		t.Size = k.expr(t.Size)
		c.Type = &t
	}
	return &c
}

func (k *copier) function(f *Func) *Func {
	if f == nil || k.funcs[f] != nil {
		return k.funcs[f]
	}
	c := *f
	k.funcs[f] = &c
	c.Params = nil
	for _, v := range f.Params {
		c.Params = append(c.Params, k.variable(v))
	}
	for i, e := range f.Workgroup {
		c.Workgroup[i] = k.expr(e)
	}
	c.Body = k.list(f.Body)
	return &c
}

func (k *copier) list(list []*Stmt) []*Stmt {
	var out []*Stmt
	for _, s := range list {
		out = append(out, k.stmt(s))
	}
	return out
}

func (k *copier) stmt(s *Stmt) *Stmt {
	if s == nil {
		return nil
	}
	c := *s
	c.Var = k.variable(s.Var)
	c.Target, c.Value = k.expr(s.Target), k.expr(s.Value)
	c.Init, c.Update = k.stmt(s.Init), k.stmt(s.Update)
	c.Body, c.Else = k.list(s.Body), k.list(s.Else)
	c.Cases = nil
	for _, w := range s.Cases {
		d := *w
		d.Selectors = nil
		for _, e := range w.Selectors {
			d.Selectors = append(d.Selectors, k.expr(e))
		}
		d.Body = k.list(w.Body)
		c.Cases = append(c.Cases, &d)
	}
	return &c
}

func (k *copier) expr(e *Expr) *Expr {
	if e == nil {
		return nil
	}
	c := *e
	c.Var, c.Func = k.variable(e.Var), k.function(e.Func)
	c.Args = nil
	for _, a := range e.Args {
		c.Args = append(c.Args, k.expr(a))
	}
	return &c
}
