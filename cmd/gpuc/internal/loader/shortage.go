package loader

import (
	"fmt"
	"slices"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
)

// This file warns of kernels with more workgroup memory than some devices grant, before a device
// refuses to load them.

// GeneralWarning finds what WGSL's front end says of a kernel's workgroup memory: that not every
// device of WebGPU has so much.
func GeneralWarning(list []diag.Diagnostic, f *ir.Func) int {
	return slices.IndexFunc(list, func(d diag.Diagnostic) bool { return d.Code == diag.LimitExceeded && d.Span == f.Span })
}

// WarnOfShortages says of kernels that some profile's devices refuse which those are, for all
// targets. Where a warning of the memory is there already, it adds to that.
func (p *Program) WarnOfShortages() {
	if p.Module == nil || p.List.Errors() > 0 {
		return
	}
	for _, f := range p.Module.Kernels() {
		bytes := codegen.WorkgroupMemory(p.Module, f.Name)
		var notes []diag.Note
		known := false
		for _, t := range all.Targets {
			if s := t.Shortage(bytes); s != nil {
				known = known || t.Guaranteed.Bytes == 0
				text := s.Message
				if s.Note != "" {
					text += "; " + s.Note
				}
				notes = append(notes, diag.Note{Message: text})
			}
		}
		if !known {
			continue // no profile is short of it
		}
		if n := GeneralWarning(p.List.Items(), f); n >= 0 {
			d := &p.List.Items()[n]
			d.Notes = append(d.Notes, notes...)
			continue
		}
		p.List.Add(diag.Diagnostic{Code: diag.TargetLimit, Severity: diag.Warning, Span: f.Span, Notes: notes,
			Message: fmt.Sprintf("`%s` uses %d bytes of workgroup memory, more than some devices have", f.Name, bytes)})
	}
}
