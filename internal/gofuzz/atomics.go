package gofuzz

// atomic writes an atomic operation of 64 bits on an element of the item's own, so that its result
// does not depend on others, and declares a variable for what it returns.
func (g *generator) atomic() {
	place, kind, name := "ownLongs[i]", "i64", "Int64"
	if g.one(2) {
		place, kind, name = "ownWords[i]", "u64", "Uint64"
	}
	v := g.name("v")
	switch x := g.expression(kind, 2); g.r.IntN(8) {
	case 0:
		g.line("%s := atomic.Add%s(&%s, %s)", v, name, place, x)
	case 1:
		g.line("%s := atomic.Swap%s(&%s, %s)", v, name, place, x)
	case 2:
		g.line("%s := atomic.Load%s(&%s)", v, name, place)
	case 3:
		g.line("%s := %s", v, x)
		g.line("atomic.Store%s(&%s, %s)", name, place, v)
	case 4:
		g.line("%s := atomic.Load%s(&%s)", v, name, place)
		g.line("if atomic.CompareAndSwap%s(&%s, pick(%s, %s, %s), %s) {", name, place, g.expression("bool", 1), v, g.expression(kind, 1), x)
		g.line("\t%s++", v)
		g.line("}")
	default:
		g.line("%s := gpu.Atomic%s(&%s, %s)", v, []string{"Min", "Max", "Xor"}[g.r.IntN(3)], place, x)
	}
	g.line("_ = %s", v)
	g.scope = append(g.scope, variable{v, kind, false})
}
