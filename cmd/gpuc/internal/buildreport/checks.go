package buildreport

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/textfmt"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// checkForm is an access whose index is not proved to be in bounds.
type checkForm struct {
	Location *diag.LocationForm `json:"place,omitempty"`
	Access   string             `json:"access"`
	Reads    bool               `json:"reads"`
	Writes   bool               `json:"writes"`
	Copies   int                `json:"copies"`
	Reason   string             `json:"reason"`
}

// addChecks reports the accesses whose indices are kept in bounds.
func (f *Report) addChecks(m *Artefact) {
	if why := m.Report.NoTensor; why != "" {
		f.NoTensor = why
		f.say("no variant with tensor maps: %s", why)
	}
	if title := m.Report.Unmapped; title != "" {
		f.say("variant for %s: units for matrices multiply f64, and there are no tensor maps", title)
	}
	switch s := &m.Report.Survey; {
	case !s.Guards:
		f.Unchecked = "whoever runs this code keeps accesses in bounds, and not the code"
	case s.Off:
		f.Unchecked = "accesses are not checked, by -bounds=off"
	}
	if f.Unchecked != "" {
		f.say("%s", f.Unchecked)
		return
	}
	for n := range m.Report.Checks {
		c := &m.Report.Checks[n]
		f.Checks = append(f.Checks, checkForm{diag.LocationOf(m.Set, c.Access), textAt(m.Set, c.Access), c.Reads, c.Writes, c.Copies, reasonOf(c, m.Set)})
	}
	slices.SortStableFunc(f.Checks, func(a, b checkForm) int { // by position
		if a.Location == nil || b.Location == nil {
			return 0
		}
		return cmp.Or(strings.Compare(a.Location.File, b.Location.File), cmp.Compare(a.Location.Offset, b.Location.Offset))
	})
	switch len(f.Checks) {
	case 0:
		f.say("all accesses are proved to be in bounds")
	case 1:
		f.say("1 access is not proved to be in bounds:")
	default:
		f.say("%d accesses are not proved to be in bounds:", len(f.Checks))
	}
	for n := range f.Checks {
		c := &f.Checks[n]
		text := ""
		if c.Access != "" {
			text = "`" + c.Access + "` "
		}
		f.say("  %s%s%s: %s", position(c.Location), text, c.guard(), c.Reason)
	}
}

// position is the beginning of a message about a location in the source.
func position(p *diag.LocationForm) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d: ", p.File, p.Line, p.Column)
}

// productForm is a product of tiles. Its operands are in so many stages, and the reason says why
// there is one.
type productForm struct {
	Location *diag.LocationForm `json:"place,omitempty"`
	Element  string             `json:"element"`
	Shape    [3]int             `json:"shape"` // rows, columns, columns of the first operand
	Unit     []int              `json:"unit,omitempty"`
	NoUnit   string             `json:"noUnit,omitempty"`
	Stages   int                `json:"stages"`
	Reason   string             `json:"reason,omitempty"`
}

// addProducts reports how products of tiles are computed, and how their operands come to workgroup
// memory.
func (f *Report) addProducts(m *Artefact) {
	for _, p := range m.Report.Products {
		x := productForm{diag.LocationOf(m.Set, p.Span), p.Element.String(), [3]int{p.Rows, p.Columns, p.Depth}, nil, p.NoUnit, max(p.Stages, 1), p.Why}
		unit := "the invocations multiply, without instructions for fragments: " + p.NoUnit
		if u := &p.Unit; p.NoUnit == "" {
			x.Unit = []int{u.Rows, u.Columns, u.Depth}
			unit = fmt.Sprintf("instructions multiply %d×%d×%d", u.Rows, u.Columns, u.Depth)
		}
		stages := fmt.Sprintf("operands are in %d stages, which asynchronous copies bring", x.Stages)
		if p.Why != "" {
			stages = "operands are in one stage, for which products wait: " + p.Why
		}
		f.say("%sproduct of %d×%d×%d %s: %s; %s", position(x.Location), p.Rows, p.Columns, p.Depth, p.Element, unit, stages)
		f.Products = append(f.Products, x)
	}
	f.addTiles(m)
	f.addTensor(m.Report.Tensor)
}

// tileForm is a tile that has workgroup memory.
type tileForm struct {
	Location *diag.LocationForm `json:"place,omitempty"`
	Element  string             `json:"element"`
	Shape    [2]int             `json:"shape"`
	Bytes    int                `json:"bytes"`     // of all elements
	Memory   int                `json:"workgroup"` // of workgroup memory, at a time
}

