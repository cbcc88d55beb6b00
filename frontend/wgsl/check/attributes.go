package check

import (
	"math/bits"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/suggest"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/frontend/wgsl/types"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file reads attributes (WGSL §12): which exist, on what each is allowed, and with how many
// arguments. The arguments themselves are checked by the users of the attributes.

// attribute is a known attribute.
type attribute uint8

const (
	attributeAlign attribute = iota
	attributeBinding
	attributeBlendSource
	attributeBuiltin
	attributeCompute
	attributeConst
	attributeDiagnostic
	attributeFragment
	attributeGroup
	attributeID
	attributeInterpolate
	attributeInvariant
	attributeLocation
	attributeMustUse
	attributeSize
	attributeVertex
	attributeWorkgroupSize
	attributeSubgroupSize
	attributeCount
)

// target is a set of syntax elements that have attributes.
type target uint8

const (
	onMember target = 1 << iota
	onParameter
	onResult
	onVariable
	onOverride
	onFunction
	onStatement
)

// String names the first element of the set.
func (p target) String() string {
	return [...]string{"a structure member", "a parameter", "a result", "a variable", "an override", "a function",
		"a statement"}[bits.TrailingZeros(uint(p))]
}

const onInterface = onMember | onParameter | onResult

// attributeRows is the table of attributes.
var attributeRows = [attributeCount]struct {
	name        string
	least, most int
	targets     target
}{
	attributeAlign:         {"align", 1, 1, onMember},
	attributeBinding:       {"binding", 1, 1, onVariable},
	attributeBlendSource:   {"blend_src", 1, 1, onInterface},
	attributeBuiltin:       {"builtin", 1, 2, onInterface},
	attributeCompute:       {"compute", 0, 0, onFunction},
	attributeConst:         {"const", 0, 0, 0},
	attributeDiagnostic:    {"diagnostic", 2, 2, onFunction | onStatement},
	attributeFragment:      {"fragment", 0, 0, onFunction},
	attributeGroup:         {"group", 1, 1, onVariable},
	attributeID:            {"id", 1, 1, onOverride},
	attributeInterpolate:   {"interpolate", 1, 2, onInterface},
	attributeInvariant:     {"invariant", 0, 0, onInterface},
	attributeLocation:      {"location", 1, 1, onInterface},
	attributeMustUse:       {"must_use", 0, 0, onFunction},
	attributeSize:          {"size", 1, 1, onMember},
	attributeVertex:        {"vertex", 0, 0, onFunction},
	attributeWorkgroupSize: {"workgroup_size", 1, 3, onFunction},
	attributeSubgroupSize:  {"subgroup_size", 1, 1, onFunction},
}

// AttributeNames returns the names of all attributes.
func AttributeNames() (names []string) {
	for i := range attributeRows {
		names = append(names, attributeRows[i].name)
	}
	return names
}

// foreignAttributes are the names of attributes in older WGSL and other languages.
var foreignAttributes = diag.Words{
	{"stage", "compute"}, {"kernel", "compute"}, {"compute_shader", "compute"},
	{"numthreads", "workgroup_size(64, 1, 1)"}, {"local_size", "workgroup_size(64, 1, 1)"}, {"set", "group(0)"}, {"offset", "align or @size"},
}

// attributeSet is the attributes of one syntax element.
type attributeSet struct {
	at [attributeCount]*syntax.Attribute
	// failed are the attributes that are present and in error.
	failed [attributeCount]bool
}

func (s *attributeSet) has(a attribute) bool { return s.at[a] != nil }

// tried reports whether an attribute is present, in error or not.
func (s *attributeSet) tried(a attribute) bool { return s.at[a] != nil || s.failed[a] }

// span returns the span of an attribute.
func (s *attributeSet) span(a attribute) source.Span { return s.at[a].Span }

// attributeNamed returns the attribute of a name, or attributeCount.
func attributeNamed(name string) attribute {
	for k := range attributeRows {
		if attributeRows[k].name == name {
			return attribute(k)
		}
	}
	return attributeCount
}

// readAttributes reads the attributes of a syntax element. The set is valid until the next call.
func (c *Checker) readAttributes(list syntax.List, where target) *attributeSet {
	s := &c.attributes
	*s = attributeSet{}
	attributes := c.tree.AttributeList(list)
	for i := range attributes {
		a := &attributes[i]
		name := c.tree.Source(a.NameSpan)
		kind := attributeNamed(name)
		if kind == attributeCount {
			d := diag.Diagnostic{Code: diag.UnknownAttribute, Span: a.NameSpan, Message: "there is no attribute `" + name + "`"}
			arguments := c.tree.ExprList(a.Arguments)
			if text, ok := foreignAttributes.Find(name); ok {
				if name == "stage" && len(arguments) == 1 {
					text = c.tree.Source(c.tree.Expr(arguments[0]).Span)
				}
				d.Notes = append(d.Notes, diag.Note{Message: "in WGSL this is @" + text})
				for _, stage := range []attribute{attributeCompute, attributeVertex, attributeFragment} {
					// further arguments would be lost
					if attributeRows[stage].name == text && len(arguments) < 2 {
						written := "@" + text
						// in brackets, the syntax before 2022
						if !strings.HasPrefix(c.tree.Source(a.Span), "@") {
							written = text
						}
						d.Fixes = append(d.Fixes, diag.Fix{Kind: diag.FixStage, Span: a.Span, Text: written, Message: "write " + written})
						s.at[stage] = a
					}
				}
			} else {
				best := suggest.Best(name, len(attributeRows), func(i int) string { return attributeRows[i].name })
				best.AddTo(&d)
				if meant := attributeNamed(best.Word()); meant != attributeCount {
					s.failed[meant] = true
				}
			}
			if !c.foreign(&d) {
				c.list.Add(d)
			}
			for _, e := range arguments {
				c.info.Exprs[e] = sem.ExprInfo{}
			}
			continue
		}
		row := &attributeRows[kind]
		count := int(a.Arguments.Len)
		switch {
		case row.targets&where == 0:
			c.error(diag.InvalidAttribute, a.Span, "@"+name+" does not belong on "+where.String())
		case kind == attributeDiagnostic:
			c.diagnosticAttribute(attributes[:i], a)
		case s.at[kind] != nil:
			c.error(diag.InvalidAttribute, a.Span, "@"+name+" is here twice", diag.Note{Span: s.at[kind].Span, Message: "first here"})
		case count < row.least || count > row.most:
			want := diag.Plural(row.most, "argument")
			if row.least < row.most {
				want = strconv.Itoa(row.least) + " to " + want
			}
			s.failed[kind] = true
			c.error(diag.InvalidAttribute, a.Span, "@"+name+" takes "+want+", found "+itoa(uint64(count)))
		case row.most == 0 && a.HasParens:
			s.failed[kind] = true
			c.error(diag.InvalidAttribute, a.Span, "@"+name+" takes no arguments and no parentheses")
		case kind == attributeSubgroupSize && c.enabled&extensionSubgroupSizeControl == 0:
			c.error(diag.MissingExtension, a.Span, "@subgroup_size needs the extension subgroup_size_control")
		case kind == attributeBlendSource && c.enabled&extensionDualSourceBlending == 0:
			c.error(diag.MissingExtension, a.Span, "@blend_src needs the extension dual_source_blending")
		default:
			s.at[kind] = a
		}
	}
	return s
}

// attributeInteger evaluates the argument of an attribute that must be a constant integer of at
// least least.
func (c *Checker) attributeInteger(a *syntax.Attribute, least int64) (uint32, bool) {
	e := c.tree.ExprList(a.Arguments)[0]
	what := func() string { return "the argument of @" + c.tree.Source(a.NameSpan) }
	x, ok := c.constInteger(e, what)
	if !ok {
		return 0, false
	}
	if x < least {
		c.error(diag.InvalidAttribute, c.tree.Expr(e).Span, what()+" must be at least "+constInt(least)+", found "+constInt(x))
		return 0, false
	}
	return uint32(x), true
}

// attributeWord returns the i-th argument, which must be a context-dependent name.
func (c *Checker) attributeWord(a *syntax.Attribute, i int) (string, source.Span, bool) {
	n := c.tree.Expr(c.tree.ExprList(a.Arguments)[i])
	if n.Kind != syntax.IdentExpr || n.HasTemplate {
		c.error(diag.InvalidAttribute, n.Span, "the arguments of @"+c.tree.Source(a.NameSpan)+" are names, found an expression")
		return "", n.Span, false
	}
	return c.tree.Text(n.Name), n.Span, true
}

// memberLayout returns the @align and @size of a structure member in bytes, 0 for none.
func (c *Checker) memberLayout(s *attributeSet, t ir.Type) (align, size uint32) {
	m := c.module
	if a := s.at[attributeAlign]; a != nil {
		switch v, ok := c.attributeInteger(a, 1); {
		case !ok:
		case v&(v-1) != 0:
			c.error(diag.InvalidAttribute, a.Span, "an alignment is a power of two, found "+itoa(uint64(v)))
		case t != ir.Void && v%m.Align(t) != 0:
			c.error(diag.InvalidAttribute, a.Span, "the alignment must be a multiple of that of "+c.types.Name(t)+", which is "+itoa(uint64(m.Align(t)))+", found "+itoa(uint64(v)))
		default:
			align = v
		}
	}
	if a := s.at[attributeSize]; a != nil {
		switch v, ok := c.attributeInteger(a, 1); {
		case !ok || t == ir.Void:
		case !c.types.Is(t, types.CreationFixed):
			c.error(diag.InvalidAttribute, a.Span, "@size needs a type whose size is a constant, found "+c.types.Name(t))
		case v < m.Size(t):
			c.error(diag.InvalidAttribute, a.Span, "the size must be at least that of "+c.types.Name(t)+", which is "+itoa(uint64(m.Size(t)))+", found "+itoa(uint64(v)))
		default:
			size = v
		}
	}
	return align, size
}
