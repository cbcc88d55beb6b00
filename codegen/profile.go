package codegen

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// A Profile is a version of a target's language, and the machines that have it. It is named after
// the target, as in ptx:sm_90a. Without one, code runs on all devices of the target. A device's
// limits are checked when the kernel is loaded.
type Profile struct {
	Name string
	Doc  string // which devices have it
	// Version is that of the language, in the target's encoding, and Machine that of the devices. A
	// higher one includes the lower ones.
	Version, Machine uint32
	// Exact says that only devices of this machine run the code, and not those above.
	Exact bool
	// Feature is what devices have that run the code, beside the version or the machine, or "".
	Feature abi.Feature
	// WorkgroupBytes is the workgroup memory of the devices, or 0 if it does not depend on the
	// profile.
	WorkgroupBytes uint32
	// Subgroup is the size of all subgroups, if it depends on the profile; see Target.Subgroup.
	Subgroup uint32
	// Fragments are the products of fragments that the devices have instructions for.
	Fragments []ir.FragmentProduct
	// FragmentTable says how invocations hold the fragments of these products, or is nil if the
	// target's own compiler does.
	FragmentTable *ir.FragmentTable
	// FragmentSubgroup is the size of the subgroups whose fragments Emit writes, if those of a
	// kernel are of these products. It is 0 if fragments always become arrays.
	FragmentSubgroup uint32
	// FragmentWords says that Emit writes loads of such fragments from arrays of vec4<u32> in
	// workgroup memory, and the intrinsic LoadWords.
	FragmentWords bool
	// Copies says that the devices have asynchronous copies to workgroup memory (cp.async).
	Copies bool
}

// With returns the target with one of its profiles. An error lists the profiles.
func (t *Target) With(profile string) (*Target, error) {
	t = t.orNone()
	var names []string
	for n := range t.Profiles {
		if t.Profiles[n].Name == profile {
			with := *t
			with.Profile = &t.Profiles[n]
			return &with, nil
		}
		names = append(names, t.Profiles[n].Name)
	}
	if names == nil {
		return nil, fmt.Errorf("target %s has no profiles, found `%s`", t.Name, profile)
	}
	return nil, fmt.Errorf("target %s has no profile `%s`; its profiles are %s", t.Name, profile, strings.Join(names, ", "))
}

// Highest returns the target with the highest profile that a device runs, for code for that device
// only. The device is given as in driver.Info.Profile: by machine if the target has machines, and
// else by version. The result is the target itself if no profile is that low, or there are none.
// Exact profiles are not chosen, except for targets with Runs, and if the device has their feature.
func (t *Target) Highest(device uint32, features ...abi.Feature) *Target {
	t = t.orNone()
	highest := *t
	for n := range t.Profiles {
		p := &t.Profiles[n]
		if t.Runs != nil && t.Runs(device, p.Name) {
			highest.Profile = p
			break
		}
		has := p.Feature != "" && slices.Contains(features, p.Feature)
		if (!p.Exact || has) && cmp.Or(p.Machine, p.Version) <= device {
			highest.Profile = p
		}
	}
	return &highest
}

// Written returns the profile that code is written for, which is nil for targets without any.
func (t *Target) Written() *Profile {
	t = t.orNone()
	if t.Profile == nil && len(t.Profiles) > 0 {
		return &t.Profiles[0]
	}
	return t.Profile
}

// subgroup returns the size that all subgroups have, or 0.
func (t *Target) subgroup() uint32 {
	if p := t.Written(); p != nil && p.Subgroup != 0 {
		return p.Subgroup
	}
	return t.Subgroup
}

// none replaces a target that is nil.
var none Target

// orNone returns the target, or an empty one if it is nil.
func (t *Target) orNone() *Target {
	if t == nil {
		return &none
	}
	return t
}

// setFragments notes what fragments a target has.
func (t *Target) setFragments(c *opt.Context) {
	c.Fragments, c.FragmentTable, c.FragmentSubgroup, c.FragmentWords = nil, nil, 0, false
	if p := t.Written(); p != nil {
		c.Fragments, c.FragmentTable = p.Fragments, p.FragmentTable
		c.FragmentSubgroup, c.FragmentWords = p.FragmentSubgroup, p.FragmentWords
	}
}

// copyBytes returns how much workgroup memory asynchronous copies may use, or 0.
func (t *Target) copyBytes() uint32 {
	if p := t.Written(); p != nil && p.Copies {
		return p.WorkgroupBytes
	}
	return 0
}

// workgroupLimit returns the workgroup memory of all devices that the code is for, or 0 if they
// differ.
func (t *Target) workgroupLimit() (bytes uint32) {
	if t.Profile != nil {
		return t.Profile.WorkgroupBytes
	}
	for n := range t.Profiles {
		if p := &t.Profiles[n]; n > 0 && p.WorkgroupBytes != bytes {
			return 0
		} else {
			bytes = p.WorkgroupBytes
		}
	}
	return bytes
}

// Title is the target's name with its profile, if it has one.
func (t *Target) Title() string {
	t = t.orNone()
	if t.Profile == nil {
		return string(t.Name)
	}
	return string(t.Name) + ":" + t.Profile.Name
}

// least returns the lowest profile for which a condition holds, with its target's name, or "".
func (t *Target) least(holds func(*Profile) bool) string {
	for n := range t.Profiles {
		if p := &t.Profiles[n]; holds(p) {
			return string(t.Name) + ":" + p.Name
		}
	}
	return ""
}

// A Shortage says that devices of a target do not grant a kernel its workgroup memory.
type Shortage struct {
	Message string // the devices, and how much they have
	Note    string // the devices with enough, or ""
	Refused bool   // by all devices that the code is for
}