// addTiles reports how large the tiles are that go through workgroup memory.
func (f *Report) addTiles(m *Artefact) {
	for _, t := range m.Report.Tiles {
		x := tileForm{diag.LocationOf(m.Set, t.Span), t.Element.String(), [2]int{t.Rows, t.Columns}, t.Rows * t.Columns * t.Element.Bytes(), t.Bytes}
		f.Tiles = append(f.Tiles, x)
		f.say("%stile of %d×%d %s, %d bytes: %d bytes of workgroup memory at a time, with padding", position(x.Location), t.Rows, t.Columns, t.Element, x.Bytes, x.Memory)
	}
}

// tensorForm is a variant with tensor maps.
type tensorForm struct {
	Consumers int `json:"consumers"`
	// Registers are those of an invocation that produces, and of one that consumes.
	Registers [2]int     `json:"registers"`
	Rings     []ringForm `json:"rings"`
	Swizzle   int        `json:"swizzle"`
	Bytes     int        `json:"bytes"`
	Resident  int        `json:"workgroups"`
}

// ringForm is a ring of stages.
type ringForm struct {
	Stages int `json:"stages"`
	Bytes  int `json:"bytes"`
}

// addTensor reports the roles and rings of a variant with tensor maps.
func (f *Report) addTensor(t *opt.TensorForm) {
	if t == nil {
		return
	}
	form := &tensorForm{t.Consumers, [2]int{t.ProducerRegisters, t.ConsumerRegisters}, []ringForm{}, t.Swizzle, t.Bytes, t.Resident}
	rings := ""
	for _, r := range t.Rings {
		form.Rings = append(form.Rings, ringForm(r))
		rings += fmt.Sprintf(", a ring of %s of %d bytes", diag.Plural(r.Stages, "stage"), r.Bytes)
	}
	f.Tensor = form
	f.say("variant with tensor maps: a warpgroup produces with %d registers, %s with %d%s; a swizzle of %d bytes; %d bytes of workgroup memory, for %s of a multiprocessor",
		t.ProducerRegisters, map[bool]string{true: "another consumes", false: fmt.Sprintf("%d consume", t.Consumers)}[t.Consumers == 1], t.ConsumerRegisters, rings, t.Swizzle, t.Bytes, diag.Plural(t.Resident, "workgroup"))
	f.say("the variant is for launches whose matrices begin, and have rows, at multiples of %d bytes, with columns side by side; others run the code without tensor maps", abi.TensorMapUnit)
}

// callForm is a function that is not inlined, although its calls keep variables in memory.
type callForm struct {
	Location     *diag.LocationForm `json:"place,omitempty"`
	Function     string             `json:"function"`
	Instructions int                `json:"instructions"`
	Limit        int                `json:"most"`
}

// addCalls reports the functions that are called with the addresses of variables, which therefore
// stay in memory.
func (f *Report) addCalls(m *Artefact) {
	for _, c := range m.Report.Calls {
		f.Calls = append(f.Calls, callForm{diag.LocationOf(m.Set, c.Span), c.Function, c.Instructions, c.Most})
		f.say("%s`%s` is called, and the variables that it takes by address stay in memory: inlined and unrolled, the code would have about %d instructions, and %d is the limit",
			position(diag.LocationOf(m.Set, c.Span)), c.Function, c.Instructions, c.Most)
	}
}

// guard says how an access is kept in bounds.
func (c *checkForm) guard() string {
	text := "is clamped"
	switch {
	case c.Reads && c.Writes:
		text = "is clamped where it is read, and tested where it is written"
	case c.Writes:
		text = "is tested"
	}
	if c.Copies > 1 {
		text += fmt.Sprintf(", in %d copies of the code", c.Copies)
	}
	return text
}

// shownText is the maximum length of an expression in a report.
const shownText = 48

// textAt returns the source text of a span. In Go a span is one byte: the beginning of a name, or
// an operator. The text is then the name, or for a bracket the expression before it and in it. For
// other operators it is "".
func textAt(set *source.Set, span source.Span) string {
	text := set.Text(span)
	if len(text) != 1 {
		return textfmt.OneLine(text, shownText)
	}
	f := set.File(span.Start)
	start := int(span.Start - f.Base)
	end := start
	for end < len(f.Text) && isNamed(f.Text[end]) {
		end++
	}
	if end > start {
		return textfmt.OneLine(f.Text[start:end], shownText)
	}
	if end = bracketEnd(f.Text, start); end < 0 {
		return ""
	}
	for start > 0 && (f.Text[start-1] == '.' || isNamed(f.Text[start-1])) {
		start--
	}
	return textfmt.OneLine(f.Text[start:end], shownText)
}

