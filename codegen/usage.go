package codegen

import (
	"fmt"
	"slices"
	"strings"
)

// This file has the resource usage of an artefact on a machine, and its occupancy. Only assemblers
// know them, so a target queries those (Target.Resources).

// Usage is an artefact's use of a machine's resources.
type Usage struct {
	// Device is the profile of the target that it was counted for.
	Device string
	Counts []Count
	// Running is the occupancy: the number of warps or waves that can be resident at once, of at
	// most Most. Unit names them and the part of the machine ("waves per SIMD").
	Running, Most uint32
	Unit          string
	// Limits names the resources that limit Running. It is empty if Running is Most.
	Limits []string
}

// Count is an amount of a resource.
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

// Bound is the number of a unit that a resource allows.
type Bound struct {
	Resource string
	Allows   uint32
}

// Bind sets the occupancy: Running is the least bound, and Limits names the resources with that
// bound.
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
