package difftest

// The tree of a program. It is as plain as it can be: one struct for expressions, one for
// statements, types shared and never changed. Repairs and reductions change a node by assigning to
// what its pointer points to.

// Kind is the kind of a type.
type Kind uint8

const (
	Bool Kind = iota
	I32
	U32
	F32
	F16
	AbstractInt // of const-expressions only
	Vector
	Matrix
	Array
	Struct
	Atomic
	Pointer
	Texture // Count is the number of dimensions, Elem the type of a channel
)

// Type is a WGSL type. Types without names are compared with same, structs by identity.
type Type struct {
	Kind Kind
	// of vectors the scalar, of matrices the column, of arrays, atomics and pointers what they hold
	Elem    *Type
	Count   int   // components, columns or elements; 0 for runtime-sized arrays
	Size    *Expr // how the element count is written where that is not a literal
	Name    string
	Members []Member
	Space   Space // of pointers
	Access  Access
	Layered bool         // of textures: an array of layers
	Format  *TexelFormat // of storage textures; nil for those that are only loaded from
}

// Alias is an alias declaration.
type Alias struct {
	Name string
	Type *Type
}

// Member is a member of a struct type.
type Member struct {
	Name  string
	Type  *Type
	Align int // @align, or 0
	Size  int // @size, or 0
}

// Space is an address space.
type Space uint8

const (
	FunctionSpace Space = iota
	PrivateSpace
	WorkgroupSpace
	StorageSpace
	UniformSpace
	ImmediateSpace
	HandleSpace // of textures
)

// Access is the access mode of a storage variable, pointer or storage texture.
type Access uint8

const (
	ReadWrite Access = iota
	Read
	Write // of storage textures only
)

// VarKind says how a variable is declared.
type VarKind uint8

const (
	ConstVar    VarKind = iota // const, at module or function scope
	OverrideVar                // override
	LetVar                     // let; of pointer type too
	ParamVar                   // a formal parameter
	BuiltinVar                 // a parameter of an entry point with @builtin
	MemoryVar                  // var, in any address space
)

// Var is a declared value or variable.
type Var struct {
	Name    string
	Kind    VarKind
	Type    *Type
	Space   Space
	Access  Access
	Init    *Expr // nil where there is none
	Builtin string
	Untyped bool // printed without its type, which follows from Init

	Group, Binding int
	Data           []byte  // contents of a resource before the run
	Texels         *Texels // of a texture

	ID    int // @id of an override, -1 where it goes by its name
	Set   bool
	Value uint32 // bits that the pipeline gives an override that is Set
	slot  int
}

// Op is what an expression does.
type Op uint8

const (
	OpLiteral   Op = iota // Bits, a scalar
	OpVar                 // Var
	OpMember              // Args[0] . Type.Members[Index]
	OpIndex               // Args[0] [ Args[1] ]
	OpSwizzle             // Args[0] . Name
	OpUnary               // Name Args[0]: - ! ~
	OpBinary              // Args[0] Name Args[1]
	OpConstruct           // Type(Args...), conversions and zero values too
	OpBitcast             // bitcast<Type>(Args[0])
	OpBuiltin             // Name(Args...)
	OpCall                // Func(Args...)
	OpDeref               // *Args[0]
	OpAddress             // &Args[0]
	OpResult              // Args[0] . Name: a member of a builtin's result struct
)

// Expr is an expression. Type is the type of its value; for references the type of what they
// refer to.
type Expr struct {
	Op    Op
	Type  *Type
	Args  []*Expr
	Name  string
	Var   *Var
	Func  *Func
	Index int
	Bits  uint32
	Wide  int64 // the value of an abstract integer literal
	Style uint8 // chooses among spellings
}

// StmtKind is what a statement does.
type StmtKind uint8

const (
	StmtDeclare  StmtKind = iota // Var
	StmtAssign                   // Target Name= Value; Name is empty for a simple assignment
	StmtStep                     // Target++ or Target--, as Name says
	StmtIf                       // If Value Body else Else
	StmtSwitch                   // Value, Cases
	StmtLoop                     // loop Body continuing Else, break if Value
	StmtFor                      // for (Init; Value; Update) Body
	StmtWhile                    // while Value Body
	StmtBlock                    // Body
	StmtBreak                    //
	StmtContinue                 //
	StmtReturn                   // Value or nothing
	StmtCall                     // Value is a call whose result, if any, is dropped
	StmtPhony                    // _ = Value
	// a compare-exchange loop that applies Name with Value to the atomic Target
	StmtExchange
)

// Stmt is a statement.
type Stmt struct {
	Kind   StmtKind
	Var    *Var
	Target *Expr
	Name   string
	Value  *Expr
	Body   []*Stmt
	Else   []*Stmt
	Init   *Stmt
	Update *Stmt
	Cases  []*SwitchCase
	Fuel   int // loops: leaves after so many iterations by a counter of its own; 0 is none
	Style  uint8
}

// SwitchCase is a clause of a switch.
type SwitchCase struct {
	Selectors []*Expr // const-expressions
	Default   bool
	At        int // the position of default among the selectors
	Body      []*Stmt
}

// Func is a function or an entry point.
type Func struct {
	Name      string
	Params    []*Var
	Result    *Type // nil without one
	Body      []*Stmt
	Entry     bool
	Workgroup [3]*Expr // of an entry point; nil is 1, left out at the end
}

// Program is a module with its inputs and its dispatch.
type Program struct {
	Name      string
	Seed      uint64
	Profile   string
	Robust    bool // needs accesses that are clamped and stores that are dropped
	Half      bool // enable f16
	Subgroups bool // enable subgroups
	// results of atomics may depend on the order of invocations, as long as the buffers do not
	AnyOrder   bool
	Lanes      int // invocations of a subgroup where the program is right, or 0 for any number
	Structs    []*Type
	Aliases    []Alias
	Globals    []*Var // in order of declaration
	Funcs      []*Func
	Entry      *Func
	Dispatch   [3]int
	Immediates []byte
}
