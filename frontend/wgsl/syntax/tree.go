// Package syntax parses WGSL text into a tree: the lexer, the template-list disambiguation, the
// parser, and the tree itself. It implements the grammar (WGSL §3 and the grammar of every section)
// and no semantics.
//
// The tree consists of slices indexed by small numbers instead of pointers, like the IR. Building
// it costs one append a node, and the collector has nothing to scan. The checker keeps its results
// about expressions in slices with the same indices.
package syntax

import (
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/source"
)

// Symbol is an interned identifier; equal names have equal symbols. Names are compared as written,
// without Unicode normalization (WGSL §3.7.1). Symbol 0 is the empty name.
type Symbol uint32

// Expr, Stmt and Decl are indices into the Tree's slices; 0 means none.
type (
	Expr uint32
	Stmt uint32
	Decl uint32
)

// List is a range of entries in one of the Tree's pools.
type List struct{ Start, Len uint32 }

// ExprKind is the kind of an expression.
type ExprKind uint8

// The kinds of expression.
const (
	BadExpr     ExprKind = iota
	LiteralExpr          // Value has the literal's kind and bits
	StringExpr           // a format string, whose text is that of its span (StringOf)
	IdentExpr            // Name, and List are its template arguments
	CallExpr             // A is the callee (an IdentExpr), List the arguments
	UnaryExpr            // Op A
	BinaryExpr           // A Op B
	IndexExpr            // A[B]
	MemberExpr           // A.Name; B is an IdentExpr that spans the name
	ParenExpr            // (A)
)

// ExprNode is an expression. Types are expressions too: `array<f32, 4>` is an
// IdentExpr with template arguments.
type ExprNode struct {
	Kind ExprKind
	Op   Token // of unary and binary expressions
	// HasTemplate says that an identifier has a template list.
	HasTemplate bool
	// Literal is the kind of a literal: Bool, AbstractInt, AbstractFloat, or the
	// concrete kind of its suffix.
	Literal scalar.Kind
	Span    source.Span // of the whole expression
	Name    Symbol
	A, B    Expr
	List    List // in Tree.ExprLists
	Value   uint64
}

// StmtKind is the kind of a statement.
type StmtKind uint8

// The kinds of statement.
const (
	BadStmt   StmtKind = iota
	BlockStmt          // List are the statements
	DeclStmt           // Decl: var, let, const
	// A Op B; Op is Assign or the binary operator of a compound assignment; A is 0 for the phony
	// `_`
	AssignStmt
	IncrementStmt // A++
	DecrementStmt // A--
	CallStmt      // A is a CallExpr
	ReturnStmt    // A may be 0
	IfStmt        // if A Body else Else (a BlockStmt or an IfStmt, or 0)
	SwitchStmt    // switch A, Clauses; Body is 0
	// Body, and Else is the continuing BlockStmt or 0; B is the `break if` condition or 0
	LoopStmt
	ForStmt         // for Init; A; Update Body
	WhileStmt       // while A Body
	BreakStmt       //
	BreakIfStmt     // A; only where it is an error, otherwise it is LoopStmt.B
	ContinueStmt    //
	DiscardStmt     //
	ConstAssertStmt // A
)

// StmtNode is a statement.
type StmtNode struct {
	Kind            StmtKind
	Op              Token
	Span            source.Span
	Attributes      List // in Tree.Attributes, before the statement
	BodyAttributes  List // between a loop's or switch's head and its `{`
	A, B            Expr
	Decl            Decl
	Body, Else      Stmt
	Init, Update    Stmt
	List            List // in Tree.StmtLists
	Clauses         List // in Tree.Clauses
	BreakIfSpan     source.Span
	ContinuingSpan  source.Span // of the keyword
	ContinuingAttrs List
}

// Clause is one case of a switch. Default says that `default` is among the selectors, or that the
// clause is the default clause.
type Clause struct {
	Span        source.Span
	Selectors   List // in Tree.ExprLists
	Default     bool
	DefaultSpan source.Span
	Attributes  List
	Body        Stmt
}

// DeclKind is the kind of a declaration.
type DeclKind uint8

// The kinds of declaration. Let appears in functions only; Override, Function,
// Struct, Alias at module scope only; Var, Const and ConstAssert in both.
const (
	BadDecl DeclKind = iota
	VarDecl
	LetDecl
	ConstDecl
	OverrideDecl
	FunctionDecl
	StructDecl
	AliasDecl
	ConstAssertDecl // Init is the condition
)

