package overload

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
)

// This file compiles the signatures of sem.Builtins to patterns. A row is compiled when it is first
// used: few programs use more than a tenth of the rows.

// form is the form of a pattern.
type form uint8

const (
	noForm         form = iota
	scalarForm          // a scalar
	shapedForm          // a scalar or vector of the shape of a type parameter
	vectorForm          // a vector of columns components
	matrixForm          // a matrix
	atomicForm          // pointer to an atomic
	runtimeForm         // pointer to a runtime-sized array
	bufferForm          // pointer to a buffer
	workgroupForm       // pointer to workgroup memory
	pointeeForm         // what the workgroup pointer points to
	frexpForm           // result structures
	modfForm            //
	exchangeForm        //
	textureForm         // a texture of one of the shapes in textures
	texelForm           // vec4 of the texture's channels
	samplerForm         // a sampler
	comparisonForm      // a comparison sampler
	templateForm        // the template argument
	viewForm            // pointer to it, in the buffer's memory
	tileForm            // a tile
	convertedForm       // a tile of the template argument
	tileViewForm        // the structure tile_view
	sharedForm          // pointer to an array
	callbackForm        // the name of a function
	elementsForm        // pointer to an array in workgroup or storage memory
	wordsForm           // the same, whose elements may also be vectors
	matrixUseForm       // a subgroup matrix of one use
	anyMatrixForm       // a subgroup matrix of any use
)

// Dimensions are 1, 2, 3, 4 or a dimension parameter.
const (
	dimensionN = 8 + iota
	dimensionC
	dimensionR
	dimensionK
	dimensionCount = iota
)

// pattern is a parameter or result.
type pattern struct {
	form form
	// kind is the scalar kind, or None for that of the type parameter variable.
	kind          scalar.Kind
	variable      uint8
	shape         uint8 // shapedForm: the type parameter whose shape it has
	columns, rows uint8 // dimensions
	textures      uint32
	access        ir.Access
	needsAccess   bool
	use           ir.Use // matrixUseForm
	// ofTemplate says that a subgroup matrix has the template argument as component type.
	ofTemplate bool
}

// typeParameter is a type parameter with its class.
type typeParameter struct {
	name           string
	kinds          uint16 // bits of scalar.Kind
	scalar, vector bool
}

// signature is a compiled row.
type signature struct {
	template   bool // takes a template argument, a type
	variables  [4]typeParameter
	count      uint8 // of type parameters
	parameters [sem.MaxParameters]pattern
	arity      uint8
	result     pattern
}

// kindSet is a class of scalar kinds.
type kindSet struct {
	name  string
	kinds uint16 // bits of scalar.Kind
}

var kindSets = [...]kindSet{
	{"bool", 1 << scalar.Bool}, {"i32", 1 << scalar.I32}, {"u32", 1 << scalar.U32}, {"f32", 1 << scalar.F32}, {"f16", 1 << scalar.F16},
	{"abstract-int", 1 << scalar.AbstractInt}, {"abstract-float", 1 << scalar.AbstractFloat},
	{"integer", 1<<scalar.I32 | 1<<scalar.U32 | 1<<scalar.AbstractInt},
	{"float", 1<<scalar.F32 | 1<<scalar.F16 | 1<<scalar.AbstractFloat},
	{"signed", 1<<scalar.I32 | 1<<scalar.F32 | 1<<scalar.F16 | 1<<scalar.AbstractInt | 1<<scalar.AbstractFloat},
	{"number", 1<<scalar.I32 | 1<<scalar.U32 | 1<<scalar.F32 | 1<<scalar.F16 | 1<<scalar.AbstractInt | 1<<scalar.AbstractFloat},
	{"component", 1<<scalar.I32 | 1<<scalar.U32 | 1<<scalar.F32 | 1<<scalar.F16 | 1<<scalar.I8 | 1<<scalar.U8},
	{"concrete", 1<<scalar.I32 | 1<<scalar.U32 | 1<<scalar.F32 | 1<<scalar.F16},
	{"sampled", 1<<scalar.I32 | 1<<scalar.U32 | 1<<scalar.F32},
	{"scalar", 1<<scalar.Bool | 1<<scalar.I32 | 1<<scalar.U32 | 1<<scalar.F32 | 1<<scalar.F16 | 1<<scalar.AbstractInt | 1<<scalar.AbstractFloat},
}

