package codegen

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/runtime/abi"
)

// A Profile is what of a target code may use: a version of its language, and the machines
// that have it. A program asks for one behind the target's name, as in ptx:sm_90a; without
// one, code runs on all devices of the target, and a device's limits are looked at when
// the kernel is loaded.
type Profile struct {
	Name string
	Doc  string // which devices have it
	// Version is that of the language, as the target counts, and Machine that of the
	// devices, a higher one having what a lower one has.
	Version, Machine uint32
	// Exact says that only devices of just this number run the code, and not those above.
	Exact bool
	// WorkgroupBytes is how much workgroup memory the devices grant a workgroup, or 0
	// where that does not depend on the profile.
	WorkgroupBytes uint32
	// Subgroup is the size that all subgroups have, where it depends on the profile; see Target.Subgroup.
	Subgroup uint32
}

// With returns the target with one of its profiles. An error says which there are.
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

// Highest returns the target with the highest profile that a device runs, for code that no
// other device will see: the device counts as driver.Info.Profile does, by machines where
// the target has them and by versions where it has not. It is the target itself if no
// profile is that low, or there are none; exact ones bring nothing yet, except to targets that have no others and say
// what runs them.
func (t *Target) Highest(device uint32) *Target {
	t = t.orNone()
	highest := *t
	for n := range t.Profiles {
		p := &t.Profiles[n]
		if t.Runs != nil && t.Runs(device, p.Name) {
			highest.Profile = p
			break
		}
		if !p.Exact && cmp.Or(p.Machine, p.Version) <= device {
			highest.Profile = p
		}
	}
	return &highest
}

// Written returns the profile that code is written in, which is nil for targets without any.
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

// none is what is asked in place of a target that is nil.
var none Target

// orNone returns the target or, of nil, one that has nothing.
func (t *Target) orNone() *Target {
	if t == nil {
		return &none
	}
	return t
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

// checkProfile reports what a kernel needs and the target's profile does not have or, if none was asked for, no profile has.
func checkProfile(t *Target, f *ir.Func, k *abi.Kernel, list *diag.List) {
	grants := func(p *Profile) bool { return p.WorkgroupBytes == 0 || k.WorkgroupBytes <= p.WorkgroupBytes }
	if t.Profile == nil {
		most := uint32(0)
		for n := range t.Profiles {
			if grants(&t.Profiles[n]) {
				return
			}
			most = max(most, t.Profiles[n].WorkgroupBytes)
		}
		if most > 0 {
			list.Add(diag.Diagnostic{Code: diag.TargetLimit, Span: f.Span, Message: fmt.Sprintf("`%s` uses %d bytes of workgroup memory; target %s has at most %d",
				f.Name, k.WorkgroupBytes, t.Name, most)})
		}
		return
	}
	if grants(t.Profile) {
		return
	}
	d := diag.Diagnostic{Code: diag.TargetLimit, Span: f.Span, Message: fmt.Sprintf("`%s` uses %d bytes of workgroup memory; %s has %d",
		f.Name, k.WorkgroupBytes, t.Title(), t.Profile.WorkgroupBytes)}
	above := t.least(func(p *Profile) bool { return grants(p) && p.Machine > t.Profile.Machine })
	if least := cmp.Or(above, t.least(grants)); least != "" {
		d.Notes = append(d.Notes, diag.Note{Message: least + " has as much"})
	}
	list.Add(d)
}
