package syntax

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/ir/source"
)

// TestExpressions tests how expressions are grouped. Parentheses of the source are printed as
// braces. An empty tree means that the grammar rejects the text.
func TestExpressions(t *testing.T) {
	for _, test := range []struct{ text, tree string }{
		{"a + b * c - d", "((a + (b * c)) - d)"},
		{"a * b / c % d", "(((a * b) / c) % d)"},
		{"-a.b[c].d", "(-a.b[c].d)"},
		{"!~-*&a", "(!(~(-(*(&a)))))"},
		{"a << b", "(a << b)"},
		{"-a >> -b", "((-a) >> (-b))"},
		{"a << b << c", ""},
		{"a * b << c", ""},
		{"a << b * c", ""},
		{"a << (b + c)", "(a << {(b + c)})"},
		{"a << b <= c >> d", "((a << b) <= (c >> d))"},
		{"a << b < c >> d", "((a << b<c>) > d)"},
		{"a < b == c", ""},
		{"a == b == c", ""},
		{"(a < b) == c", "({(a < b)} == c)"},
		{"a == b && c != d && e", "(((a == b) && (c != d)) && e)"},
		{"a || b || c", "((a || b) || c)"},
		{"a && b || c", ""},
		{"a || b && c", ""},
		{"a & b & c", "((a & b) & c)"},
		{"a | b | c", "((a | b) | c)"},
		{"a ^ b ^ c", "((a ^ b) ^ c)"},
		{"a & b | c", ""},
		{"a & b + c", ""},
		{"a + b & c", ""},
		{"a & -b", "(a & (-b))"},
		{"a & b == c", ""},
		{"a & b && c", ""},
		{"a && b & c", ""},
		{"a > b | c", ""},
		{"a--b", "(a - (-b))"},
		{"a - -b", "(a - (-b))"},
		{"--a", "(-(-a))"},
		{"a---b", "(a - (-(-b)))"},
		{"a--", ""},
		{"a++b", ""},
		{"+a", ""},
		{"&&a", "(&(&a))"},
		{"a&&&b", "(a && (&b))"},
		{"a**b", "(a * (*b))"},
		{"1..x", "1..x"},
		{"1.x", ""},
		{"1.5.x", "1.5..x"},
		{"a.0", ""},
		{"a.b.c()", ""},
		{"f()()", ""},
		{"f().x[1]", "f().x[1]"},
		{"(f)(1)", ""},
		{"f(,)", ""},
		{"f(a,)", "f(a)"},
		{"f(a,,)", ""},
		{"f<>()", ""},
		{"f<a,>()", "f<a>()"},
		{"f<a", "(f < a)"},
		{"true && false", "(true && false)"},
		{"()", ""},
		{"a[]", ""},
		{"a[1, 2]", ""},
		{"a = b", ""},
		{"a ? b : c", ""},
		{"let", ""},
		{"_", ""},
		// template lists, WGSL §3.9
		{"A(B<C, D>(E))", "A(B<C, D>(E))"},
		{"array<i32, select(2, 3, a > b)>()", "array<i32, select(2, 3, (a > b))>()"},
		{"a[b < d] > (c)", "(a[(b < d)] > {c})"},
		{"A<B<<C>()", "A<(B << C)>()"},
		{"A<B<=C>()", "A<(B <= C)>()"},
		{"A<(B>=C)>()", "A<{(B >= C)}>()"},
		{"A<(B!=C)>()", "A<{(B != C)}>()"},
		{"A<(B==C)>()", "A<{(B == C)}>()"},
		{"array<vec4<f32>>()", "array<vec4<f32>>()"},
		{"array<array<array<f32, 2>, 2>, 2>()", "array<array<array<f32, 2>, 2>, 2>()"},
		{"A<select(1, 2, 3 <= n)>()", "A<select(1, 2, (3 <= n))>()"},
		{"a < b || c > d", "((a < b) || (c > d))"},
		{"a < b && c > d", "((a < b) && (c > d))"},
		{"(a < b) && (c > d)", "({(a < b)} && {(c > d)})"},
		{"a<b>>c", "(a<b> > c)"},
		{"a<b>=c", ""},
		{"A /* c */ < /* d */ B // e\n >()", "A<B>()"},
		{"true < b > c", ""},
		{"1 < b > c", ""},
		{"f(a < b, c > d)", ""},
		{"f(a < b, c > (d))", "f(a<b, c>(d))"},
	} {
		tree, errors := parse(t, "const x = "+test.text+";")
		got := ""
		if len(errors) == 0 {
			p := printer{t: tree}
			got = p.expr(tree.Decl(tree.Globals[0]).Init)
		}
		if got != test.tree {
			t.Errorf("%s: got %q, want %q (%q)", test.text, got, test.tree, errors)
		}
	}
}

