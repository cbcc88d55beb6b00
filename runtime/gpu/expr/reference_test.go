package expr_test

import (
	"math"
)

// This file evaluates tensors in float64, by plain loops over all elements. It shares nothing with
// the package. Beside each element it has a bound for the error that a device may make. It is that
// of the operands, as far as the operation passes it on, and that of the operation by WGSL's rules
// (§15.7 "Floating Point Evaluation"). It is infinite where an error may change what is chosen.

// reference is a tensor of the evaluator. Its elements are row by row.
type reference struct {
	shape  []int
	values []float64
	errors []float64
}

const ulp = 1.0 / (1 << 23)

// roundings are the relative errors of storing a float.
var roundings = map[string]float64{"float32": ulp, "float16": 1.0 / (1 << 11), "bfloat16": 1.0 / (1 << 8), "int32": 0, "bool": 0}

func size(shape []int) int {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return n
}

// at returns the position of element n of a shape.
func at(shape []int, n int) []int {
	position := make([]int, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		position[d] = n % shape[d]
		n /= shape[d]
	}
	return position
}

// next moves a position to the next element.
func next(shape, position []int) {
	for d := len(shape) - 1; d >= 0; d-- {
		if position[d]++; position[d] < shape[d] {
			return
		}
		position[d] = 0
	}
}

// offset returns the number of the element at a position, which may have more axes than the shape.
// An axis of size 1 is repeated.
func offset(shape, position []int) int {
	n := 0
	for d, s := range shape {
		p := position[len(position)-len(shape)+d]
		if s == 1 {
			p = 0
		}
		n = n*s + p
	}
	return n
}

// tabulate makes a tensor whose element at each position is what f says.
func tabulate(shape []int, f func(position []int) (value, bound float64)) reference {
	r := reference{shape, make([]float64, size(shape)), make([]float64, size(shape))}
	position := make([]int, len(shape))
	for n := range r.values {
		r.values[n], r.errors[n] = f(position)
		next(shape, position)
	}
	return r
}

// joint is the shape of operands that are broadcast, or nil.
func joint(shapes ...[]int) []int {
	rank := 0
	for _, s := range shapes {
		rank = max(rank, len(s))
	}
	result := make([]int, rank)
	for n := range result {
		result[n] = 1
	}
	for _, s := range shapes {
		for d, k := range s {
			to := &result[rank-len(s)+d]
			if k != 1 && *to != 1 && k != *to {
				return nil
			}
			if k != 1 {
				*to = k
			}
		}
	}
	return result
}

// function is an element-wise operation: of values with bounds, to a value with a bound, before the
// result is rounded to its type.
type function func(x, e []float64) (float64, float64)

// apply applies a function to all elements, and rounds to a type.
func apply(f function, element string, operands ...reference) reference {
	shapes := make([][]int, len(operands))
	for n := range operands {
		shapes[n] = operands[n].shape
	}
	x, e := make([]float64, len(operands)), make([]float64, len(operands))
	return tabulate(joint(shapes...), func(p []int) (float64, float64) {
		for n, o := range operands {
			k := offset(o.shape, p)
			x[n], e[n] = o.values[k], o.errors[k]
		}
		return rounded(f, element, x, e)
	})
}

func rounded(f function, element string, x, e []float64) (float64, float64) {
	y, bound := f(x, e)
	bound += (math.Abs(y) + bound) * roundings[element]
	if roundings[element] > 0 {
		bound += 1e-7 * roundings[element] / ulp * 1e-3
	}
	for _, b := range e {
		if len(e) < 3 && math.IsInf(b, 0) { // it may be NaN; Where chooses
			bound = b
		}
	}
	if math.IsNaN(bound) {
		bound = math.Inf(1)
	}
	return y, bound
}

// smooth makes a function of one that is monotonic between x-e and x+e, with a relative and an
// absolute error.
func smooth(f func(x float64) float64, relative, absolute float64) function {
	return func(x, e []float64) (float64, float64) {
		y := f(x[0])
		spread := math.Max(math.Abs(f(x[0]-e[0])-y), math.Abs(f(x[0]+e[0])-y))
		return y, spread + relative*math.Abs(y) + absolute
	}
}