// signatures are the compiled rows, which never change.
var signatures [len(sem.Builtins)]atomic.Pointer[signature]

// signatureOf returns the signature of a row. It is small enough to be inlined.
func signatureOf(row uint16) (s *signature) {
	if s = signatures[row].Load(); s != nil {
		return
	}
	return compileSignature(row)
}

// compileSignature compiles a row. Concurrent callers store equal signatures.
func compileSignature(row uint16) *signature {
	s, err := parseSignature(sem.Builtins[row].Signature)
	if err != nil {
		panic(fmt.Sprintf("overload: builtin %s, %q: %v", sem.Builtins[row].Name, sem.Builtins[row].Signature, err))
	}
	signatures[row].Store(&s)
	return &s
}

func parseSignature(text string) (s signature, err error) {
	if head, rest, found := strings.Cut(text, ";"); found {
		text = rest
		for part := range strings.SplitSeq(head, ",") {
			name, class, _ := strings.Cut(strings.TrimSpace(part), ": ")
			p := typeParameter{name: name, scalar: true}
			if trimmed, found := strings.CutSuffix(class, "*"); found {
				class, p.vector = trimmed, true
			}
			for word := range strings.SplitSeq(class, "|") {
				row := slices.IndexFunc(kindSets[:], func(r kindSet) bool { return r.name == word })
				if row < 0 {
					return s, fmt.Errorf("unknown class %q", word)
				}
				p.kinds |= kindSets[row].kinds
			}
			s.variables[s.count] = p
			s.count++
		}
	}
	parameters, result, _ := strings.Cut(text, "->")
	for _, part := range splitOutside(parameters) {
		if s.parameters[s.arity], err = s.parsePattern(part); err != nil {
			return s, err
		}
		s.arity++
	}
	if result = strings.TrimSpace(result); result != "" {
		s.result, err = s.parsePattern(result)
	}
	r := &s.result
	s.template = r.form == templateForm || r.form == viewForm || r.form == convertedForm || r.ofTemplate
	return s, err
}

// splitOutside splits a text at the commas outside brackets.
func splitOutside(text string) (parts []string) {
	depth, start := 0, 0
	for i := 0; i <= len(text); i++ {
		switch {
		case i == len(text) || text[i] == ',' && depth == 0:
			if part := strings.TrimSpace(text[start:i]); part != "" {
				parts = append(parts, part)
			}
			start = i + 1
		case text[i] == '<' || text[i] == '(':
			depth++
		case text[i] == '>' || text[i] == ')':
			depth--
		}
	}
	return parts
}

// element sets the scalar of a pattern: a kind or a type parameter.
func (s *signature) element(p *pattern, text string) bool {
	for i := range s.count {
		if s.variables[i].name == text {
			p.variable = i
			return true
		}
	}
	for k := scalar.Bool; k < scalar.Count; k++ {
		if k.String() == text {
			p.kind = k
			return true
		}
	}
	return false
}

func dimension(letter byte) uint8 {
	switch letter {
	case 'N':
		return dimensionN
	case 'C':
		return dimensionC
	case 'R':
		return dimensionR
	case 'K':
		return dimensionK
	}
	return letter - '0'
}

// patternWords are the patterns of one word, resultForms those of result structures.
var (
	patternWords = [...]namedForm{
		{"runtime", runtimeForm, ""}, {"buffer", bufferForm, ""}, {"workgroup", workgroupForm, ""}, {"pointee", pointeeForm, ""},
		{"sampler", samplerForm, ""}, {"sampler_comparison", comparisonForm, ""}, {"template", templateForm, ""}, {"view", viewForm, ""},
		{"tile_view", tileViewForm, ""}, {"shared", sharedForm, ""}, {"callback", callbackForm, ""},
	}
	resultForms = [...]namedForm{
		{"frexp", frexpForm, "__frexp_result"}, {"modf", modfForm, "__modf_result"}, {"exchange", exchangeForm, "__atomic_compare_exchange_result"},
	}
)