// TestAccepted tests what the grammar accepts, and TestRejected what it rejects.
func TestAccepted(t *testing.T) {
	for _, text := range []string{
		"", ";", ";;;", "struct S { a: i32 };", "fn f() {};", "const a=1;;",
		"enable f16;;", "fn f() -> array<array<f32,4>,4>{}", "var<private>x=1;",
		"fn f()->u32{return 1u;}", "fn f() { if(a){}else if(b){}else{} }",
		"fn f() { const_assert(true); }", "const_assert true;",
		"fn f() { for (var i=0;;) {} for (;;f()) {} for (;a;) {} for (_ = 1;; _ = 2) {} for (i++;;i--) {} }",
		"fn f() { loop { if a { break; } continuing { } } }",
		"fn f() { let x: vec3<f32>= vec3<f32>(); var y: array<u32,2>=z; }",
		"fn f() { a[b<c]>>=d; x>>=1u; x<<=1u; }",
		"fn f() { (*p).x = 1; *p = 1; &p = 1; (p) = 1; f().x = 1; f()[0]++; }",
		"@a @b(1) @c(x, y,) fn f(@d p: i32) -> @e i32 {}",
		"@const fn f() {}", "@diagnostic(off, a) fn f() @diagnostic(off, a.b,) {}",
		"@ /* c */ compute fn f() {}", "@size (4) var x: i32;",
		"const Δέλτα = réflexion; const 朝焼け = _a1; const a‿b = 1;",
		"const\u0085a\u200E=\u200F1\u2028;\u2029",
		"// c\u2028const a = 1;", "// a\rconst b = 1;", "/* /* */ */ /***/ /*/*/**/*/*/", "//",
		"fn f() { switch a { case 1 {} case 2, default: {} case 3,: {} } }",
		"override a: bool;", "@id(1) override a = 1;", "var a: i32;",
	} {
		if _, errors := parse(t, text); len(errors) > 0 {
			t.Errorf("%q: %q", text, errors)
		}
	}
}

