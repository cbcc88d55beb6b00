package vendorlib

import (
	"errors"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// BLAS is a handle of cuBLAS. Matrices are in columns, as in the library: a product of matrices in
// rows exchanges the operands. The names and codes are those of cublas_api.h and library_types.h.
type BLAS struct {
	f struct {
		Create      uintptr `c:"cublasCreate_v2"`
		Destroy     uintptr `c:"cublasDestroy_v2"`
		SetStream   uintptr `c:"cublasSetStream_v2"`
		SetMath     uintptr `c:"cublasSetMathMode"`
		SetPointers uintptr `c:"cublasSetPointerMode_v2"`
		GemmEx      uintptr `c:"cublasGemmEx"`
		BatchedEx   uintptr `c:"cublasGemmStridedBatchedEx"`
		Sgemv       uintptr `c:"cublasSgemv_v2"`
		Dgemv       uintptr `c:"cublasDgemv_v2"`
		Saxpy       uintptr `c:"cublasSaxpy_v2"`
		Sdot        uintptr `c:"cublasSdot_v2"`
		Ddot        uintptr `c:"cublasDdot_v2"`
		Snrm2       uintptr `c:"cublasSnrm2_v2"`
		Sasum       uintptr `c:"cublasSasum_v2"`
		Isamax      uintptr `c:"cublasIsamax_v2"`
		Sger        uintptr `c:"cublasSger_v2"`
		Strsm       uintptr `c:"cublasStrsm_v2"`
		Ssyrk       uintptr `c:"cublasSsyrk_v2"`
		Sgeam       uintptr `c:"cublasSgeam"`

		SgeqrfBatched uintptr `c:"cublasSgeqrfBatched"`
		DgeqrfBatched uintptr `c:"cublasDgeqrfBatched"`
	}
	handle uintptr
	stream *gpu.Stream
}

// OpenBLAS opens cuBLAS for a stream. Results that are scalars are written to device memory.
func OpenBLAS(s *gpu.Stream) (*BLAS, error) {
	library, err := open("libcublas.so.13", "libcublas.so.12", "libcublas.so")
	if err != nil {
		return nil, err
	}
	b := &BLAS{stream: s}
	if err := dl.Fill(&b.f, library.Symbol); err != nil {
		return nil, err
	}
	err = s.Enqueue(func(stream uintptr, _ []uintptr) error {
		const onDevice = 1
		return errors.Join(
			failed("cublasCreate", dl.Call1(b.f.Create, uintptr(unsafe.Pointer(&b.handle)))),
			failed("cublasSetStream", dl.Call2(b.f.SetStream, b.handle, stream)),
			failed("cublasSetPointerMode", dl.Call2(b.f.SetPointers, b.handle, onDevice)))
	})
	return b, err
}

// Close gives the handle back.
func (b *BLAS) Close() error {
	return b.stream.Enqueue(func(uintptr, []uintptr) error {
		return failed("cublasDestroy", dl.Call1(b.f.Destroy, b.handle))
	})
}

// Kind is an element type of the library's, cudaDataType_t.
type Kind int32

// The element types.
const (
	F32  Kind = 0
	F64  Kind = 1
	F16  Kind = 2
	I8   Kind = 3
	I32  Kind = 10
	BF16 Kind = 14
)

// The types that products are added in, cublasComputeType_t.
const (
	Compute32F     = 68
	Compute32FTF32 = 77
	Compute64F     = 70
	Compute32I     = 72
)

// Product is C = A·B for matrices in columns: A is M×K, or K×M if TransA, and so on.
type Product struct {
	M, N, K        int
	TransA, TransB bool
	A, B, C        Kind
	Compute        int
	Batch          int // 0 is one product without batches
}

// Gemm enqueues a product. Scalars are 1 and 0, in the buffer one, whose elements have the type
// that products are added in.
func (b *BLAS) Gemm(p *Product, one gpu.Bound, x, y, z gpu.Bound) error {
	return b.stream.Enqueue(func(_ uintptr, at []uintptr) error {
		size := uintptr(4)
		if p.Compute == Compute64F {
			size = 8
		}
		lda, ldb := p.M, p.K
		var ta, tb uintptr
		if p.TransA {
			ta, lda = 1, p.K
		}
		if p.TransB {
			tb, ldb = 1, p.N
		}
		m, n, k := uintptr(p.M), uintptr(p.N), uintptr(p.K)
		const byHeuristics = ^uintptr(0) // CUBLAS_GEMM_DEFAULT
		if p.Batch > 0 {
			return failed("cublasGemmStridedBatchedEx", dl.Call(b.f.BatchedEx, b.handle, ta, tb, m, n, k, at[0], at[1], uintptr(p.A), uintptr(lda), m*k,
				at[2], uintptr(p.B), uintptr(ldb), k*n, at[0]+size, at[3], uintptr(p.C), m, m*n, uintptr(p.Batch), uintptr(p.Compute), byHeuristics))
		}
		return failed("cublasGemmEx", dl.Call(b.f.GemmEx, b.handle, ta, tb, m, n, k, at[0], at[1], uintptr(p.A), uintptr(lda), at[2], uintptr(p.B), uintptr(ldb),
			at[0]+size, at[3], uintptr(p.C), m, uintptr(p.Compute), byHeuristics))
	}, one, x, y, z)
}

// SetTF32 lets products of float32 round their operands to TF32, or not.
func (b *BLAS) SetTF32(allowed bool) error {
	mode := uintptr(0)
	if allowed {
		mode = 3 // CUBLAS_TF32_TENSOR_OP_MATH
	}
	return failed("cublasSetMathMode", dl.Call2(b.f.SetMath, b.handle, mode))
}

// Gemv enqueues y = A·x for a matrix of float32 in columns, or Aᵀ·x.
func (b *BLAS) Gemv(trans bool, m, n int, one, a, x, y gpu.Bound) error {
	t := uintptr(0)
	if trans {
		t = 1
	}
	return b.stream.Enqueue(func(_ uintptr, at []uintptr) error {
		return failed("cublasSgemv", dl.Call(b.f.Sgemv, b.handle, t, uintptr(m), uintptr(n), at[0], at[1], uintptr(m), at[2], 1, at[0]+4, at[3], 1))
	}, one, a, x, y)
}

// Level1 are the functions of vectors of float32.
type Level1 struct {
	Name string
	Run  func(b *BLAS, n int, one, x, y, result gpu.Bound) error
}

// Level1s lists them.
var Level1s = []Level1{
	{"axpy", func(b *BLAS, n int, one, x, y, _ gpu.Bound) error {
		return b.stream.Enqueue(func(_ uintptr, at []uintptr) error {
			return failed("cublasSaxpy", dl.Call(b.f.Saxpy, b.handle, uintptr(n), at[0], at[1], 1, at[2], 1))
		}, one, x, y)
	}},
	{"dot", func(b *BLAS, n int, _, x, y, result gpu.Bound) error {
		return b.stream.Enqueue(func(_ uintptr, at []uintptr) error {
			return failed("cublasSdot", dl.Call(b.f.Sdot, b.handle, uintptr(n), at[0], 1, at[1], 1, at[2]))
		}, x, y, result)
	}},
	{"nrm2", func(b *BLAS, n int, _, x, _, result gpu.Bound) error { return b.reduce(b.f.Snrm2, n, x, result) }},
	{"asum", func(b *BLAS, n int, _, x, _, result gpu.Bound) error { return b.reduce(b.f.Sasum, n, x, result) }},
	{"iamax", func(b *BLAS, n int, _, x, _, result gpu.Bound) error { return b.reduce(b.f.Isamax, n, x, result) }},
}

func (b *BLAS) reduce(function uintptr, n int, x, result gpu.Bound) error {
	return b.stream.Enqueue(func(_ uintptr, at []uintptr) error {
		return failed("cuBLAS", dl.Call(function, b.handle, uintptr(n), at[0], 1, at[1]))
	}, x, result)
}
