package syntax

// Token is a kind of token (WGSL §3.5 to §3.9). Operators double as the operators of the tree.
type Token uint8

// The tokens.
const (
	EndOfFile Token = iota
	BadToken
	Ident
	IntLiteral
	FloatLiteral
	StringLiteral // of the extension gpuc_debug

	// punctuation
	LeftParen
	RightParen
	LeftBracket
	RightBracket
	LeftBrace
	RightBrace
	TemplateStart // a `<` that opens a template list (WGSL §3.9)
	TemplateEnd   // the `>` that closes it
	Semicolon
	Comma
	Colon
	Dot
	At
	Arrow
	Underscore

	// operators
	Assign
	Plus
	Minus
	Star
	Slash
	Percent
	And
	Or
	Xor
	Tilde
	Not
	Less
	LessEqual
	Greater
	GreaterEqual
	Equal
	NotEqual
	AndAnd
	OrOr
	ShiftLeft
	ShiftRight
	PlusPlus
	MinusMinus
	PlusAssign
	MinusAssign
	StarAssign
	SlashAssign
	PercentAssign
	AndAssign
	OrAssign
	XorAssign
	ShiftLeftAssign
	ShiftRightAssign

	// keywords
	KeywordAlias
	KeywordBreak
	KeywordCase
	KeywordConst
	KeywordConstAssert
	KeywordContinue
	KeywordContinuing
	KeywordDefault
	KeywordDiagnostic
	KeywordDiscard
	KeywordElse
	KeywordEnable
	KeywordFalse
	KeywordFn
	KeywordFor
	KeywordIf
	KeywordLet
	KeywordLoop
	KeywordOverride
	KeywordRequires
	KeywordReturn
	KeywordStruct
	KeywordSwitch
	KeywordTrue
	KeywordVar
	KeywordWhile

	tokenCount
)

// spelling has each token's text, or a description for those without one.
var spelling = [tokenCount]string{
	EndOfFile: "end of file", BadToken: "invalid token", Ident: "identifier",
	IntLiteral: "integer literal", FloatLiteral: "floating-point literal", StringLiteral: "string literal",
	LeftParen: "(", RightParen: ")", LeftBracket: "[", RightBracket: "]", LeftBrace: "{", RightBrace: "}",
	TemplateStart: "<", TemplateEnd: ">", Semicolon: ";", Comma: ",", Colon: ":", Dot: ".", At: "@",
	Arrow: "->", Underscore: "_",
	Assign: "=", Plus: "+", Minus: "-", Star: "*", Slash: "/", Percent: "%", And: "&", Or: "|", Xor: "^",
	Tilde: "~", Not: "!", Less: "<", LessEqual: "<=", Greater: ">", GreaterEqual: ">=", Equal: "==",
	NotEqual: "!=", AndAnd: "&&", OrOr: "||", ShiftLeft: "<<", ShiftRight: ">>",
	PlusPlus: "++", MinusMinus: "--", PlusAssign: "+=", MinusAssign: "-=", StarAssign: "*=",
	SlashAssign: "/=", PercentAssign: "%=", AndAssign: "&=", OrAssign: "|=", XorAssign: "^=",
	ShiftLeftAssign: "<<=", ShiftRightAssign: ">>=",
	KeywordAlias: "alias", KeywordBreak: "break", KeywordCase: "case", KeywordConst: "const",
	KeywordConstAssert: "const_assert", KeywordContinue: "continue", KeywordContinuing: "continuing",
	KeywordDefault: "default", KeywordDiagnostic: "diagnostic", KeywordDiscard: "discard",
	KeywordElse: "else", KeywordEnable: "enable", KeywordFalse: "false", KeywordFn: "fn",
	KeywordFor: "for", KeywordIf: "if", KeywordLet: "let", KeywordLoop: "loop",
	KeywordOverride: "override", KeywordRequires: "requires", KeywordReturn: "return",
	KeywordStruct: "struct", KeywordSwitch: "switch", KeywordTrue: "true", KeywordVar: "var",
	KeywordWhile: "while",
}

// String returns the token's text, or a description for tokens with various texts.
func (t Token) String() string { return spelling[t] }

// IsKeyword reports whether t is a keyword.
func (t Token) IsKeyword() bool { return t >= KeywordAlias && t < tokenCount }