func TestRejected(t *testing.T) {
	for _, text := range []string{
		"const a = 1", "alias T = i32", "alias T = (i32);", "alias T;", "fn f()", "fn f() -> {}", "fn f(,) {}", "fn f(a: i32,,) {}",
		"struct S { }", "struct S { a: i32; }", "struct S { , }", "struct S { a: i32 b: i32 }", "struct S { a }", "struct { a: i32 }",
		";enable f16;", "const a = 1; diagnostic(off, x);", "enable;", "enable f16, ,;", "requires;", "diagnostic(off);", "diagnostic(off x);",
		"diagnostic(a.b, c);", "diagnostic(off, a.b.c);", "enable 1;", "enable if;",
		"@const() fn f() {}", "@diagnostic fn f() {}", "@diagnostic() fn f() {}", "@ fn f() {}", "@1 fn f() {}", "@if fn f() {}", "@a",
		"@a const b = 1;", "@a alias b = i32;", "@a struct S { a: i32 }", "@a const_assert true;", "@a ;",
		"let a = 1;", "var a", "var<> a: i32;", "var<private a: i32;", "const a: i32;", "const_assert;", "override;",
		"fn f() { let x; }", "fn f() { const x: i32; }", "fn f() { var; }", "fn f() { override x = 1; }", "fn f() { fn g() {} }",
		"fn f() { struct S { a: i32 } }", "fn f() { alias a = i32; }", "fn f() { @a var x = 1; }", "fn f() { @a; }", "fn f() { @a x = 1; }",
		"fn f() { a + 1; }", "fn f() { a; }", "fn f() { 1 = a; }", "fn f() { -a = 1; }", "fn f() { (a + b) = 1; }", "fn f() { a<b> = 1; }",
		"fn f() { a = b = c; }", "fn f() { a++ = 1; }", "fn f() { ++a; }", "fn f() { a++b; }", "fn f() { (f()); }", "fn f() { f().x; }", "fn f() { *f(); }",
		"fn f() { _ += 1; }", "fn f() { _++; }", "fn f() { _; }", "fn f() { a => b; }", "fn f() { a &&= b; }",
		"fn f() { if a return; }", "fn f() { if {} }", "fn f() { if a {} else b {} }", "fn f() { else {} }", "fn f() { if a {} else @x if b {} }",
		"fn f() { for {} }", "fn f() { for () {} }", "fn f() { for (;) {} }", "fn f() { for (;;;) {} }", "fn f() { for (a;;) {} }",
		"fn f() { for (;;var i = 0) {} }", "fn f() { for (;;i++;) {} }", "fn f() { for (break;;) {} }",
		"fn f() { while {} }", "fn f() { while a; }", "fn f() { loop; }", "fn f() { loop { continuing {} continuing {} } }",
		"fn f() { loop { continuing {}; } }", "fn f() { loop { continuing { break if; } } }", "fn f() { loop { continuing { break if a } } }",
		"fn f() { loop { break if a; } }", "fn f() { while a { continuing {} } }", "fn f() { loop { { continuing {} } } }",
		"fn f() { loop { continuing { { break if a; } } } }",
		"fn f() { switch a {} }", "fn f() { switch {} }", "fn f() { switch a { case {} } }", "fn f() { switch a { case 1 2 {} } }",
		"fn f() { switch a { case ,1 {} } }", "fn f() { switch a { default 1 {} } }", "fn f() { switch a { case 1; {} } }", "fn f() { switch a { case 1 {}; } }",
		"fn f() { switch a { x = 1; } }", "fn f() { switch a { case 1 x = 1; } }", "fn f() { return return; }", "fn f() { break", "fn f() {", "}", "fn f() {}}",
		"fn f() { continue a; }", "fn f() { discard }", "fn f() { return }",
		"const a = 1;\x00", "// \x00", "// \xFF", "\uFEFFconst a = 1;", "const a\uFEFF = 1;", "/*", "/* /* */", "/*/", "const a = 1 /",
		"const _ = 1;", "const __a = 1;", "const NULL = 1;", "const a = self;", "const fn = 1;", "fn f() { let async = 1; }", "struct S { __a: i32 }",
		"struct S { if: i32 }", "const a = b.if;", "const a = b.__c;", "const a = b.mod;", "fn if() {}", "const 1a = 1;", "const a·b = 1; const ·a = 1;",
		"const a = 'a';", "const a = \"a\";", "#if", "const a = 1 \\ 2;", "const a = 1ul;", "const a = 0777;", "const a = 1_0;",
		"const a = ☃;", "const a = 1\u00A0;", "fnf() {}",
	} {
		if _, errors := parse(t, text); len(errors) == 0 {
			t.Errorf("%q is accepted", text)
		}
	}
}

// TestSpans tests that spans cover the text of their nodes.
func TestSpans(t *testing.T) {
	const text = "@a fn f(p: i32) -> i32 { if p < 1 { return -f(a[1].b, (2)); } else if x { } y += 1 ; loop { continuing { break if a ; } } }"
	tree, errors := parse(t, text)
	if len(errors) > 0 {
		t.Fatal(errors)
	}
	at := func(start, end uint32) string { return text[start-1 : end-1] }
	var got []string
	for _, n := range tree.Exprs[1:] {
		got = append(got, at(uint32(n.Span.Start), uint32(n.Span.End)))
	}
	for _, n := range tree.Stmts[1:] {
		got = append(got, at(uint32(n.Span.Start), uint32(n.Span.End)))
		if n.Kind == LoopStmt {
			got = append(got, at(uint32(n.BreakIfSpan.Start), uint32(n.BreakIfSpan.End)), at(uint32(n.ContinuingSpan.Start), uint32(n.ContinuingSpan.End)))
		}
	}
	for _, n := range tree.Decls[1:] {
		got = append(got, at(uint32(n.NameSpan.Start), uint32(n.NameSpan.End)))
		if n.Span.End != source.Pos(1+len(text)) {
			t.Errorf("the function ends at %d", n.Span.End)
		}
	}
	want := []string{"i32", "i32", "p", "1", "p < 1", "f", "a", "1", "a[1]", "b", "a[1].b", "2", "(2)", "f(a[1].b, (2))", "-f(a[1].b, (2))",
		"x", "y", "1", "a",
		"return -f(a[1].b, (2));", "{ return -f(a[1].b, (2)); }", "if p < 1 { return -f(a[1].b, (2)); } else if x { }", "{ }", "if x { }",
		"y += 1 ;", "{ break if a ; }", "{ continuing { break if a ; } }",
		"loop { continuing { break if a ; } }", "break if a ;", "continuing",
		"{" + strings.SplitN(text, "{", 2)[1], "f"}
	if a, b := strings.Join(got, "\n"), strings.Join(want, "\n"); a != b {
		t.Errorf("got\n%s\nwant\n%s", a, b)
	}
}
