package main

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

// generalWarning finds what WGSL's front end says of a kernel's workgroup memory: that not every
// device of WebGPU has so much.
func generalWarning(list []diag.Diagnostic, f *ir.Func) int {
	return slices.IndexFunc(list, func(d diag.Diagnostic) bool { return d.Code == diag.LimitExceeded && d.Span == f.Span })
}

// warnOfShortage warns that a target has devices that do not grant a compiled kernel its memory.
func (b *sourceBuild) warnOfShortage(entry string, t *codegen.Target, bytes uint64) {
	s := t.Shortage(bytes)
	kernels := b.program.module.Kernels()
	n := slices.IndexFunc(kernels, func(f *ir.Func) bool { return f.Name == entry })
	if s == nil || s.Refused || n < 0 {
		return
	}
	f := kernels[n]
	if t.Guaranteed.Bytes > 0 && generalWarning(b.program.shown, f) >= 0 {
		return // that has the same limit
	}
	b.say(s.Diagnostic(f, bytes))
}

// warnOfShortages says of kernels that some profile's devices refuse which those are, for all
// targets. Where a warning of the memory is there already, it adds to that.
func (p *program) warnOfShortages() {
	if p.module == nil || p.list.Errors() > 0 {
		return
	}
	for _, f := range p.module.Kernels() {
		bytes := codegen.WorkgroupMemory(p.module, f.Name)
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
		if n := generalWarning(p.list.Items(), f); n >= 0 {
			d := &p.list.Items()[n]
			d.Notes = append(d.Notes, notes...)
			continue
		}
		p.list.Add(diag.Diagnostic{Code: diag.TargetLimit, Severity: diag.Warning, Span: f.Span, Notes: notes,
			Message: fmt.Sprintf("`%s` uses %d bytes of workgroup memory, more than some devices have", f.Name, bytes)})
	}
}