// bracketEnd returns the end of the brackets that open at an offset, in the same line; -1 if there
// are none.
func bracketEnd(text string, at int) int {
	depth := 0
	for n := at; n < len(text) && text[n] != '\n'; n++ {
		switch text[n] {
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		}
		if depth == 0 && n > at {
			return n + 1
		} else if depth == 0 {
			return -1
		}
	}
	return -1
}

// isNamed reports whether a byte may be part of a name.
func isNamed(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= utf8.RuneSelf
}

// reasonOf says where an index comes from, and why it is not proved to be in bounds.
func reasonOf(c *opt.Check, set *source.Set) string {
	if c.Texture {
		return "of coordinates and levels nothing but 0 is known to lie in a texture, whose size a launch decides"
	}
	origins := slices.Clone(c.Origins)
	// by position
	slices.SortStableFunc(origins, func(a, b opt.Origin) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	var parts []string
	for n := range origins {
		if text := originText(&origins[n], set); !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	if text := strings.Join(parts, ", "); text != "" {
		return text + "; " + conclusion(c)
	}
	return conclusion(c)
}

// conclusion says what is not known about an index.
func conclusion(c *opt.Check) string {
	variable := c.Variable
	if variable == "" {
		variable = "what it selects from"
	}
	length := "the length of " + variable
	known := ""
	if c.Bounded {
		known = "the index is " + between(c.Low, c.High) + " as far as is known, and "
	}
	switch {
	case c.Count > 0 && known == "":
		return fmt.Sprintf("no bound of the index is known, and %s has %s", variable, diag.Plural(int(c.Count), "element"))
	case c.Count > 0:
		return known + fmt.Sprintf("%s has %s", variable, diag.Plural(int(c.Count), "element"))
	case slices.Contains(c.Below, c.Variable):
		return "the index is less than " + length + ", and not known to be 0 or more"
	case len(c.Below) == 1:
		return "the index is less than the length of " + c.Below[0] + ", which is not known to be at most " + length
	case len(c.Below) > 1:
		last := len(c.Below) - 1
		return "the index is less than the lengths of " + strings.Join(c.Below[:last], ", ") + " and " + c.Below[last] + ", none of which is known to be at most " + length
	case known != "":
		return known + "not known to be less than " + length
	}
	return "the index is not known to be less than " + length
}

// between returns a range as text.
func between(low, high int64) string {
	if low == high {
		return strconv.FormatInt(low, 10)
	}
	return fmt.Sprintf("%d to %d", low, high)
}

// originText says where a value comes from, and what its range is.
func originText(o *opt.Origin, set *source.Set) string {
	name := textAt(set, o.Span)
	if name == "" {
		name = o.Hint
	}
	bounds := ""
	if o.Bounded {
		bounds = between(o.Low, o.High)
	}
	is := func(what, given string) string {
		switch {
		case given != "" && bounds != "":
			return given + ", " + bounds + ", " + what
		case given != "":
			return given + " " + what
		}
		return "a value " + what
	}
	switch o.Kind {
	case opt.OfBuiltin:
		what := o.Name
		if name != "" && name != o.Name {
			what = name + " is " + o.Name
		}
		if bounds != "" {
			return what + ", " + bounds
		}
		return what + ", which the launch decides"
	case opt.OfLength:
		return "the length of " + o.Name
	case opt.OfLoop:
		return is("changes from iteration to iteration of a loop", o.Hint)
	case opt.OfBranch:
		return is("is chosen by branches", o.Hint)
	case opt.OfFloat:
		return is("is converted from a float", name)
	case opt.OfOther:
		return is("is computed by an operation whose result is not known", name)
	}
	what := readFrom[o.Kind]
	if o.Name != "" {
		what += " " + o.Name
	}
	return is("is read from "+what, name)
}

// readFrom names memory by the kind of origin.
var readFrom = [...]string{
	opt.OfUniform: "uniform buffer", opt.OfStorage: "storage buffer", opt.OfImmediate: "immediates", opt.OfWorkgroup: "workgroup memory",
	opt.OfVariable: "variable",
}