// uncertain is the bound of a choice between x and y.
func uncertain(x, e []float64) float64 {
	if d := math.Abs(x[0] - x[1]); d <= e[0]+e[1] && e[0]+e[1] > 0 {
		return math.Inf(1)
	}
	return 0
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func gelu(x float64) float64 { return x * math.Erfc(-x/math.Sqrt2) / 2 }

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// functions are the element-wise operations by name.
var functions = map[string]function{
	"Add": func(x, e []float64) (float64, float64) { return x[0] + x[1], e[0] + e[1] },
	"Sub": func(x, e []float64) (float64, float64) { return x[0] - x[1], e[0] + e[1] },
	"Mul": func(x, e []float64) (float64, float64) {
		return x[0] * x[1], math.Abs(x[0])*e[1] + math.Abs(x[1])*e[0] + e[0]*e[1]
	},
	"Div": func(x, e []float64) (float64, float64) {
		if math.Abs(x[1]) <= 2*e[1] || math.Abs(x[1]) < 1e-30 {
			return 0, math.Inf(1)
		}
		y := x[0] / x[1]
		return y, (e[0]+math.Abs(y)*e[1])/(math.Abs(x[1])-e[1]) + 3*ulp*math.Abs(y)
	},
	"Maximum": func(x, e []float64) (float64, float64) { return math.Max(x[0], x[1]), math.Max(e[0], e[1]) },
	"Minimum": func(x, e []float64) (float64, float64) { return math.Min(x[0], x[1]), math.Max(e[0], e[1]) },
	"Neg":     func(x, e []float64) (float64, float64) { return -x[0], e[0] },
	"Abs":     func(x, e []float64) (float64, float64) { return math.Abs(x[0]), e[0] },
	"Exp": func(x, e []float64) (float64, float64) {
		y := math.Exp(x[0])
		return y, y*math.Expm1(e[0]) + (3+2*math.Abs(x[0]))*ulp*y
	},
	"Log": func(x, e []float64) (float64, float64) {
		if x[0] <= 2*e[0] || x[0] < 1e-30 {
			return 0, math.Inf(1)
		}
		return math.Log(x[0]), e[0]/(x[0]-e[0]) + 1.0/(1<<21) + 4*ulp*math.Abs(math.Log(x[0]))
	},
	"Sqrt": func(x, e []float64) (float64, float64) {
		if x[0] <= 2*e[0] {
			return 0, math.Inf(1)
		}
		y := math.Sqrt(x[0])
		return y, e[0]/y + 5*ulp*y
	},
	"Rsqrt": func(x, e []float64) (float64, float64) {
		if x[0] <= 2*e[0] || x[0] < 1e-30 {
			return 0, math.Inf(1)
		}
		y := 1 / math.Sqrt(x[0])
		return y, y*e[0]/x[0] + 3*ulp*y
	},
	"Pow": func(x, e []float64) (float64, float64) {
		if x[0] <= 2*e[0] || x[0] < 1e-6 {
			return 0, math.Inf(1)
		}
		y, log := math.Pow(x[0], x[1]), math.Log(x[0])
		inner := math.Abs(x[1])*(e[0]/(x[0]-e[0])+1.0/(1<<20)+8*ulp*math.Abs(log)) + math.Abs(log)*e[1]
		return y, y*math.Expm1(inner) + (8+4*math.Abs(x[1]*log))*ulp*y
	},
	"Tanh":    smooth(math.Tanh, 8*ulp, 1e-5),
	"Sigmoid": smooth(sigmoid, 20*ulp, 8*ulp),
	"ReLU":    smooth(func(x float64) float64 { return math.Max(x, 0) }, 0, 0),
	"GELU": func(x, e []float64) (float64, float64) {
		y := gelu(x[0])
		return y, 1.2*e[0] + 6e-7*math.Abs(x[0]) + 8*ulp*math.Abs(y)
	},
	"SiLU": func(x, e []float64) (float64, float64) {
		y := x[0] * sigmoid(x[0])
		return y, 1.2*e[0] + 20*ulp*math.Abs(y) + 8*ulp
	},
	"Equal":     func(x, e []float64) (float64, float64) { return truth(x[0] == x[1]), uncertain(x, e) },
	"Less":      func(x, e []float64) (float64, float64) { return truth(x[0] < x[1]), uncertain(x, e) },
	"LessEqual": func(x, e []float64) (float64, float64) { return truth(x[0] <= x[1]), uncertain(x, e) },
	"Where": func(x, e []float64) (float64, float64) {
		y, bound := x[2], e[2]
		if x[0] != 0 {
			y, bound = x[1], e[1]
		}
		return y, bound + e[0] // infinite if the choice is uncertain
	},
	"ToFloat": func(x, e []float64) (float64, float64) { return x[0], e[0] },
	"ToInt": func(x, e []float64) (float64, float64) {
		y := math.Trunc(x[0])
		if math.Trunc(x[0]-e[0]) != y || math.Trunc(x[0]+e[0]) != y || math.Abs(y) > 1<<30 {
			return y, math.Inf(1)
		}
		return y, 0
	},
	"ToBool": func(x, e []float64) (float64, float64) {
		return truth(x[0] != 0), uncertain([]float64{x[0], 0}, []float64{e[0], 0})
	},
	"IntDiv": func(x, e []float64) (float64, float64) {
		if x[1] == 0 {
			return x[0], 0
		}
		return math.Trunc(x[0] / x[1]), 0
	},
}

// reduceBy reduces axes to size 1.
func reduceBy(name, element string, x reference, axes []int) reference {
	shape := append([]int{}, x.shape...)
	n := 1
	for _, a := range axes {
		n *= shape[a]
		shape[a] = 1
	}
	m := size(shape)
	values, errors, magnitude, seen := make([]float64, m), make([]float64, m), make([]float64, m), make([]bool, m)
	position := make([]int, len(shape))
	for k, v := range x.values {
		to := offset(shape, position)
		next(x.shape, position)
		switch {
		case name == "Sum":
			values[to] += v
			errors[to] += x.errors[k]
			magnitude[to] += math.Abs(v) + x.errors[k]
			continue
		case !seen[to], name == "Max" && v > values[to], name == "Min" && v < values[to]:
			values[to] = v
		}
		seen[to] = true
		errors[to] = math.Max(errors[to], x.errors[k])
	}
	additions := float64(n) * ulp
	if element == "int32" {
		additions = 0
	}
	return tabulate(shape, func(p []int) (float64, float64) {
		k := offset(shape, p)
		return rounded(func(x, e []float64) (float64, float64) { return values[k], errors[k] + magnitude[k]*additions }, element, nil, nil)
	})
}

// product multiplies matrices, of batches that are broadcast.
func product(element string, x, y reference) reference {
	nx, ny := len(x.shape), len(y.shape)
	shape := append(joint(x.shape[:nx-2], y.shape[:ny-2]), x.shape[nx-2], y.shape[ny-1])
	inner := x.shape[nx-1]
	return tabulate(shape, func(p []int) (float64, float64) {
		batch, i, j := p[:len(p)-2], p[len(p)-2], p[len(p)-1]
		sum, bound, magnitude := 0.0, 0.0, 0.0
		first, second := offset(x.shape[:nx-2], batch)*x.shape[nx-2]+i, offset(y.shape[:ny-2], batch)*inner
		for k := range inner {
			a, b := first*inner+k, (second+k)*y.shape[ny-1]+j
			sum += x.values[a] * y.values[b]
			bound += math.Abs(x.values[a])*y.errors[b] + math.Abs(y.values[b])*x.errors[a] + x.errors[a]*y.errors[b]
			magnitude += math.Abs(x.values[a] * y.values[b])
		}
		return rounded(func(_, _ []float64) (float64, float64) {
			return sum, bound + magnitude*float64(inner+2)*ulp
		}, element, nil, nil)
	})
}

// permuted has the axes in another order.
func permuted(x reference, axes []int) reference {
	shape := make([]int, len(axes))
	for d, a := range axes {
		shape[d] = x.shape[a]
	}
	return tabulate(shape, func(p []int) (float64, float64) {
		from := make([]int, len(axes))
		for d, a := range axes {
			from[a] = p[d]
		}
		k := offset(x.shape, from)
		return x.values[k], x.errors[k]
	})
}

// sliced has some elements of an axis.
func sliced(x reference, axis, start, end int) reference {
	shape := append([]int{}, x.shape...)
	shape[axis] = end - start
	return tabulate(shape, func(p []int) (float64, float64) {
		from := append([]int{}, p...)
		from[axis] += start
		n := 0
		for d, s := range x.shape {
			n = n*s + from[d]
		}
		return x.values[n], x.errors[n]
	})
}

// repeated is broadcast to a shape.
func repeated(x reference, shape []int) reference {
	return tabulate(shape, func(p []int) (float64, float64) {
		k := offset(x.shape, p)
		return x.values[k], x.errors[k]
	})
}
