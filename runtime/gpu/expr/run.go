package expr

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

// This file evaluates tensors: it finds or makes the plan of a graph, and runs it.

// plan is how graphs with the same operations, types and shapes are evaluated. It refers to tensors
// by their numbers.
type plan struct {
	steps  []*step
	slots  []slot
	nodes  int // how many slots are those of tensors
	roots  []int
	sizes  *gpu.Buffer[uint32] // of all steps
	offset int                 // words between those of two steps
	used   uint64              // when it was used last
}

// launcher is what a step is launched with.
type launcher struct {
	kernel *gpu.Kernel
	args   *gpu.Args
	// sizes has the words of the step, once they are written.
	sizes   *gpu.Buffer[uint32]
	written bool
}

func (p *plan) close() error {
	if p.sizes == nil {
		return nil
	}
	return p.sizes.Close()
}

// plan returns what was planned. Slots are freed by the last step that reads them.
func (p *planner) plan() *plan {
	made := &plan{steps: p.steps, slots: p.slots, nodes: len(p.nodes), roots: p.roots}
	seen := make([]bool, len(p.slots))
	for k := len(p.steps) - 1; k >= 0; k-- {
		s := p.steps[k]
		for _, slot := range s.inputs {
			keep := slot < len(p.nodes) && (p.isData(slot) || slices.Contains(p.roots, slot))
			if !seen[slot] && !keep {
				s.frees = append(s.frees, slot)
			}
			seen[slot] = true
		}
	}
	return made
}

// gather numbers the tensors that some depend on, operands first.
func (c *Context) gather(tensors []*Tensor) error {
	c.epoch++
	c.nodes = c.nodes[:0]
	for _, t := range tensors {
		if err := c.visit(t); err != nil {
			return err
		}
	}
	return nil
}

func (c *Context) visit(t *Tensor) error {
	if t.epoch == c.epoch {
		return nil
	}
	if t.closed {
		return fmt.Errorf("expr: %s at %s: a tensor of %s: %w", t.op.row().name, caller(), shapeText(t.shape), gpu.ErrClosed)
	}
	t.epoch = c.epoch
	for _, x := range t.operands {
		if x != nil {
			if err := c.visit(x); err != nil {
				return err
			}
		}
	}
	t.number = len(c.nodes)
	c.nodes = append(c.nodes, t)
	return nil
}

// describe appends what a plan depends on to the key: all of a graph but its elements and numbers.
func (c *Context) describe(tensors []*Tensor) {
	key := c.key[:0]
	add := func(n int) { key = binary.AppendUvarint(key, uint64(n)) }
	for _, t := range c.nodes {
		key = append(key, byte(t.op), byte(t.element), byte(len(t.shape)))
		for _, n := range t.shape {
			add(n)
		}
		key = append(key, byte(len(t.axes)))
		for _, n := range t.axes {
			add(n)
		}
		for _, x := range t.operands {
			if x != nil {
				add(t.number - x.number)
			}
		}
		key = append(key, 0)
	}
	for _, t := range tensors {
		add(t.number)
	}
	c.key = key
}

// planFor returns the plan for tensors, which are numbered. The mutex is held.
func (c *Context) planFor(tensors []*Tensor) (*plan, error) {
	c.describe(tensors)
	c.uses++
	if p := c.plans[string(c.key)]; p != nil {
		p.used = c.uses
		c.stats.Reused++
		return p, nil
	}
	roots := make([]int, len(tensors))
	for k, t := range tensors {
		roots[k] = t.number
	}
	p, err := newPlan(c, c.nodes, roots)
	if err != nil {
		return nil, err
	}
	if len(c.plans) >= maxPlans {
		oldest := ""
		for key, p := range c.plans {
			if oldest == "" || p.used < c.plans[oldest].used {
				oldest = key
			}
		}
		err := c.plans[oldest].close()
		delete(c.plans, oldest)
		if err != nil {
			return nil, err
		}
	}
	p.used = c.uses
	c.plans[string(c.key)] = p
	c.stats.Plans++
	return p, nil
}