type namedForm struct {
	name  string
	form  form
	shown string // the result in messages
}

// formOf returns the form of a name, or noForm.
func formOf(rows []namedForm, name string) form {
	for _, r := range rows {
		if r.name == name {
			return r.form
		}
	}
	return noForm
}

func (s *signature) parsePattern(text string) (p pattern, err error) {
	if f := formOf(patternWords[:], text); f != noForm {
		p.form = f
		return p, nil
	}
	if head, argument, found := strings.Cut(strings.TrimSuffix(text, ")"), "("); found {
		inner := pattern{}
		if !s.element(&inner, argument) {
			return p, fmt.Errorf("unknown parameter in %q", text)
		}
		p.variable = inner.variable
		switch {
		case formOf(resultForms[:], head) != noForm:
			p.form = formOf(resultForms[:], head)
		case head == "element":
			p.form = scalarForm
		default:
			p.form = shapedForm
			kind := pattern{}
			if !s.element(&kind, head) {
				return p, fmt.Errorf("unknown kind in %q", text)
			}
			p.kind, p.variable, p.shape = kind.kind, kind.variable, inner.variable
		}
		return p, nil
	}
	name, argument, generic := strings.Cut(strings.TrimSuffix(text, ">"), "<")
	switch {
	case strings.HasPrefix(name, "texture_"):
		p.form = textureForm
		for shape := range strings.SplitSeq(name, "|") {
			found := false
			for i := range texture.Shapes {
				if i.String() == shape {
					p.textures |= 1 << i
					found = true
				}
			}
			if !found {
				return p, fmt.Errorf("unknown texture %q", shape)
			}
		}
		switch {
		case argument == "read" || argument == "write":
			p.needsAccess = true
			p.access = ir.Read
			if argument == "write" {
				p.access = ir.Write
			}
			return p, nil
		case !generic:
			p.variable = 255 // any sampled type
			return p, nil
		}
	case name == "tile":
		parts := splitOutside(argument)
		p.form, p.rows, p.columns = tileForm, dimension(parts[1][0]), dimension(parts[2][0])
		if argument = parts[0]; argument == "template" {
			p.form = convertedForm
			return p, nil
		}
	case name == "shared":
		p.form = elementsForm
	case name == "words":
		p.form = wordsForm
	case name == "subgroup_matrix":
		p.form = anyMatrixForm
	case strings.HasPrefix(name, "subgroup_matrix_"):
		parts := splitOutside(argument)
		p.form, p.columns, p.rows = matrixUseForm, dimension(parts[1][0]), dimension(parts[2][0])
		p.use, _ = ir.UseNamed(strings.TrimPrefix(name, "subgroup_matrix_"))
		if argument = parts[0]; argument == "template" {
			p.ofTemplate, p.variable = true, 255
			return p, nil
		}
	case name == "atomic":
		p.form = atomicForm
		if argument == "vec2<u32>" {
			p.columns, p.kind = 2, scalar.U32
			return p, nil
		}
	case generic && strings.HasPrefix(name, "vec"):
		p.form, p.columns = vectorForm, dimension(name[3])
		if argument == "texel" {
			p.form = texelForm
			return p, nil
		}
	case generic && strings.HasPrefix(name, "mat"):
		p.form, p.columns, p.rows = matrixForm, dimension(name[3]), dimension(name[5])
	case !generic:
		p.form, argument = scalarForm, text
		if s.element(&p, argument) {
			if p.kind == scalar.None && s.variables[p.variable].vector {
				p.form, p.shape = shapedForm, p.variable
			}
			return p, nil
		}
		return p, fmt.Errorf("unknown type %q", text)
	}
	if p.form == noForm || !s.element(&p, argument) {
		return p, fmt.Errorf("unknown type %q", text)
	}
	return p, nil
}
