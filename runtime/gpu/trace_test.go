package gpu

import "math/rand/v2"

// request is one of a trace: an allocation of a number of bytes, or the release of an earlier one
// if there are none.
type request struct {
	id    int
	bytes uint64
}

// tracer records a trace. Sizes are those of a program that is scale times larger.
type tracer struct {
	requests []request
	sizes    []uint64
	scale    uint64
}

func (r *tracer) alloc(elements int) int {
	bytes := max(4*uint64(elements)*r.scale, 4)
	r.requests = append(r.requests, request{len(r.sizes), bytes})
	r.sizes = append(r.sizes, bytes)
	return len(r.sizes) - 1
}

func (r *tracer) free(ids ...int) {
	for _, id := range ids {
		r.requests = append(r.requests, request{id: id})
	}
}

// trainingTrace is what training a transformer asks for: 4 bytes an element, weights with gradients
// and two moments of the optimiser, and steps whose batches and sequences vary. A forward pass
// keeps what the backward pass needs, and has temporary tensors. The backward pass frees in
// reverse.
func trainingTrace(seed uint64, steps int, scale uint64) []request {
	const layers, width, hidden, heads, words = 4, 128, 512, 4, 1000
	rng := rand.New(rand.NewPCG(seed, 1))
	r := &tracer{scale: scale}
	var weights []int
	for range 2 { // weights and gradients
		weights = append(weights, r.alloc(words*width))
		for range layers {
			for _, n := range []int{width * width * 3, width * width, width * hidden, hidden * width, width, width, hidden, width, 3 * width} {
				weights = append(weights, r.alloc(n))
			}
		}
	}
	var moments []int
	for range steps {
		batch, length := 1+rng.IntN(16), 16+rng.IntN(112)
		tokens := batch * length
		input := []int{r.alloc(tokens), r.alloc(tokens)}
		x := r.alloc(tokens * width)
		var saved [][]int
		for range layers {
			norm, statistics := r.alloc(tokens*width), r.alloc(2*tokens)
			qkv := r.alloc(3 * tokens * width)
			scores := r.alloc(batch * heads * length * length)
			weighted := r.alloc(batch * heads * length * length)
			r.free(scores)
			heads := r.alloc(tokens * width)
			projected := r.alloc(tokens * width)
			sum := r.alloc(tokens * width)
			r.free(projected)
			inner := r.alloc(tokens * hidden)
			active := r.alloc(tokens * hidden)
			out := r.alloc(tokens * width)
			next := r.alloc(tokens * width)
			r.free(out)
			saved = append(saved, []int{x, norm, statistics, qkv, weighted, heads, sum, inner, active})
			x = next
		}
		logits := r.alloc(tokens * words)
		loss := r.alloc(1)
		gradient := r.alloc(tokens * words)
		r.free(logits)
		g := r.alloc(tokens * width)
		r.free(gradient, x)
		for n := layers - 1; n >= 0; n-- {
			wide := r.alloc(tokens * hidden)
			back := r.alloc(tokens * width)
			r.free(wide, g)
			three := r.alloc(3 * tokens * width)
			scores := r.alloc(batch * heads * length * length)
			g = r.alloc(tokens * width)
			r.free(scores, three, back)
			for k := len(saved[n]) - 1; k >= 0; k-- {
				r.free(saved[n][k])
			}
		}
		r.free(g, loss)
		r.free(input...)
		if moments == nil { // which the optimiser makes in its first step
			for _, w := range weights {
				moments = append(moments, r.alloc(int(r.sizes[w]/4/scale)))
			}
		}
		norms := []int{}
		for range weights[:8] {
			norms = append(norms, r.alloc(1+rng.IntN(64)))
		}
		r.free(norms...)
	}
	r.free(weights...)
	r.free(moments...)
	return r.requests
}

// servingTrace is what a server asks for: requests come and go at random, each with a cache of keys
// and values that grows by pages, and with temporary tensors.
func servingTrace(seed uint64, count int, scale uint64) []request {
	const width, page = 256, 16 * 2 * 256
	rng := rand.New(rand.NewPCG(seed, 2))
	r := &tracer{scale: scale}
	weights := []int{}
	for range 24 {
		weights = append(weights, r.alloc(width*width*(1+rng.IntN(4))))
	}
	var open [][]int
	for range count {
		switch {
		case len(open) < 2 || rng.IntN(3) == 0 && len(open) < 40: // a prompt
			tokens := 1 + rng.IntN(300)
			pages := []int{}
			for range (tokens + 15) / 16 {
				pages = append(pages, r.alloc(page))
			}
			temporary := []int{r.alloc(tokens * width), r.alloc(tokens * width * 3), r.alloc(tokens * tokens)}
			open = append(open, pages)
			r.free(temporary...)
		case rng.IntN(4) == 0:
			n := rng.IntN(len(open))
			r.free(open[n]...)
			open = append(open[:n], open[n+1:]...)
		default: // a token for each
			a, b := r.alloc(len(open)*width), r.alloc(len(open)*width*4)
			for n := range open {
				if rng.IntN(16) == 0 {
					open[n] = append(open[n], r.alloc(page))
				}
			}
			r.free(a, b)
		}
	}
	for _, pages := range open {
		r.free(pages...)
	}
	r.free(weights...)
	return r.requests
}
