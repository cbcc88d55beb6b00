package campaign

// Statistics of each way: how many programs ran, which were left out and why, which ran in another
// tier of the CPU device, and which were compared bit by bit.

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/internal/difftest"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/driver/cpu"
)

// Tally counts what a way did.
type Tally struct {
	Executions uint64
	LeftOut    map[string]uint64 // programs, or executions, by the reason why they did not run
	Lower      map[string]uint64 // executions in a lower tier, by the reason why not in the way's
	NoTensor   map[string]uint64 // kernels in a configuration without tensor maps, by the reason
	Equal      uint64            // executions in strict mode that left the bytes of another tier
}

// tallies are by the names of ways.
type tallies map[string]*Tally

func newTally() *Tally {
	return &Tally{LeftOut: map[string]uint64{}, Lower: map[string]uint64{}, NoTensor: map[string]uint64{}}
}

func (t tallies) of(way string) *Tally {
	if t[way] == nil {
		t[way] = newTally()
	}
	return t[way]
}

// add adds what others count.
func (t tallies) add(others tallies) {
	for name, other := range others {
		sum := t.of(name)
		sum.Executions += other.Executions
		sum.Equal += other.Equal
		for reason, n := range other.LeftOut {
			sum.LeftOut[reason] += n
		}
		for reason, n := range other.Lower {
			sum.Lower[reason] += n
		}
		for reason, n := range other.NoTensor {
			sum.NoTensor[reason] += n
		}
	}
}

// Write writes what each way did, in lines for people.
func (t tallies) Write(w io.Writer) {
	for _, name := range slices.Sorted(maps.Keys(t)) {
		x := t[name]
		fmt.Fprintf(w, "%s: %d executions", name, x.Executions)
		if x.Equal > 0 {
			fmt.Fprintf(w, ", %d in strict mode with the bytes of another tier", x.Equal)
		}
		fmt.Fprintln(w)
		for _, list := range []struct {
			words  string
			counts map[string]uint64
		}{{"programs are left out", x.LeftOut}, {"executions are in a lower tier", x.Lower}, {"kernels have no tensor maps", x.NoTensor}} {
			for _, reason := range slices.SortedFunc(maps.Keys(list.counts), func(a, b string) int {
				return int(list.counts[b]) - int(list.counts[a])
			}) {
				fmt.Fprintf(w, "  %d %s: %s\n", list.counts[reason], list.words, reason)
			}
		}
	}
}

// takes says why the way does not run a case; empty if it does.
func (w *Way) takes(c *difftest.Case) string {
	switch {
	case w.faithful && c.Robust:
		return "they rely on accesses that are clamped, which it reports"
	case !w.textures && c.Textures():
		return "they have textures"
	case c.Subgroup != 0 && uint32(c.Subgroup) != w.subgroup:
		return fmt.Sprintf("they are right with subgroups of %d", c.Subgroup)
	}
	return ""
}

// tierOf returns a function that says why a kernel is in no higher tier than it is, or nothing
// where it is in the tier.
func tierOf(tier string) (func(*abi.Artefact) string, error) {
	for t := cpu.Interpreter; ; t++ {
		if t.String() != tier {
			continue
		}
		device, err := (&cpu.Driver{Tier: t}).Open(cpu.Defined)
		if err != nil {
			return nil, err
		}
		return func(a *abi.Artefact) string { return lowerTier(device, a, t) }, nil
	}
}

func lowerTier(device driver.Device, a *abi.Artefact, tier cpu.Tier) string {
	k, err := device.Load(a)
	if err != nil {
		return err.Error()
	}
	defer k.Close()
	got, refused := cpu.TierOf(k)
	if got == tier {
		return ""
	}
	// The reason of the way's own tier comes first.
	reason, _, _ := strings.Cut(errors.Join(refused).Error(), "\n")
	return fmt.Sprintf("%s (%s)", reason, got)
}

// agreement is what the tiers of the CPU device leave of a case in one configuration: in strict
// mode the same bits.
type agreement struct {
	way string // the first of them, or empty
	got [][]byte
}

// hold compares what a way left with what the first one did, and returns whether there was anything
// to compare.
func (a *agreement) hold(w *Way, c *difftest.Case, o Configuration, got [][]byte) (bool, error) {
	if !w.tier || o.Math != opt.MathStrict {
		return false, nil
	}
	if a.way == "" {
		a.way, a.got = w.Name, got
		return false, nil
	}
	for n := range got {
		if bytes.Equal(got[n], a.got[n]) {
			continue
		}
		at := 0
		for at < min(len(got[n]), len(a.got[n])) && got[n][at] == a.got[n][at] {
			at++
		}
		end := min(at&^3+4, len(got[n]), len(a.got[n]))
		return true, fmt.Errorf("%s: byte %d: %s leaves % x, found % x", c.Bindings[n].Name, at&^3, a.way, a.got[n][at&^3:end], got[n][at&^3:end])
	}
	return true, nil
}
