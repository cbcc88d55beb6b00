package gonum

import (
	"testing"

	"gonum.org/v1/gonum/blas/testblas"
)

// complexes are the tests of functions of complex128.
func complexes(b Implementation) tests {
	return tests{
		"ZdotuTest":  func(t *testing.T) { testblas.ZdotuTest(t, b) },
		"ZdotcTest":  func(t *testing.T) { testblas.ZdotcTest(t, b) },
		"Dznrm2Test": func(t *testing.T) { testblas.Dznrm2Test(t, b) },
		"DzasumTest": func(t *testing.T) { testblas.DzasumTest(t, b) },
		"IzamaxTest": func(t *testing.T) { testblas.IzamaxTest(t, b) },
		"ZswapTest":  func(t *testing.T) { testblas.ZswapTest(t, b) },
		"ZcopyTest":  func(t *testing.T) { testblas.ZcopyTest(t, b) },
		"ZaxpyTest":  func(t *testing.T) { testblas.ZaxpyTest(t, b) },
		"ZscalTest":  func(t *testing.T) { testblas.ZscalTest(t, b) },
		"ZdscalTest": func(t *testing.T) { testblas.ZdscalTest(t, b) },
		"ZgemvTest":  func(t *testing.T) { testblas.ZgemvTest(t, b) },
		"ZgeruTest":  func(t *testing.T) { testblas.ZgeruTest(t, b) },
		"ZgercTest":  func(t *testing.T) { testblas.ZgercTest(t, b) },
		"ZgemmTest":  func(t *testing.T) { testblas.ZgemmTest(t, b) },
		"ZherkTest":  func(t *testing.T) { testblas.ZherkTest(t, b) },
		"ZsyrkTest":  func(t *testing.T) { testblas.ZsyrkTest(t, b) },
		"Zher2kTest": func(t *testing.T) { testblas.Zher2kTest(t, b) },
		"Zsyr2kTest": func(t *testing.T) { testblas.Zsyr2kTest(t, b) },
		"ZhemmTest":  func(t *testing.T) { testblas.ZhemmTest(t, b) },
		"ZsymmTest":  func(t *testing.T) { testblas.ZsymmTest(t, b) },
		"ZtrmmTest":  func(t *testing.T) { testblas.ZtrmmTest(t, b) },
		"ZtrsmTest":  func(t *testing.T) { testblas.ZtrsmTest(t, b) },
		"ZhemvTest":  func(t *testing.T) { testblas.ZhemvTest(t, b) },
		"ZherTest":   func(t *testing.T) { testblas.ZherTest(t, b) },
		"Zher2Test":  func(t *testing.T) { testblas.Zher2Test(t, b) },
		"ZtrmvTest":  func(t *testing.T) { testblas.ZtrmvTest(t, b) },
		"ZtrsvTest":  func(t *testing.T) { testblas.ZtrsvTest(t, b) },
	}
}

// TestComplexBLAS runs gonum's tests of the functions of complex128 that run on the device.
func TestComplexBLAS(t *testing.T) {
	complexes(onProcessor(t)).run(t, "ZgemmTest", "ZherkTest", "ZsyrkTest", "Zher2kTest", "Zsyr2kTest", "ZhemmTest", "ZsymmTest")
}
