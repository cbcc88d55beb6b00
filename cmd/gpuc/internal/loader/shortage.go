package loader

import (
	"fmt"
	"slices"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
)

// GeneralWarning returns the index of the front end's warning that a kernel has more workgroup
// memory than every device of WebGPU has, or -1.
func GeneralWarning(list []diag.Diagnostic, f *ir.Func) int {
	return slices.IndexFunc(list, func(d diag.Diagnostic) bool { return d.Code == diag.LimitExceeded && d.Span == f.Span })
}

// WarnOfShortages warns of kernels with more workgroup memory than the devices of some target's
// profile have. If there is a warning about the memory already, it adds notes to that.
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
			continue // all profiles have enough
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
