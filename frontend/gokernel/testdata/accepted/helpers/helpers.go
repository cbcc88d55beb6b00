// Package helpers is called by kernels of another package.
package helpers

import "math"

// Half is a constant.
const Half = 0.5

var weights = [...]float32{1, 2, 4}

// Weight reads a table.
func Weight(i int) float32 { return weights[i] }

// Mix mixes two numbers.
func Mix(a, b, t float32) float32 { return a + (b-a)*t }

// Vector is a position.
type Vector struct{ X, Y float32 }

// Length returns the distance from the origin.
func (v Vector) Length() float32 { return float32(math.Sqrt(float64(v.X*v.X + v.Y*v.Y))) }

// Host stays on the host.
func Host() map[string]int { return map[string]int{"a": 1} }
