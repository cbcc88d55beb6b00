package gonum

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/testlapack"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// lapackLeftOut are tests of testlapack that do not run, by the reason.
var lapackLeftOut = map[string]string{
	"a step of an algorithm for singular values or symmetric eigenvalues that is another one here": "Dbdsqr Dgebd2 Dgebrd Dlabrd Dlasq1 Dlasq2 Dlas2 Dlasv2 Dorgbr Dormbr Dsteqr Dsterf Dsytd2 Dsytrd Dlatrd Dorgtr Dlae2 Dlaev2",
	"eigenvalues of matrices that are not symmetric, which package linalg has not":                 "Dgebak Dgebal Dgeev Dgehd2 Dgehrd Dhseqr Dlaexc Dlahqr Dlahr2 Dlaln2 Dlanv2 Dlaqr04 Dlaqr1 Dlaqr23 Dlaqr5 Dlasy2 Dorghr Dormhr Dtrevc3 Dtrexc",
	"pairs of matrices, which package linalg does not decompose":                                   "Dgghrd Dggsvd3 Dggsvp3 Dtgsja Dlag2 Dlags2 Dlapll",
	"factors other than Q·R and L·U with partial pivoting":                                         "Dgelq2 Dgelqf Dgeql2 Dgeqp3 Dgerq2 Dgerqf Dgetc2 Dgesc2 Dlaqp2 Dlaqps Dorg2l Dorgl2 Dorglq Dorgql Dorgr2 Dorml2 Dormlq Dormr2 Dpstf2 Dpstrf",
	"factors of matrices with few diagonals":                                                       "Dgtsv Dlagtm Dpbtf2 Dpbtrf Dpbtrs Dptsv Dpttrf Dpttrs Dtbtrs Dlatbs",
	"an estimate of a condition number; Cond has the number":                                       "Dgecon Dlacn2 Dlatrs Dpbcon Dpocon Dptcon Dtrcon",
	"a norm": "Dlangb Dlange Dlangt Dlanhs Dlansb Dlanst Dlansy Dlantb Dlantr",
	"a part of functions that are tested as a whole":                                   "Dgeqr2 Dgetf2 Dlarf Dlarfb Dlarfg Dlarft Dlarfx Dlaswp Dorg2r Dorm2r Dpotf2",
	"an inverse of a triangle or of factors by Cholesky, which package linalg has not": "Dlauu2 Dlauum Dpotri Dtrti2 Dtrtri",
	"the Dtrsm of testblas, and a look at the diagonal":                                "Dtrtrs",
	"a helper that is no decomposition":                                                "Dlacpy Dlapmr Dlapmt Dlapy2 Dlartg Dlascl Dlaset Dlasr Dlasrt Dlassq Drscl Iladlc Iladlr",
	"a test of testlapack's own matrices":                                              "TestDlagge TestDlagsy TestRandomOrthogonal",
}

// TestLAPACK runs gonum's tests of the functions that run on the device. Version 0.17.0 has 136.
func TestLAPACK(t *testing.T) {
	s, err := gputest.Open(t, gpu.Named(gpu.CPU)).NewStream()
	if err != nil {
		t.Fatal(err)
	}
	l := NewLAPACK(s)
	tests := map[string]func(t *testing.T){
		"Dpotrf": func(t *testing.T) { testlapack.DpotrfTest(t, l) },
		"Dpotrs": func(t *testing.T) { testlapack.DpotrsTest(t, l) },
		"Dgetrf": func(t *testing.T) { testlapack.DgetrfTest(t, l) },
		"Dgetrs": func(t *testing.T) { testlapack.DgetrsTest(t, l) },
		"Dgetri": func(t *testing.T) { testlapack.DgetriTest(t, l) },
		"Dgesv":  func(t *testing.T) { testlapack.DgesvTest(t, l) },
		"Dgeqrf": func(t *testing.T) { testlapack.DgeqrfTest(t, l) },
		"Dormqr": func(t *testing.T) { testlapack.DormqrTest(t, l) },
		"Dorgqr": func(t *testing.T) { testlapack.DorgqrTest(t, l) },
		"Dgels":  func(t *testing.T) { testlapack.DgelsTest(t, l) },
		"Dsyev":  func(t *testing.T) { testlapack.DsyevTest(t, l) },
		"Dgesvd": func(t *testing.T) { testlapack.DgesvdTest(t, &remembering{LAPACK: l}, 1e-13) },
	}
	passed := 0
	for name, test := range tests {
		if t.Run(name, test) {
			passed++
		}
	}
	if passed != 12 {
		t.Errorf("%d of gonum's tests pass, want 12", passed)
	}
	left := 0
	for _, names := range lapackLeftOut {
		left += len(strings.Fields(names))
	}
	if passed+left != 136 {
		t.Errorf("%d tests pass and %d are left out, of 136", passed, left)
	}
}

// remembering is an implementation that computes singular values of the same matrix once.
// DgesvdTest asks three times, with work of different lengths, which is not used here.
type remembering struct {
	LAPACK
	asked   string
	matrix  []float64
	results map[string][3][]float64
}

// Dgesvd is LAPACK's, or what that was before.
func (r *remembering) Dgesvd(jobU, jobVT lapack.SVDJob, m, n int, a []float64, lda int, s, u []float64, ldu int, vt []float64, ldvt int, work []float64, lwork int) bool {
	if lwork == -1 {
		return r.LAPACK.Dgesvd(jobU, jobVT, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork)
	}
	if shape := fmt.Sprint(m, n, lda, ldu, ldvt); shape != r.asked || !slices.Equal(a, r.matrix) {
		r.asked, r.matrix, r.results = shape, slices.Clone(a), map[string][3][]float64{}
	}
	jobs := fmt.Sprint(jobU, jobVT)
	if _, ok := r.results[jobs]; !ok {
		if !r.LAPACK.Dgesvd(jobU, jobVT, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork) {
			return false
		}
		r.results[jobs] = [3][]float64{slices.Clone(s), slices.Clone(u), slices.Clone(vt)}
	}
	for k, to := range [][]float64{s, u, vt} {
		copy(to, r.results[jobs][k])
	}
	return true
}
