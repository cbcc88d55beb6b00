package editor

import (
	"strings"

	"github.com/gpuc/gpuc/frontend/wgsl/overload"
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/frontend/wgsl/types"
	"github.com/gpuc/gpuc/ir"
)

// This file describes the parameters of the call at a position. The call is found in the tokens,
// since it is unfinished; its name is resolved in the scope at the cursor.

// Signature is an overload of a call.
type Signature struct {
	Label string
	// Parameters are the ranges of the parameters in Label.
	Parameters []Range
	Text       string
}

// Call is the call around a position.
type Call struct {
	Signatures []Signature
	// Active is the index of the signature that fits the number of arguments, Argument that of the
	// argument at the position.
	Active, Argument int
}

// Call returns the innermost call around an offset whose name has a signature, or nil.
func (d *Document) Call(offset int) *Call {
	r := d.reading()
	tokens := d.check().tokens
	i := 0
	for i < len(tokens) && int(tokens[i].End) <= offset && tokens[i].Kind != syntax.EndOfFile {
		i++
	}
	depth, arguments := 0, 0
	for i--; i > 0; i-- {
		switch tokens[i].Kind {
		case syntax.RightParen, syntax.RightBracket, syntax.TemplateEnd:
			depth++
		case syntax.LeftBracket, syntax.TemplateStart:
			if depth > 0 {
				depth--
			}
		case syntax.Comma:
			if depth == 0 {
				arguments++
			}
		case syntax.LeftParen:
			if depth > 0 {
				depth--
				continue
			}
			if name := calleeBefore(tokens, i); name >= 0 {
				callee := d.text[tokens[name].Start:tokens[name].End]
				if signatures := r.signatures(callee, int(tokens[name].Start), name > 0 && tokens[name-1].Kind == syntax.At); len(signatures) > 0 {
					return &Call{signatures, closest(signatures, arguments), arguments}
				}
			}
			arguments = 0 // a parenthesized argument
		case syntax.Semicolon, syntax.LeftBrace, syntax.RightBrace:
			if depth == 0 {
				return nil
			}
		}
	}
	return nil
}

// calleeBefore returns the index of the name before a parenthesis, or -1.
func calleeBefore(tokens []syntax.Lexeme, paren int) int {
	i := paren - 1
	if tokens[i].Kind == syntax.TemplateEnd {
		for depth := 0; i > 0; i-- {
			if k := tokens[i].Kind; k == syntax.TemplateEnd {
				depth++
			} else if k == syntax.TemplateStart {
				if depth--; depth == 0 {
					i--
					break
				}
			}
		}
	}
	if tokens[i].Kind != syntax.Ident || i > 0 && tokens[i-1].Kind == syntax.KeywordFn {
		return -1
	}
	return i
}

// closest returns the first signature with enough parameters, or the last.
func closest(signatures []Signature, argument int) int {
	for i := range signatures {
		if argument < len(signatures[i].Parameters) {
			return i
		}
	}
	return len(signatures) - 1
}

// signatures returns the signatures of a name that is called at an offset.
func (r *reading) signatures(callee string, offset int, attribute bool) []Signature {
	if attribute {
		return nil
	}
	module, local, _ := r.visible(offset)
	objects := append(module, local...)
	for i := len(objects) - 1; i >= 0; i-- {
		info := &r.info.Objects[objects[i]]
		if r.tree.Text(info.Name) != callee {
			continue
		}
		switch info.Kind {
		case sem.FunctionObject:
			return []Signature{r.functionSignature(callee, info)}
		case sem.StructObject:
			return []Signature{r.constructor(callee, info.Type)}
		case sem.AliasObject:
			if info.Type != ir.Void && r.module.KindOf(info.Type) == ir.StructType {
				return []Signature{r.constructor(callee, info.Type)}
			}
		}
		return nil
	}
	symbol, _ := r.tree.Lookup(callee)
	p := sem.Lookup(symbol)
	switch p.Kind {
	case sem.FunctionName:
	case sem.TileViewName:
		parameters := make([]string, len(types.TileViewMembers))
		for i, name := range types.TileViewMembers {
			parameters[i] = name + ": u32"
		}
		return []Signature{signatureOf(callee, parameters)}
	default:
		return nil
	}
	text, _ := find(functions, callee)
	var signatures []Signature
	for i := range p.B {
		label := overload.Describe(&sem.Builtins[p.A+i])
		signatures = append(signatures, Signature{label, parameterRanges(label), text})
	}
	return signatures
}

func (r *reading) functionSignature(callee string, info *sem.ObjectInfo) Signature {
	n := r.tree.Decl(info.Decl)
	parameters := make([]string, n.Parameters.Len)
	for i := range parameters {
		parameters[i] = r.parameter(info.Function, i)
	}
	s := signatureOf(callee, parameters)
	s.Label += r.resultText(n)
	s.Text = r.comment(n.Span)
	return s
}

// constructor returns the signature of a structure's constructor.
func (r *reading) constructor(callee string, t ir.Type) Signature {
	var parameters []string
	for _, member := range r.module.Members(t) {
		parameters = append(parameters, member.Name+": "+r.types.Name(member.Type))
	}
	return signatureOf(callee, parameters)
}

func signatureOf(callee string, parameters []string) (s Signature) {
	s.Label = callee + "("
	for i, p := range parameters {
		if i > 0 {
			s.Label += ", "
		}
		s.Parameters = append(s.Parameters, Range{len(s.Label), len(s.Label) + len(p)})
		s.Label += p
	}
	s.Label += ")"
	return s
}

// parameterRanges returns the ranges of the parameters in the description of an overload.
func parameterRanges(label string) (ranges []Range) {
	open := strings.IndexByte(label, '(')
	start, depth := open+1, 0
	for i := open + 1; i < len(label); i++ {
		switch label[i] {
		case '<', '(':
			depth++
		case '>':
			depth--
		case ',', ')':
			if depth > 0 {
				if label[i] == ')' {
					depth--
				}
				continue
			}
			from := start + len(label[start:i]) - len(strings.TrimLeft(label[start:i], " "))
			if from < i {
				ranges = append(ranges, Range{from, i})
			}
			if label[i] == ')' {
				return ranges
			}
			start = i + 1
		}
	}
	return ranges
}
