package difftest

import "fmt"

// pipelining makes kernels whose workgroups fill tiles in workgroup memory in each iteration of a
// loop, wait, work with the tiles and wait again. Software pipelining loads the next iteration's
// tile ahead. What differs from program to program is how the loop counts and where it ends, which
// elements an invocation fills, from where, and what the work reads. Indices may lie outside of the
// input, where robust access clamps them.
func pipelining(d *draft) {
	r := d.r
	size := pick(r, []int{4, 8, 12, 32})
	d.size[0], d.groups[0] = size, 1+r.IntN(3)
	count := size * (1 + r.IntN(4)) // elements of a tile
	if d.chance(4) {                // some invocations fill one more than others
		count -= r.IntN(size)
	}
	columns := pick(r, []int{2, 4, size})
	if count%columns != 0 || d.chance(2) {
		columns = 0
	}
	input := make([]uint32, 1+r.IntN(200))
	for n := range input {
		input[n] = r.Uint32() % 1000
	}
	start, step, iterations := r.IntN(3), pick(r, []int{1, 1, 2, 4}), r.IntN(7)
	end := start + iterations*step
	d.robust = true
	d.buffers(size*d.groups[0], input)
	d.module.WriteString("@group(0) @binding(2) var<uniform> u: vec4u;\n")
	d.data["u"] = bytesOf([]uint32{uint32(start), uint32(end), pick(r, []uint32{uint32(start + step), edge(r)}), uint32(r.IntN(4))})
	tile := func(name, e string) string {
		if columns == 0 {
			return fmt.Sprintf("%s[%s]", name, e)
		}
		return fmt.Sprintf("%s[%s / %du][%s %% %du]", name, e, columns, e, columns)
	}
	declared := fmt.Sprintf("array<u32, %d>", count)
	if columns != 0 {
		declared = fmt.Sprintf("array<array<u32, %d>, %d>", columns, count/columns)
	}
	fmt.Fprintf(&d.module, "var<workgroup> a: %s;\nvar<workgroup> b: %s;\n", declared, declared)
	limit := func(v int, member string) string {
		if d.chance(3) {
			return "u." + member
		}
		return fmt.Sprintf("%du", v)
	}
	tail := "}"
	d.line("var sum = 0u;")
	if d.chance(8) && iterations > 0 {
		d.line("var k = %s;\nloop {", limit(start, "x"))
		tail = fmt.Sprintf("continuing { k += %du; break if k >= %s; } }", step, limit(end, "y"))
	} else {
		d.line("for (var k = %s; k < %s; k += %du) {", limit(start, "x"), limit(end, "y"), step)
	}
	d.line("for (var e = %s; e < %du; e += %du) {", pick(r, []string{"lane", "lane", fmt.Sprintf("(%du - lane)", size-1)}), count, size)
	tiles := []string{"a", "b"}[:1+r.IntN(2)]
	for _, name := range tiles {
		value := fmt.Sprintf("d[%s]", d.tileIndex(3, size, count))
		if d.chance(4) {
			d.line("let at%[1]s = %[2]s;\nvar x%[1]s = 0u;\nif at%[1]s < arrayLength(&d) { x%[1]s = d[at%[1]s]; }", name, d.tileIndex(3, size, count))
			value = "x" + name
		}
		if d.chance(3) {
			value += fmt.Sprintf(" ^ %du", edge(r))
		}
		d.line("%s = %s;", tile(name, "e"), value)
	}
	d.line("}\nworkgroupBarrier();\nfor (var m = 0u; m < %du; m++) {\nlet e = (lane * %du + m) %% %du;\nsum = sum * 31u + %s;",
		1+r.IntN(48), pick(r, []int{1, 3, size - 1}), count, tile("a", "e"))
	if len(tiles) > 1 {
		d.line("sum += %s * m;", tile("b", "e"))
	}
	d.line("}")
	if d.chance(3) {
		d.line("sum ^= d[k];")
	}
	if d.chance(8) { // the loop is left between its barriers, by all
		d.line("if k == u.z { break; }")
	}
	d.line("workgroupBarrier();\n%s\no[group.x * %du + lane] = sum;", tail, size)
}

// tileIndex makes an index of the input from the iteration, the element and the invocation.
func (d *draft) tileIndex(depth, size, count int) string {
	if depth == 0 || d.chance(4) {
		if d.chance(3) {
			if d.chance(12) {
				return numeral(false, edge(d.r))
			}
			return fmt.Sprintf("%du", d.r.IntN(9))
		}
		return pick(d.r, []string{"k", "k", "e", "e", "group.x", "lane", "u.x"})
	}
	a, b := d.tileIndex(depth-1, size, count), d.tileIndex(depth-1, size, count)
	switch d.r.IntN(8) {
	case 0:
		return fmt.Sprintf("(%s / %du)", a, pick(d.r, []int{2, 3, 4, 8, size, count}))
	case 1:
		return fmt.Sprintf("(%s %% %du)", a, pick(d.r, []int{2, 3, 4, 8, size, count}))
	case 2:
		return fmt.Sprintf("(%s * (u.w + %s))", a, b)
	case 3:
		return fmt.Sprintf("(%s ^ u.w ^ %s)", a, b)
	}
	return fmt.Sprintf("(%s + u.w + %s)", a, b) // so that no sum is a const-expression
}
