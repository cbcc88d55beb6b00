package codegen

import (
	"fmt"
	"slices"
	"strings"
)

// This file holds what is known of an artefact on a machine: how much of what is scarce it takes,
// and how much can run at once for that. Only those who make machine code know it, so a target asks
// their tools (Target.Resources).

// Usage is what an artefact takes of a machine's resources.
type Usage struct {
	// Device is what it was counted for, a profile of the target.
	Device string
	Counts []Count
	// Running is how many groups of invocations that execute together (warps, waves) can be on a
	// part of the machine at once, of Most that it holds. Unit names the groups and the part
	// ("waves per SIMD").
	Running, Most uint32
	Unit          string
	// Limits names what keeps Running from being Most. It is empty if nothing does.
	Limits []string
}

// Count is how much of something an artefact takes.
type Count struct {
	Number uint64
	What   string // "registers", "bytes of scratch memory"
}

// String shows a usage in a line.
func (u *Usage) String() string {
	if u == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString(u.Device + ": ")
	for n, c := range u.Counts {
		if n > 0 {
			b.WriteString(", ")
		}
		if c.Number == 0 {
			b.WriteString("no " + strings.TrimPrefix(c.What, "bytes of "))
		} else {
			fmt.Fprintf(&b, "%d %s", c.Number, c.What)
		}
	}
	fmt.Fprintf(&b, "; %d of %d %s", u.Running, u.Most, u.Unit)
	if len(u.Limits) > 0 {
		b.WriteString(", limited by " + strings.Join(u.Limits, " and "))
	}
	return b.String()
}

// Bound is how many of a unit a resource allows.
type Bound struct {
	Resource string
	Allows   uint32
}

// Bind sets how much can run at once: the least of what resources allow, and which of them allow no
// more.
func (u *Usage) Bind(most uint32, unit string, bounds ...Bound) {
	if u == nil {
		return
	}
	u.Running, u.Most, u.Unit, u.Limits = most, most, unit, nil
	for _, b := range bounds {
		u.Running = min(u.Running, b.Allows)
	}
	if u.Running == most {
		return
	}
	for _, b := range bounds {
		if b.Allows == u.Running && !slices.Contains(u.Limits, b.Resource) {
			u.Limits = append(u.Limits, b.Resource)
		}
	}
}