// DeclNode is a declaration at module scope or in a function.
type DeclNode struct {
	Kind        DeclKind
	Name        Symbol
	NameSpan    source.Span
	Span        source.Span
	Attributes  List // in Tree.Attributes
	HasTemplate bool
	Template    List // of var<…>, in Tree.ExprLists
	Type        Expr
	Init        Expr
	// of functions
	Parameters       List // in Tree.Fields
	ResultAttributes List
	Result           Expr
	Body             Stmt
	// of structures
	Members List // in Tree.Fields
}

// Field is a function parameter or a structure member.
type Field struct {
	Name       Symbol
	NameSpan   source.Span
	Span       source.Span
	Attributes List
	Type       Expr
}

// Attribute is `@name(arguments)`. The arguments of @diagnostic(severity, rule) are IdentExprs (a
// rule `a.b` is a MemberExpr); those of @builtin(x) and @interpolate(x, y) are IdentExprs.
type Attribute struct {
	Name      Symbol
	Span      source.Span
	NameSpan  source.Span
	Arguments List // in Tree.ExprLists
	HasParens bool
}

// DirectiveKind is the kind of a directive.
type DirectiveKind uint8

// The kinds of directive.
const (
	EnableDirective DirectiveKind = iota
	RequiresDirective
	DiagnosticDirective
)

// Directive is a directive. Names are the extensions as IdentExprs, or the severity and the rule of
// a diagnostic filter as in Attribute.
type Directive struct {
	Kind  DirectiveKind
	Span  source.Span
	Names List
}

// Tree is one WGSL file.
type Tree struct {
	File *source.File
	// Symbols[s] is the text of symbol s.
	Symbols    []string
	Exprs      []ExprNode
	Stmts      []StmtNode
	Decls      []DeclNode
	Clauses    []Clause
	Fields     []Field
	Attributes []Attribute
	Directives []Directive
	ExprLists  []Expr
	StmtLists  []Stmt
	// Globals are the module's declarations in source order.
	Globals []Decl
	// Lost are names that may be declared in a part of the file that was not understood. That they
	// are undeclared elsewhere is not reported.
	Lost []Symbol
	// Foreign says that the text seems to be another language, which was reported. The rest of the
	// tree is then meaningless.
	Foreign bool

	names *names // for Lookup
}

// Text returns the text of a symbol.
func (t *Tree) Text(s Symbol) string { return t.Symbols[s] }

// Source returns the source text of a span.
func (t *Tree) Source(span source.Span) string {
	f := t.File
	if span.Start < f.Base || int(span.End-f.Base) > len(f.Text) || span.End < span.Start {
		return ""
	}
	return f.Text[span.Start-f.Base : span.End-f.Base]
}

// Filter returns the severity and the rule of a diagnostic filter, as written in the source.
func (t *Tree) Filter(list List) (severity, rule string) {
	names := t.ExprList(list)
	if len(names) != 2 {
		return "", ""
	}
	return t.Source(t.Expr(names[0]).Span), t.Source(t.Expr(names[1]).Span)
}

// Expr returns an expression. The pointer is valid until the tree grows.
func (t *Tree) Expr(e Expr) *ExprNode { return &t.Exprs[e] }

// Stmt returns a statement.
func (t *Tree) Stmt(s Stmt) *StmtNode { return &t.Stmts[s] }

// Decl returns a declaration.
func (t *Tree) Decl(d Decl) *DeclNode { return &t.Decls[d] }

// ExprList returns the expressions of a list.
func (t *Tree) ExprList(l List) []Expr { return t.ExprLists[l.Start : l.Start+l.Len] }

// StmtList returns the statements of a list.
func (t *Tree) StmtList(l List) []Stmt { return t.StmtLists[l.Start : l.Start+l.Len] }

// ClauseList returns the clauses of a switch.
func (t *Tree) ClauseList(l List) []Clause { return t.Clauses[l.Start : l.Start+l.Len] }

// FieldList returns parameters or members.
func (t *Tree) FieldList(l List) []Field { return t.Fields[l.Start : l.Start+l.Len] }

// AttributeList returns attributes.
func (t *Tree) AttributeList(l List) []Attribute { return t.Attributes[l.Start : l.Start+l.Len] }

// Unparen strips the parentheses around an expression.
func (t *Tree) Unparen(e Expr) Expr {
	for t.Exprs[e].Kind == ParenExpr {
		e = t.Exprs[e].A
	}
	return e
}
