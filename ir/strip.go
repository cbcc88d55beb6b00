package ir

import "strconv"

// StripNames takes the source's names from a module that is about to be emitted: each becomes a
// letter, with a number where names have to differ. What has none gets none, as printers of text
// give a value that has a name a separate line. The kernel keeps its name, and so does what the
// runtime provides. Spans of the source stay, and so do the formats of messages.
func (m *Module) StripNames(kernel *Func) {
	m.must("StripNames")
	for i := range m.Overrides {
		if o := &m.Overrides[i]; o.Name != "" {
			o.Name = "o" + strconv.Itoa(i)
		}
	}
	for i := range m.FaultSites {
		if s := &m.FaultSites[i]; s.Variable != "" {
			s.Variable = "x"
		}
	}
	for i := range m.Globals {
		if g := &m.Globals[i]; g.Role == NoRole {
			g.Name = "v" + strconv.Itoa(i)
		}
	}
	for i, f := range m.Funcs {
		if f != kernel {
			f.Name = "f" + strconv.Itoa(i)
		}
		for n, name := range f.names {
			if name != "" {
				f.names[n] = "x"
			}
		}
		for n := range f.controls {
			if l := &f.controls[n]; l.name != "" {
				l.name = "l"
			}
		}
	}
	for t := range m.types {
		r := &m.types[t]
		if r.kind != StructType {
			continue
		}
		m.structs[r.c].name = "S" + strconv.Itoa(int(r.c))
		for n := range m.members[r.a : r.a+r.b] {
			m.members[int(r.a)+n].Name = "m" + strconv.Itoa(n)
		}
	}
}
