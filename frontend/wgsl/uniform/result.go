package uniform

import (
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
)

// This file searches the uniformity graph of a function for requirements that fail, and computes
// its tags.

// explore visits the nodes that are reachable from a node, and reports whether mayBeNonUniform is.
// It skips nodes that were visited with a worse severity.
func (u *Analyzer) explore(from node, s diag.Severity) bool {
	n := len(u.heads)
	for len(u.visited) < n {
		u.visited, u.parents = append(u.visited, 0), append(u.parents, 0)
	}
	u.search++
	u.queue = append(u.queue[:0], from)
	u.visited[from] = u.search
	found := from == mayBeNonUniform
	for at := 0; at < len(u.queue); at++ {
		x := u.queue[at]
		for i := u.heads[x]; i != 0; i = u.edges[i].next {
			to := u.edges[i].to
			if u.visited[to] == u.search || to != mayBeNonUniform && int(to) < len(u.settled) && u.settled[to] < s {
				continue
			}
			u.visited[to] = u.search
			u.parents[to] = x
			found = found || to == mayBeNonUniform
			u.queue = append(u.queue, to)
		}
	}
	return found
}

// conclude reports the requirements that fail, and sets the tags of the function.
func (u *Analyzer) conclude(index int32) {
	info := &u.info.Functions[index]
	t := &u.tags[index]
	*t = functionTags{callSite: noSeverity, parameters: ir.Zeroed(t.parameters, len(info.Parameters))}
	for i := range t.parameters {
		t.parameters[i].value, t.parameters[i].contents = noSeverity, noSeverity
	}
	u.settled = ir.Zeroed(u.settled, len(u.heads))
	for i := range u.settled {
		u.settled[i] = noSeverity
	}
	for s := diag.Error; s < noSeverity; s++ {
		for i := range u.requirements {
			r := &u.requirements[i]
			if r.severity != s {
				continue
			}
			if u.explore(r.node, s) {
				u.report(r)
			}
			for _, x := range u.queue {
				if x >= u.interior && u.settled[x] > s {
					u.settled[x] = s
				}
			}
			if u.seen(u.start) && t.callSite == noSeverity {
				t.callSite, t.origin = s, r.origin
			}
			for k := range t.parameters {
				p := &t.parameters[k]
				if info.Stage == sem.NoStage && u.seen(u.parameters[k]) && p.value == noSeverity {
					p.value, p.valueOrigin = s, r.origin
					p.valueOrigin.through = info.Parameters[k]
				}
				if u.contents[k] != 0 && u.seen(u.contents[k]) && p.contents == noSeverity {
					p.contents, p.contentsOrigin = s, r.origin
					p.contentsOrigin.through = info.Parameters[k]
				}
			}
		}
	}
	u.show()
	u.settled = u.settled[:0]
	if t.nonUniform = u.explore(u.returned, diag.Error); t.nonUniform && info.Stage == sem.NoStage {
		t.why = u.cause(u.returned)
	}
	t.values, t.contents = u.seenParameters()
	for i := range t.parameters {
		if u.outContents[i] != 0 {
			p := &t.parameters[i]
			if p.nonUniform = u.explore(u.outContents[i], diag.Error); p.nonUniform {
				p.why = u.cause(u.outContents[i])
			}
			p.fromValues, p.fromContents = u.seenParameters()
		}
	}
}

func (u *Analyzer) seen(n node) bool { return u.visited[n] == u.search }

// seenParameters returns the parameters that the last search visited, as bits.
func (u *Analyzer) seenParameters() (values, contents uint64) {
	for i := range u.parameters {
		if u.seen(u.parameters[i]) {
			values |= 1 << min(i, 63)
		}
		if u.contents[i] != 0 && u.seen(u.contents[i]) {
			contents |= 1 << min(i, 63)
		}
	}
	return values, contents
}

// uniformResults are the subgroup operations whose results are uniform in the subgroup.
var uniformResults = [op.Count]bool{
	op.SubgroupAdd: true, op.SubgroupAll: true, op.SubgroupAnd: true, op.SubgroupAny: true, op.SubgroupBallot: true,
	op.SubgroupBroadcast: true, op.SubgroupBroadcastFirst: true, op.SubgroupMax: true, op.SubgroupMin: true,
	op.SubgroupMul: true, op.SubgroupOr: true, op.SubgroupXor: true,
}

// uniformOperands are the subgroup operations whose second argument must be uniform.
var uniformOperands = [op.Count]bool{op.SubgroupShuffleUp: true, op.SubgroupShuffleDown: true, op.SubgroupShuffleXor: true}
