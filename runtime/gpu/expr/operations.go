package expr

// This file has the table of operations.

// op is what a tensor is computed by.
type op uint8

const (
	opData   op = iota // elements on the host or the device
	opScalar           // a number
	opReshape
	opPermute   // axis d of the result is axis axes[d] of the operand
	opSlice     // index i of axis d of the result is i + axes[d] of the operand's
	opBroadcast // as implied by operands of different shapes
	opMatMul
	opSum // reductions keep their axes, with size 1
	opMax
	opMin
	opAdd
	opSub
	opMul
	opDiv
	opMaximum
	opMinimum
	opPow
	opNeg
	opAbs
	opExp
	opLog
	opSqrt
	opRsqrt
	opTanh
	opSigmoid
	opReLU
	opGELU
	opSiLU
	opEqual
	opLess
	opLessEqual
	opWhere
	opConvert
)

// class says how an operation is computed.
type class uint8

const (
	given class = iota
	view
	product
	reduction
	elementwise
)

// operation is a row of the table. text is the WGSL of a value, with the operands as $0, $1 and $2
// and their type as $F. cost is what computing an element again is said to cost, in
// additions.
type operation struct {
	name  string
	class class
	takes kind
	text  string
	cost  int
}

var operations = [...]operation{
	opData:      {name: "Data"},
	opScalar:    {name: "Scalar"},
	opReshape:   {name: "Reshape", class: view},
	opPermute:   {name: "Permute", class: view},
	opSlice:     {name: "Slice", class: view},
	opBroadcast: {name: "Broadcast", class: view},
	opMatMul:    {name: "MatMul", class: product, takes: floats},
	opSum:       {name: "Sum", class: reduction, takes: numbers, text: "$0 + $1"},
	opMax:       {name: "Max", class: reduction, takes: numbers, text: "max($0, $1)"},
	opMin:       {name: "Min", class: reduction, takes: numbers, text: "min($0, $1)"},
	opAdd:       {"Add", elementwise, numbers, "$0 + $1", 1},
	opSub:       {"Sub", elementwise, numbers, "$0 - $1", 1},
	opMul:       {"Mul", elementwise, numbers, "$0 * $1", 1},
	opDiv:       {"Div", elementwise, numbers, "$0 / $1", 4},
	opMaximum:   {"Maximum", elementwise, numbers, "max($0, $1)", 1},
	opMinimum:   {"Minimum", elementwise, numbers, "min($0, $1)", 1},
	opPow:       {"Pow", elementwise, floats, "pow($0, $1)", 8},
	opNeg:       {"Neg", elementwise, numbers, "-$0", 1},
	opAbs:       {"Abs", elementwise, numbers, "abs($0)", 1},
	opExp:       {"Exp", elementwise, floats, "exp($0)", 8},
	opLog:       {"Log", elementwise, floats, "log($0)", 8},
	opSqrt:      {"Sqrt", elementwise, floats, "sqrt($0)", 4},
	opRsqrt:     {"Rsqrt", elementwise, floats, "inverseSqrt($0)", 4},
	opTanh:      {"Tanh", elementwise, floats, "tanh($0)", 16},
	opSigmoid:   {"Sigmoid", elementwise, floats, "sigmoid($0)", 12},
	opReLU:      {"ReLU", elementwise, numbers, "max($0, $F(0))", 1},
	opGELU:      {"GELU", elementwise, floats, "gelu($0)", 16},
	opSiLU:      {"SiLU", elementwise, floats, "$0 * sigmoid($0)", 12},
	opEqual:     {"Equal", elementwise, anything, "$0 == $1", 1},
	opLess:      {"Less", elementwise, numbers, "$0 < $1", 1},
	opLessEqual: {"LessEqual", elementwise, numbers, "$0 <= $1", 1},
	opWhere:     {"Where", elementwise, anything, "select($2, $1, $0)", 1},
	opConvert:   {"Convert", elementwise, anything, "", 1},
}

func (o op) row() *operation { return &operations[o] }

// helper is a function that texts use. It is written for the widths of values that need it, with F
// for the type of values; those of four elements have names that end in 4.
type helper struct{ name, text string }

// helpers are the functions. The error function is that of Abramowitz and Stegun 7.1.26, whose
// error is below 1.5e-7.
var helpers = [...]helper{
	{name: "sigmoid", text: `fn sigmoid(x: F) -> F {
  let e = exp(-abs(x));
  return select(e, F(1), x >= F(0)) / (F(1) + e);
}
`},
	{name: "gelu", text: `fn gelu(x: F) -> F {
  let z = abs(x) * F(0.70710678);
  let t = F(1) / (F(1) + F(0.3275911) * z);
  let series = t * (F(0.254829592) + t * (F(-0.284496736) + t * (F(1.421413741) + t * (F(-1.453152027) + t * F(1.061405429)))));
  let tail = F(0.5) * series * exp(-z * z);
  return x * select(tail, F(1) - tail, x >= F(0));
}
`},
}
