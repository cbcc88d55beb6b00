package expr

import (
	"fmt"
	"strings"
)

// Explain returns the kernels that compute tensors which were not computed yet, as text. Of each it
// has what it joins, reads and writes, its launch, why its result is stored, and its WGSL. It
// compiles and runs nothing.
func (c *Context) Explain(tensors ...*Tensor) (string, error) {
	if !c.valid() {
		return "", errNone
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if err := c.begin("Explain", tensors); err != nil {
		return "", err
	}
	if err := c.gather(tensors); err != nil {
		return "", err
	}
	p, err := c.planFor(tensors)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if len(p.steps) == 0 {
		b.WriteString("nothing is computed: the elements are there\n")
	}
	for k, s := range p.steps {
		fmt.Fprintf(&b, "kernel %d of %d: %s\n", k+1, len(p.steps), s.name)
		fmt.Fprintf(&b, "  launch: %d x %d workgroups\n", s.grid[0], s.grid[1])
		for i, n := range s.inputs {
			fmt.Fprintf(&b, "  reads x%d: %s\n", i, p.slotText(n))
		}
		fmt.Fprintf(&b, "  writes result: %s\n", p.slotText(s.output))
		if s.why != "" {
			fmt.Fprintf(&b, "  not joined with what uses it: %s\n", s.why)
		}
		b.WriteByte('\n')
		for line := range strings.Lines(s.text) {
			b.WriteString("    " + strings.TrimRight(line, "\n") + "\n")
		}
		b.WriteByte('\n')
	}
	return b.String(), nil
}

// slotText describes a slot: its type, how many elements it has, and whether it is a tensor of the
// program.
func (p *plan) slotText(n int) string {
	s := p.slots[n]
	return fmt.Sprintf("%d elements of %v, %d bytes", s.count, s.element, uint64(s.count)*uint64(types[s.element].bytes))
}