// Shortage compares an amount of workgroup memory with that of the target's devices: those of its
// profile, or of all profiles if none was chosen. It is nil if all have as much.
func (t *Target) Shortage(bytes uint64) *Shortage {
	t = t.orNone()
	grants := func(p *Profile) bool { return p.WorkgroupBytes == 0 || bytes <= uint64(p.WorkgroupBytes) }
	if p := t.Profile; p != nil && p.WorkgroupBytes > 0 {
		if grants(p) {
			return nil
		}
		s := &Shortage{Message: fmt.Sprintf("%s has %d", t.Title(), p.WorkgroupBytes), Refused: true}
		above := t.least(func(p *Profile) bool { return grants(p) && p.Machine > t.Profile.Machine })
		if least := cmp.Or(above, t.least(grants)); least != "" {
			s.Note = least + " has as much"
		}
		return s
	}
	var granting []string
	var lacking *Profile
	most := uint32(0)
	for n := range t.Profiles {
		switch p := &t.Profiles[n]; {
		case !grants(p):
			most = max(most, p.WorkgroupBytes)
			if lacking == nil || p.WorkgroupBytes < lacking.WorkgroupBytes {
				lacking = p
			}
		case !p.Exact:
			granting = append(granting, p.Name)
		}
	}
	switch {
	case lacking != nil && granting == nil:
		return &Shortage{Message: fmt.Sprintf("target %s has at most %d", t.Name, most), Refused: true}
	case lacking != nil:
		return &Shortage{
			Message: fmt.Sprintf("%s:%s has %d", t.Name, lacking.Name, lacking.WorkgroupBytes),
			Note:    fmt.Sprintf("profiles of target %s with as much are %s", t.Name, strings.Join(granting, ", ")),
		}
	case t.Guaranteed.Bytes > 0 && bytes > uint64(t.Guaranteed.Bytes):
		return &Shortage{
			Message: fmt.Sprintf("%s guarantees %d", t.Guaranteed.By, t.Guaranteed.Bytes),
			Note:    fmt.Sprintf("a device of target %s says how much it has in its limit %s", t.Name, t.Guaranteed.Limit),
		}
	}
	return nil
}

// Guarantee is the workgroup memory that all devices of a target have, if its profiles do not
// define it.
type Guarantee struct {
	Bytes     uint32
	By, Limit string // the standard, and its name for what a device grants
}

// checkProfile reports a shortage of workgroup memory in the target's profile or, if none was
// chosen, in all profiles.
func checkProfile(t *Target, f *ir.Func, k *abi.Kernel, tiles []opt.TileMemory, list *diag.List) {
	s := t.Shortage(uint64(k.WorkgroupBytes))
	if s == nil || !s.Refused {
		return
	}
	d := s.Diagnostic(f, uint64(k.WorkgroupBytes))
	if note, ok := largestTile(tiles, int(k.WorkgroupBytes), int(t.workgroupLimit())); ok {
		d.Notes = append([]diag.Note{note}, d.Notes...)
	}
	list.Add(d)
}

// largestTile describes the tile with the most workgroup memory in a kernel that takes used bytes,
// of which limit are allowed. It says what shape would fit.
func largestTile(tiles []opt.TileMemory, used, limit int) (n diag.Note, ok bool) {
	if len(tiles) == 0 || limit == 0 {
		return n, false
	}
	x := slices.MaxFunc(tiles, func(a, b opt.TileMemory) int { return cmp.Compare(a.Bytes, b.Bytes) })
	n.Span = x.Span
	n.Message = fmt.Sprintf("the tile of %d×%d %s, %d bytes, has %d bytes of workgroup memory at a time",
		x.Rows, x.Columns, x.Element, x.Rows*x.Columns*x.Element.Bytes(), x.Bytes)
	left := limit - (used - x.Bytes)
	rows := x.Rows
	for rows > 1 && x.Bytes*rows/x.Rows > left {
		rows = (rows + 1) / 2
	}
	if bytes := x.Bytes * rows / x.Rows; bytes <= left && rows < x.Rows {
		n.Message += fmt.Sprintf("; one of %d×%d would have %d, and the kernel %d", rows, x.Columns, bytes, used-x.Bytes+bytes)
	} else {
		n.Message += fmt.Sprintf("; the kernel's own variables and other tiles have %d, so that no smaller tile fits", used-x.Bytes)
	}
	return n, true
}

// Diagnostic returns an error if all devices refuse the kernel, and else a warning.
func (s *Shortage) Diagnostic(f *ir.Func, bytes uint64) diag.Diagnostic {
	if s == nil || f == nil {
		return diag.Diagnostic{}
	}
	d := diag.Diagnostic{Code: diag.TargetLimit, Span: f.Span, Message: fmt.Sprintf("`%s` uses %d bytes of workgroup memory; %s", f.Name, bytes, s.Message)}
	if !s.Refused {
		d.Severity = diag.Warning
	}
	if s.Note != "" {
		d.Notes = append(d.Notes, diag.Note{Message: s.Note})
	}
	return d
}

// WorkgroupMemory returns the bytes of workgroup memory that a kernel of a module uses with the
// default values of its overrides, or 0 if that is unknown.
func WorkgroupMemory(m *ir.Module, kernel string) uint64 {
	if m == nil || workgroupBytes(m) == 0 {
		return 0
	}
	m = m.Clone()
	limits := DeviceLimits
	limits.WorkgroupBytes = math.MaxUint64
	if Prepare(m, kernel, nil, &limits, nil) == nil {
		return 0
	}
	return workgroupBytes(m)
}