// evaluate computes tensors that were not computed. The mutex is held.
func (c *Context) evaluate(tensors []*Tensor) error {
	if err := c.begin("Run", tensors); err != nil {
		return err
	}
	if err := c.gather(tensors); err != nil {
		return err
	}
	lazy := false
	for _, t := range tensors {
		lazy = lazy || t.op != opData
	}
	if !lazy {
		return nil
	}
	p, err := c.planFor(tensors)
	if err != nil {
		return err
	}
	c.slots = slices.Grow(c.slots[:0], len(p.slots))[:len(p.slots)] // zeros, see below
	if err := c.run(p); err != nil {
		for n, a := range c.slots {
			if !(n < p.nodes && c.nodes[n].op == opData) {
				err = errors.Join(err, a.close())
			}
		}
		clear(c.slots)
		clear(c.nodes)
		return fmt.Errorf("expr: %w", err)
	}
	for _, n := range p.roots {
		if t := c.nodes[n]; t.op != opData {
			t.op, t.operands, t.axes = opData, [3]*Tensor{}, nil
			t.device, t.onDevice = c.slots[n], true
		}
	}
	clear(c.slots)
	clear(c.nodes) // which would keep them from the garbage collector
	return nil
}

// run launches the steps of a plan.
func (c *Context) run(p *plan) error {
	for n, t := range c.nodes {
		if t.op != opData {
			continue
		}
		if t.count() > 0 {
			if err := t.toDevice(); err != nil {
				return err
			}
		}
		c.slots[n] = t.device
	}
	if err := c.prepare(p); err != nil {
		return err
	}
	for _, s := range p.steps {
		if err := c.launch(p, s); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	for _, n := range p.roots { // those without elements have no step
		if t := c.nodes[n]; t.op != opData && t.count() == 0 {
			a, err := memories[t.element].alloc(c.stream, 0)
			if err != nil {
				return err
			}
			c.slots[n] = a
		}
	}
	return nil
}

func (c *Context) launch(p *plan, s *step) error {
	out := p.slots[s.output]
	a, err := memories[out.element].alloc(c.stream, out.count)
	if err != nil {
		return err
	}
	c.slots[s.output] = a
	for k, n := range s.inputs {
		if err := s.args.Set(k+1, c.slots[n].bound); err != nil {
			return err
		}
	}
	if err := s.args.Set(len(s.inputs)+1, a.bound); err != nil {
		return err
	}
	if err := c.stream.Launch(s.args, gpu.D2(s.grid[0], s.grid[1])); err != nil {
		return err
	}
	c.stats.Launches++
	c.stats.Loaded += s.loaded
	c.stats.Stored += s.stored
	for _, n := range s.frees {
		if err := c.slots[n].close(); err != nil {
			return err
		}
		c.slots[n] = array{}
	}
	return nil
}

// prepare loads the kernels of a plan, and writes the sizes of steps where that was not done or
// numbers have changed. Drivers pass by value what small writes have written.
func (c *Context) prepare(p *plan) error {
	if p.sizes == nil && len(p.steps) > 0 {
		if err := c.load(p); err != nil {
			return err
		}
	}
	for _, s := range p.steps {
		write := !s.written
		for _, x := range s.scalars {
			bits := scalarBits(c.nodes[x.node])
			write = write || s.words[x.word] != bits
			s.words[x.word] = bits
		}
		if write {
			if err := s.sizes.Write(c.stream, s.words); err != nil {
				s.written = false
				return err
			}
			s.written = true
		}
	}
	return nil
}

// load compiles the kernels of a plan that are new, and sets the arguments that stay.
func (c *Context) load(p *plan) (err error) {
	p.offset = int(c.device.Info().OffsetAlignment) / 4
	unit := max(p.offset, 1)
	for _, s := range p.steps {
		if s.kernel, err = c.kernel(s.text); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		words := int(s.kernel.Describe().Arguments()[0].MinimumBytes()+3) / 4
		s.words = append(s.words, make([]uint32, max(words-len(s.words), 0))...) // padding
		p.offset = max(p.offset, (len(s.words)+unit-1)/unit*unit)
	}
	sizes, err := gpu.AllocUninitialized[uint32](c.stream, p.offset*len(p.steps))
	if err != nil {
		return err
	}
	for k, s := range p.steps {
		s.sizes, err = sizes.Slice(k*p.offset, k*p.offset+len(s.words))
		if err == nil {
			s.args = s.kernel.Args()
			err = s.args.Set(0, s.sizes.Raw())
		}
		if err != nil {
			return errors.Join(err, sizes.Close())
		}
	}
	p.sizes = sizes
	return nil
}

// kernel returns the kernel with a text.
func (c *Context) kernel(text string) (*gpu.Kernel, error) {
	if k := c.kernels[text]; k != nil {
		return k, nil
	}
	program, err := jit.Parse("expr.wgsl", text, codegen.Options{Math: c.math})
	if err != nil {
		return nil, err
	}
	k, err := program.Load(c.device, "main")
	if err != nil {
		return nil, err
	}
	c.kernels[text] = k
	c.stats.Compiled++
	return k, nil
}

// floatWord returns the bits of a number as float32.
func floatWord(x float64) uint32 { return math.Float32bits(float32(x)) }
