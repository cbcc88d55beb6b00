package check

import (
	"slices"
	"strings"

	"github.com/gpuc/gpuc/frontend/wgsl/suggest"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file checks directives and diagnostic filters (WGSL §2.3, §4).

// extension is a set of enable-extensions.
type extension uint16

const (
	extensionF16 extension = 1 << iota
	extensionSubgroups
	extensionClipDistances
	extensionDualSourceBlending
	extensionPrimitiveIndex
	extensionSubgroupSizeControl
	extensionAtomicPair
	extensionSubgroupMatrix
	extensionDebug
	extensionTile
)

// extensionRows are the extensions, with the extensions that each implies.
var extensionRows = [...]struct {
	name  string
	bits  extension
	needs string // the name in Options.Features
}{
	{"f16", extensionF16, "f16"},
	{"subgroups", extensionSubgroups, "subgroups"},
	{"clip_distances", extensionClipDistances, "clip_distances"},
	{"dual_source_blending", extensionDualSourceBlending, "dual_source_blending"},
	{"primitive_index", extensionPrimitiveIndex, "primitive_index"},
	{"subgroup_size_control", extensionSubgroupSizeControl | extensionSubgroups, "subgroup_size_control"},
	{"atomic_vec2u_min_max", extensionAtomicPair, "atomic_vec2u_min_max"},
	{subgroupMatrixName, extensionSubgroupMatrix, subgroupMatrixName},
	{syntax.DebugExtension, extensionDebug, syntax.DebugExtension},
	{tileExtension, extensionTile, tileExtension},
}

// Extensions returns the names of the enable-extensions.
func Extensions() (names []string) {
	for i := range extensionRows {
		names = append(names, extensionRows[i].name)
	}
	return names
}

// directives checks the directives of the file.
func (c *Checker) directives() {
	var filters []*syntax.Directive
	for i := range c.tree.Directives {
		d := &c.tree.Directives[i]
		switch d.Kind {
		case syntax.EnableDirective:
			for _, e := range c.tree.ExprList(d.Names) {
				c.enable(c.tree.Text(c.tree.Expr(e).Name), c.tree.Expr(e).Span)
			}
		case syntax.RequiresDirective:
			for _, e := range c.tree.ExprList(d.Names) {
				c.requireFeature(c.tree.Text(c.tree.Expr(e).Name), c.tree.Expr(e).Span)
			}
		case syntax.DiagnosticDirective:
			severity, rule, ok := c.diagnosticFilter(d.Names)
			known := !ok
			for _, other := range filters { // one for each rule
				otherSeverity, otherRule := c.tree.Filter(other.Names)
				if known = known || otherRule == rule; known {
					if ok && otherSeverity != severity {
						c.error(diag.InvalidDiagnosticFilter, d.Span, "two filters for "+rule+" contradict each other", diag.Note{Span: other.Span, Message: "the other one"})
					}
					break
				}
			}
			if !known {
				filters = append(filters, d)
			}
		}
	}
}

func (c *Checker) enable(name string, span source.Span) {
	for i := range extensionRows {
		row := &extensionRows[i]
		if row.name != name {
			continue
		}
		if !c.hasFeature(row.needs) {
			c.error(diag.UnknownExtension, span, "the device does not support the extension "+name)
		}
		c.enabled |= row.bits
		return
	}
	d := diag.Diagnostic{Code: diag.UnknownExtension, Span: span, Message: "there is no extension named `" + name + "`"}
	best := suggest.Best(name, len(extensionRows), func(i int) string { return extensionRows[i].name })
	if best.AddTo(&d); best.Word() == "" {
		d.Notes = append(d.Notes, diag.Note{Message: "the extensions are " + strings.Join(Extensions(), ", ")})
		c.unknownExtension = true // names that it may add are not reported
	}
	c.list.Add(d)
}

// isEnabled reports whether an extension is enabled.
func (c *Checker) isEnabled(name string) bool {
	for i := range extensionRows {
		if row := &extensionRows[i]; row.name == name {
			return c.enabled&row.bits == row.bits
		}
	}
	return false
}

// hasFeature reports whether the device has a feature. WebGPU spells some with hyphens, and f16 as
// shader-f16.
func (c *Checker) hasFeature(name string) bool {
	if c.options.Features == nil {
		return true
	}
	for _, f := range c.options.Features {
		f = strings.TrimPrefix(f, "shader-")
		if f = strings.ReplaceAll(f, "-", "_"); f == name || name == "subgroups" && f == "subgroup_size_control" {
			return true
		}
	}
	return false
}

func (c *Checker) requireFeature(name string, span source.Span) {
	if slices.Contains(LanguageFeatures, name) {
		return
	}
	d := diag.Diagnostic{Code: diag.UnknownExtension, Span: span, Message: "the language feature `" + name + "` is not supported"}
	best := suggest.Best(name, len(LanguageFeatures), func(i int) string { return LanguageFeatures[i] })
	if best.AddTo(&d); best.Word() == "" {
		d.Notes = append(d.Notes, diag.Note{Message: "the language features are " + strings.Join(LanguageFeatures, ", ")})
	}
	c.list.Add(d)
}

// diagnosticFilter checks a filter. Unknown rules are no error (WGSL §2.3.3).
func (c *Checker) diagnosticFilter(list syntax.List) (severity, rule string, ok bool) {
	severity, rule = c.tree.Filter(list)
	switch severity {
	case "error", "warning", "info", "off":
	case "":
		return "", "", false
	default:
		c.error(diag.InvalidDiagnosticFilter, c.tree.Expr(c.tree.ExprList(list)[0]).Span, "expected a severity: error, warning, info or off, found `"+severity+"`")
		return "", "", false
	}
	switch {
	case rule == "derivative_uniformity" || rule == "subgroup_uniformity":
	case strings.Contains(rule, "."): // of another implementation
	default:
		c.list.Add(diag.Diagnostic{Code: diag.InvalidDiagnosticFilter, Severity: diag.Warning, Span: c.tree.Expr(c.tree.ExprList(list)[1]).Span,
			Message: "there is no diagnostic rule `" + rule + "`"})
	}
	return severity, rule, true
}

// diagnosticAttribute checks a @diagnostic against those before it.
func (c *Checker) diagnosticAttribute(before []syntax.Attribute, a *syntax.Attribute) {
	severity, rule, ok := c.diagnosticFilter(a.Arguments)
	for i := range before {
		if c.tree.Source(before[i].NameSpan) != "diagnostic" || !ok {
			continue
		}
		if otherSeverity, otherRule := c.tree.Filter(before[i].Arguments); otherRule == rule {
			if otherSeverity == severity {
				c.error(diag.InvalidDiagnosticFilter, a.Span, "the filter is here twice", diag.Note{Span: before[i].Span, Message: "first here"})
				continue
			}
			c.error(diag.InvalidDiagnosticFilter, a.Span, "two filters for "+rule+" contradict each other", diag.Note{Span: before[i].Span, Message: "the other one"})
		}
	}
}
