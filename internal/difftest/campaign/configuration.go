package campaign

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/opt"
)

// Configuration is how a program is compiled.
type Configuration struct {
	Bounds     opt.Bounds
	Math       opt.Math
	NoOptimize bool
	Without    string // one of optional, which is left out where a target has it
	ByValue    bool   // uniform buffers by value, where the target can
	// invocations that do the work of several, where the kernel can, however small the launch is
	Coarse bool
}

// optional names the passes of all targets that may be left out, in the order of the targets.
var optional = sync.OnceValue(func() (names []string) {
	for _, target := range all.Targets {
		for _, name := range target.Optional() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
})

var boundsNames = [...]string{opt.BoundsRobust: "robust", opt.BoundsTrap: "trap", opt.BoundsOff: "off"}

var mathNames = [...]string{opt.MathWGSL: "wgsl", opt.MathStrict: "strict", opt.MathFast: "fast"}

// String returns the form that ParseConfiguration reads: robust,wgsl,without=gvn.
func (c Configuration) String() string {
	s := boundsNames[c.Bounds] + "," + mathNames[c.Math]
	if c.NoOptimize {
		s += ",-O0"
	}
	if c.ByValue {
		s += ",by-value"
	}
	if c.Coarse {
		s += ",coarse"
	}
	if c.Without != "" {
		s += ",without=" + c.Without
	}
	return s
}

// ParseConfiguration reads what String writes.
func ParseConfiguration(s string) (c Configuration, err error) {
	for word := range strings.SplitSeq(s, ",") {
		known := word == "-O0" || word == "by-value" || word == "coarse"
		c.NoOptimize = c.NoOptimize || word == "-O0"
		c.ByValue = c.ByValue || word == "by-value"
		c.Coarse = c.Coarse || word == "coarse"
		for n, name := range boundsNames {
			if word == name {
				c.Bounds, known = opt.Bounds(n), true
			}
		}
		for n, name := range mathNames {
			if word == name {
				c.Math, known = opt.Math(n), true
			}
		}
		if pass, ok := strings.CutPrefix(word, "without="); ok {
			c.Without, known = pass, true
		}
		if !known {
			return c, fmt.Errorf("%q is no bounds mode, math mode, -O0, by-value, coarse or without=PASS", word)
		}
	}
	return c, nil
}

// configurations returns how the program of a seed is compiled: as users do, and in
// ways that the seed chooses, so that a long campaign visits every combination. A
// program that relies on robust access is compiled for nothing else, and one that relies on
// roundings not with fast math.
func configurations(seed uint64, robust, rounds bool, count int) []Configuration {
	r := rand.New(rand.NewPCG(seed, 0x5eed))
	list := make([]Configuration, 1, count)
	for len(list) < count {
		c := Configuration{Bounds: opt.Bounds(r.IntN(len(boundsNames))), Math: opt.Math(r.IntN(len(mathNames)))}
		if robust {
			c.Bounds = opt.BoundsRobust
		}
		if rounds && c.Math == opt.MathFast {
			c.Math = opt.MathWGSL
		}
		switch r.IntN(3) {
		case 0:
			c.NoOptimize = true
		case 1:
			c.Without = optional()[r.IntN(len(optional()))]
		}
		list = append(list, c)
	}
	// a generator of its own, so that a seed chooses the rest without it
	r = rand.New(rand.NewPCG(seed, 0xb1ade))
	for n := range list {
		list[n].ByValue = r.IntN(2) == 1
		list[n].Coarse = r.IntN(2) == 1
	}
	return list
}
