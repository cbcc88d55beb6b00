package diag

// Code names a kind of diagnostic. Its String is stable: users filter by it.
type Code uint16

// Entry is a code's row in the table.
type Entry struct {
	// Name is what is printed in brackets after a message.
	Name string
	// Doc explains the rule and how to satisfy it, in a few sentences.
	Doc string
	// Example is a short program that triggers the code, where one exists.
	Example string
}

// The codes are declared here and described in codes_table.go, in one order.
const (
	None Code = iota

	// the text
	InvalidUTF8
	InvalidToken
	Syntax
	NestingTooDeep
	LimitExceeded
	UnknownDirective
	UnknownExtension
	MissingExtension

	// names and declarations
	UnknownName
	Redeclared
	ReservedName
	NotAType
	NotAValue
	NotCallable
	DeclarationCycle
	Recursion
	UnknownAttribute
	InvalidAttribute
	InvalidDeclaration
	InvalidBinding
	InvalidEntryPoint
	MissingEntryPoint

	// types and values
	TypeMismatch
	InvalidFormat
	InvalidType
	NoOverload
	ArgumentCount
	UnknownMember
	InvalidIndex
	InvalidSwizzle
	NotAssignable
	NotConstant
	EvaluationError
	ConstAssertFailed
	InvalidAccess
	InvalidPointer
	Aliasing

	// statements
	MissingReturn
	MisplacedStatement
	InvalidSwitch
	InvalidLoop
	NonUniform
	UnusedResult
	InvalidDiagnosticFilter

	// what is allowed and hardly meant
	UnreachableCode
	UnusedVariable
	UnusedFunction
	UnusedBinding
	UnusedOverride
	UnusedParameter
	ConstantComparison
	FloatEquality
	IntegerDivision
	InexactLiteral
	SuspiciousBarrier
	Vec3Padding
	UnusedAllow

	// overrides
	UnknownOverride
	MissingOverride
	InvalidOverride

	// kernels written in Go
	GoError
	GoKernel
	GoSubset
	GoDivergentBarrier
	GoDivergentSubgroup
	GoFloat64
	GoIntWidth
	GoPadding

	// IR text
	IRSyntax
	IRInvalid

	// targets
	NotCompute
	TargetUnsupported
	TargetLimit
	Internal

	// the checked interpreter
	OutOfBounds
	AssertionFailed
	DataRace
	NonUniformBarrier
	UninitializedRead
	DiscardedRead
	FuelExhausted

	codeCount
)

// String returns the code's stable name.
func (c Code) String() string { return table[c].Name }

// Entry returns the code's row.
func (c Code) Entry() Entry { return table[c] }

// Codes returns all codes in table order.
func Codes() []Code {
	codes := make([]Code, 0, codeCount-1)
	for c := None + 1; c < codeCount; c++ {
		codes = append(codes, c)
	}
	return codes
}

// Lookup finds a code by its name.
func Lookup(name string) (Code, bool) {
	for _, c := range Codes() {
		if table[c].Name == name {
			return c, true
		}
	}
	return None, false
}
