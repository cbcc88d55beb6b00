package columns

// This file chooses the primitives in assembly, for NEON, which all processors have that Go runs on.

// choose puts what is in assembly in the place of what is in Go.
func choose(p *processor) {
	for n, assembled := range assembled {
		if assembled != nil {
			p.columns[n] = assembled
		}
	}
}
