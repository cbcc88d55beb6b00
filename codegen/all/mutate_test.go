package all_test

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// This file changes WGSL programs by their grammar. Mutants of bytes die in the
// parser; those of tokens, expressions and statements often pass the checker, and
// so reach the passes and the emitters in forms that nobody writes.

var (
	commentText = regexp.MustCompile(`//[^\n]*|(?s:/\*.*?\*/)`)
	tokenText   = regexp.MustCompile(`[A-Za-z_]\w*|0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*(?:[pP][+-]?\d+)?[iufh]?|` +
		`(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[iufh]?|&&|\|\||->|\+\+|--|<<=|>>=|[-+*/%&|^<>=!]=|<<|>>|\S`)
)

// tokensOf splits a program. Comments fall away.
func tokensOf(text string) []string {
	return tokenText.FindAllString(commentText.ReplaceAllString(text, " "), -1)
}

// textOf joins tokens, with lines as a person would break them.
func textOf(tokens []string) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteString(t)
		switch t {
		case ";", "{", "}":
			b.WriteByte('\n')
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// extent is a part of a program's tokens.
type extent struct{ start, end int }

// outline is what a mutation has to know of a program.
type outline struct {
	tokens     []string
	match      []int    // by opening bracket: the closing one
	bodies     []extent // of functions
	statements []extent // in bodies
	atoms      []extent // operands in bodies: names and literals with what follows them, brackets
}

func outlineOf(tokens []string) *outline {
	o := &outline{tokens: tokens, match: make([]int, len(tokens))}
	var open []int
	for i, t := range tokens {
		switch t {
		case "(", "[", "{":
			open = append(open, i)
		case ")", "]", "}":
			if len(open) > 0 {
				o.match[open[len(open)-1]], open = i, open[:len(open)-1]
			}
		}
	}
	for i := 0; i < len(tokens); i++ {
		if tokens[i] != "fn" {
			continue
		}
		for ; i < len(tokens) && tokens[i] != "{"; i++ {
			i = max(i, o.match[i])
		}
		if i < len(tokens) && o.match[i] > i {
			body := extent{i + 1, o.match[i]}
			o.bodies = append(o.bodies, body)
			o.block(body)
			o.operands(body)
			i = body.end
		}
	}
	return o
}

// block finds the statements of a block and of those in it.
func (o *outline) block(b extent) {
	for start := b.start; start < b.end; {
		i := start
		for ; i < b.end; i++ {
			switch t := o.tokens[i]; {
			case t == "{" && o.match[i] > i:
				o.block(extent{i + 1, o.match[i]})
				i = o.match[i]
				if i+1 < b.end && o.tokens[i+1] == "else" {
					continue
				}
			case (t == "(" || t == "[") && o.match[i] > i:
				i = o.match[i]
				continue
			case t != ";":
				continue
			}
			i++
			break
		}
		o.statements = append(o.statements, extent{start, min(i, b.end)})
		start = max(i, start+1)
	}
}

func isName(t string) bool   { return t[0] == '_' || t[0]|32 >= 'a' && t[0]|32 <= 'z' }
func isNumber(t string) bool { return t[0] >= '0' && t[0] <= '9' || len(t) > 1 && t[0] == '.' }

var keywords = strings.Fields(`alias break case const const_assert continue continuing default diagnostic discard else enable
	fn for if let loop override requires return struct switch var while`)

// operands finds the atoms of a body.
func (o *outline) operands(b extent) {
	for i := b.start; i < b.end; i++ {
		t, before := o.tokens[i], o.tokens[i-1]
		if slices.Contains(keywords, t) || strings.Contains("var let const . @ fn", before) || !isName(t) && !isNumber(t) && t != "(" {
			continue
		}
		end := i + 1
		switch {
		case t == "(" && isCallee(before):
			continue // arguments
		case t == "(":
			end = o.match[i] + 1
		case isName(t):
			end = o.templateEnd(end, b.end)
		}
		for end < b.end {
			switch s := o.tokens[end]; {
			case (s == "(" && isName(t) || s == "[") && o.match[end] > end:
				end = o.match[end] + 1
				continue
			case s == "." && end+1 < b.end:
				end += 2
				continue
			}
			break
		}
		if end > i {
			o.atoms = append(o.atoms, extent{i, end})
		}
	}
}

// isCallee reports whether parentheses behind a token hold arguments.
func isCallee(t string) bool {
	return t == ">" || isName(t) && t != "return" && t != "if" && t != "switch" && t != "while"
}

// templateEnd returns the end of the template list that begins at a token of a body, or the token
// if none does. A list that no call follows is a comparison.
func (o *outline) templateEnd(at, limit int) int {
	if at >= limit || o.tokens[at] != "<" {
		return at
	}
	end := at
	for j := at + 1; j < min(at+8, limit); j++ {
		if s := o.tokens[j]; s == ">" || s == ">>" {
			if j+1 < limit && o.tokens[j+1] == "(" {
				end = j + 1
			}
		} else if !isName(s) && !isNumber(s) && s != "<" && s != "," {
			break
		}
	}
	return end
}

// families are words that can often replace each other.
var families = func() map[string][]string {
	m := map[string][]string{}
	for _, line := range []string{
		"+ - * / %", "& | ^", "<< >>", "< <= > >= == !=", "&& ||", "+= -= *= /= %= =", "&= |= ^= =", "<<= >>= =", "++ --", "- ! ~",
		"f32 i32 u32 f16 bool", "vec2f vec3f vec4f vec2h vec4h", "vec2i vec3i vec4i", "vec2u vec3u vec4u", "vec2 vec3 vec4",
		"mat2x2 mat3x3 mat4x4 mat2x3 mat3x2 mat4x3 mat3x4", "mat2x2f mat3x3f mat4x4f mat2x4f",
		"let var const", "const override", "private workgroup", "read read_write write", "if while", "break continue", "true false",
		"x y z w xy yx xx zw xyz zyx wzyx xyzw rgb r g",
		"sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 log log2 sqrt inverseSqrt floor ceil round trunc fract abs sign saturate degrees radians quantizeToF16 normalize length",
		"min max pow atan2 step distance dot cross reflect ldexp", "clamp mix fma smoothstep faceForward select refract",
		"countOneBits countLeadingZeros countTrailingZeros reverseBits firstLeadingBit firstTrailingBit abs",
		"extractBits insertBits", "all any", "dpdx dpdy fwidth", "modf frexp", "transpose determinant",
		"atomicAdd atomicSub atomicMax atomicMin atomicAnd atomicOr atomicXor atomicExchange",
		"subgroupAdd subgroupMul subgroupMin subgroupMax subgroupAnd subgroupOr subgroupXor subgroupInclusiveAdd subgroupExclusiveAdd subgroupBroadcastFirst quadSwapX quadSwapY quadSwapDiagonal",
		"subgroupShuffle subgroupShuffleXor subgroupShuffleUp subgroupShuffleDown subgroupBroadcast quadBroadcast",
		"workgroupBarrier storageBarrier textureBarrier",
		"pack4x8snorm pack4x8unorm pack4xI8 pack4xU8 pack2x16float pack2x16unorm pack2x16snorm",
		"unpack4x8snorm unpack4x8unorm unpack4xI8 unpack4xU8 unpack2x16float unpack2x16unorm unpack2x16snorm",
		"textureDimensions textureNumLayers textureNumLevels textureNumSamples",
		"textureSampleLevel textureSampleGrad textureSample textureSampleBias textureLoad textureGather",
		"textureSampleCompareLevel textureGatherCompare textureSampleCompare",
		"texture_1d texture_2d texture_2d_array texture_3d texture_cube texture_cube_array texture_multisampled_2d",
		"texture_depth_2d texture_depth_2d_array texture_depth_cube texture_depth_multisampled_2d", "sampler sampler_comparison",
		"texture_storage_1d texture_storage_2d texture_storage_2d_array texture_storage_3d",
		"rgba8unorm rgba8snorm rgba8uint rgba8sint rgba16float rgba32float r32uint r32sint r32float rg32float bgra8unorm",
	} {
		words := strings.Fields(line)
		for _, w := range words {
			m[w] = append(m[w], words...)
		}
	}
	return m
}()

// limits are literals at the limits of types, by suffix.
var limits = map[byte][]string{
	'i': {"0i", "1i", "2147483647i", "0x80i", "31i", "32i", "0x7fffffffi", "3i"},
	'u': {"0u", "1u", "4294967295u", "0x80000000u", "31u", "32u", "33u", "5u", "65536u"},
	'f': {"0f", "1f", "3.4e38f", "1e-38f", "1e-45f", "0.5f", "0x1p-126f", "16777217f"},
	'h': {"0h", "1h", "65504h", "6e-8h", "0.5h"},
	'.': {"0.0", "1.0", "3.4e38", "1e-38", "1e-45", "0.5", "1e300", "2.5", "1e38"},
	'n': {"0", "1", "2", "3", "4", "7", "31", "32", "33", "255", "256", "2147483647", "2147483648", "4294967295", "1000000"},
}

// wrappers are expressions around an atom (§), sometimes with another (¤).
var wrappers = strings.Split(`( § )|- §|! §|~ §|( § + § )|( § - ¤ )|( § * § )|( § / ¤ )|( § % ¤ )|( § & ¤ )|( § << 1u )|( § >> 31u )
select ( § , ¤ , true )|select ( § , § , ¤ == § )|min ( § , ¤ )|max ( § , § )|clamp ( § , ¤ , § )|abs ( § )|fma ( § , § , ¤ )|mix ( § , ¤ , 0.5 )
u32 ( § )|i32 ( § )|f32 ( § )|bool ( § )|f16 ( § )|bitcast < u32 > ( § )|bitcast < f32 > ( § )|( § == ¤ )|( § < ¤ )|( § && ¤ )|( § || § )
vec2 ( § , ¤ ) . y|vec4 ( § ) . zyx . y|array ( § , ¤ , § ) [ 1 ]|array ( § , ¤ ) [ u32 ( ¤ ) & 1u ]|( * & § )|sin ( § )|sqrt ( § )|floor ( § )|pow ( § , 2.0 )
vec3 ( § , ¤ , § ) [ ¤ ]|dot ( vec2 ( § , ¤ ) , vec2 ( ¤ , § ) )|mat2x2 ( § , ¤ , ¤ , § ) [ 1 ] . x|modf ( § ) . fract|frexp ( § ) . exp
firstLeadingBit ( § )|countOneBits ( § )|extractBits ( § , 3u , 30u )|unpack4x8unorm ( § ) . x|smoothstep ( 0.0 , 1.0 , § )|exp ( § )|log ( § )`, "|")

// frames are statements around a statement (§), with an atom (¤).
var frames = strings.Split(`{ § }|if true { § }|if false { § }|if ¤ == ¤ { § } else { § }|if ¤ < ¤ { § }|if ¤ { § } else if ! ¤ { § }
for ( var mi = 0 ; mi < 3 ; mi ++ ) { § }|for ( var mj = 0u ; mj < u32 ( ¤ ) ; mj += 1u ) { § }|loop { § break ; }|loop { if ¤ != ¤ { break ; } § break ; }
switch 1 { case 1 : { § } default : { } }|switch i32 ( ¤ ) { case 0 , 3 : { § } case 1 : { } default : { § } }|while false { § }
var mk = 0 ; while mk < 2 { mk ++ ; § }|loop { § continuing { break if true ; } }|var ml = 3 ; loop { if ml == 0 { break ; } § continuing { ml -- ; } }
for ( var mm = 0 ; mm < 4 ; mm ++ ) { if mm == 2 { continue ; } § }|§ §|§ if ¤ == ¤ { break ; }|§ if ¤ != ¤ { continue ; }|§ return ;
let mn = ¤ ; §|var mo = ¤ ; § mo = ¤ ;|_ = ¤ ; §|¤ = ¤ ; §|let mp = & ¤ ; § * mp = ¤ ;|§ workgroupBarrier ( ) ;|¤ += ¤ ; §|¤ ++ ; §
var mq = array ( ¤ , ¤ , ¤ ) ; § mq [ u32 ( ¤ ) ] = ¤ ; mq [ 1 ] = mq [ 2 ] ; ¤ = mq [ 1 ] ;|var mr : array < u32 , 40 > ; § mr [ ¤ ] ++ ;`, "|")

// mutator makes programs from programs.
type mutator struct {
	random *rand.Rand
	others [][]string // programs whose parts may be taken
}

func (m *mutator) chance(percent int) bool { return m.random.IntN(100) < percent }

func pick[T any](m *mutator, list []T) T { return list[m.random.IntN(len(list))] }

// mutate returns a program with one or a few changes.
func (m *mutator) mutate(tokens []string) []string {
	for {
		o := outlineOf(tokens)
		tokens = m.once(o)
		if m.chance(65) {
			return tokens
		}
	}
}

// replaced returns tokens in which others replace an extent.
func (o *outline) replaced(e extent, by ...string) []string {
	return slices.Concat(o.tokens[:e.start], by, o.tokens[e.end:])
}

func (o *outline) part(e extent) []string { return o.tokens[e.start:e.end] }

// near returns an atom, most often of the same function.
func (m *mutator) near(o *outline, at int) []string {
	for range 20 {
		a := pick(m, o.atoms)
		for _, b := range o.bodies {
			if at >= b.start && at < b.end && a.start >= b.start && a.end <= b.end {
				return o.part(a)
			}
		}
	}
	return o.part(pick(m, o.atoms))
}

// filled fills a template in.
func (m *mutator) filled(o *outline, template string, inner []string, at int) (result []string) {
	for _, t := range strings.Fields(template) {
		switch t {
		case "§":
			result = append(result, inner...)
		case "¤":
			result = append(result, m.near(o, at)...)
		default:
			result = append(result, t)
		}
	}
	return result
}

func (m *mutator) once(o *outline) []string {
	if len(o.atoms) == 0 || len(o.statements) == 0 {
		return m.word(o)
	}
	a, s := pick(m, o.atoms), pick(m, o.statements)
	switch n := m.random.IntN(100); {
	case n < 30:
		return m.word(o)
	case n < 42:
		return o.replaced(a, m.near(o, a.start)...)
	case n < 58:
		inner := o.part(a)
		for range 1 + m.random.IntN(2)*m.random.IntN(3) {
			if inner = m.filled(o, pick(m, wrappers), inner, a.start); len(inner) > 200 {
				break
			}
		}
		return o.replaced(a, inner...)
	case n < 60: // deeper
		k := 1 + m.random.IntN(120)
		return o.replaced(a, slices.Concat(slices.Repeat([]string{"("}, k), o.part(a), slices.Repeat([]string{")"}, k))...)
	case n < 66:
		return o.replaced(s)
	case n < 72: // before another
		return o.replaced(extent{s.start, s.start}, o.part(pick(m, o.statements))...)
	case n < 76:
		t := pick(m, o.statements)
		if s.start > t.start {
			s, t = t, s
		}
		if s.end > t.start {
			return o.replaced(s)
		}
		return slices.Concat(o.tokens[:s.start], o.part(t), o.tokens[s.end:t.start], o.part(s), o.tokens[t.end:])
	case n < 92:
		return o.replaced(s, m.filled(o, pick(m, frames), o.part(s), s.start)...)
	case n < 96: // a statement or an expression of another program
		other := outlineOf(pick(m, m.others))
		if len(other.atoms) == 0 || m.chance(50) && len(other.statements) > 0 {
			if len(other.statements) == 0 {
				return o.tokens
			}
			return o.replaced(extent{s.start, s.start}, other.part(pick(m, other.statements))...)
		}
		return o.replaced(a, other.part(pick(m, other.atoms))...)
	}
	i := m.random.IntN(len(o.tokens))
	switch e := (extent{i, i + 1}); m.random.IntN(3) {
	case 0:
		return o.replaced(e)
	case 1:
		return o.replaced(e, o.tokens[i], o.tokens[i])
	}
	return o.replaced(extent{i, i + 1}, pick(m, o.tokens))
}

// word exchanges a word for one of its family, or a literal for another, once or
// everywhere.
func (m *mutator) word(o *outline) []string {
	for range 50 {
		i := m.random.IntN(len(o.tokens))
		t, by := o.tokens[i], ""
		if list := families[t]; list != nil {
			by = pick(m, list)
		} else if isNumber(t) {
			sort := t[len(t)-1]
			hex := len(t) > 1 && t[1]|32 == 'x'
			if limits[sort] == nil || hex && sort == 'f' {
				sort = 'n'
				if !hex && strings.ContainsAny(t, ".eE") {
					sort = '.'
				}
			}
			by = pick(m, limits[sort])
		} else {
			continue
		}
		if isName(t) && m.chance(30) {
			result := slices.Clone(o.tokens)
			for j := range result {
				if result[j] == t {
					result[j] = by
				}
			}
			return result
		}
		return o.replaced(extent{i, i + 1}, by)
	}
	return o.tokens
}
