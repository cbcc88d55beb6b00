package gonum

import (
	"testing"

	"gonum.org/v1/gonum/blas/testblas"
)

// rotations are the tests of rotations.
func rotations(b Implementation) tests {
	return tests{
		"DrotgTest": func(t *testing.T) { testblas.DrotgTest(t, b, false) },
		"DrotmTest": func(t *testing.T) { testblas.DrotmTest(t, b) },
	}
}

// TestRotations runs gonum's tests of rotations.
func TestRotations(t *testing.T) { rotations(onProcessor(t)).run(t) }
