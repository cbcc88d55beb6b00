package vendorlib

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// Solver is a handle of cuSOLVER. Matrices are in columns, as in the library. The names and codes
// are those of cusolverDn.h.
type Solver struct {
	library *dl.Library
	stream  *gpu.Stream
	// handle is that of the library. The others are parameters: of the functions with 64 bits, and
	// of both kinds of Jacobi's method.
	handle, params, svd, eigen uintptr
	// asked are lengths of workspaces, and difference is what gesvdp finds out. The library writes
	// them.
	asked      [2]uint64
	difference float64
}

// OpenSolver opens cuSOLVER for a stream, and before it the libraries that it needs, since the
// system's loader may not find them.
func OpenSolver(s *gpu.Stream) (*Solver, error) {
	for _, names := range [][]string{
		{"libnvJitLink.so.13", "libnvJitLink.so.12"}, {"libcublasLt.so.13", "libcublasLt.so.12"},
		{"libcublas.so.13", "libcublas.so.12"}, {"libcusparse.so.12"},
	} {
		_, _ = open(names...) // cuSOLVER's error says what is missing
	}
	library, err := open("libcusolver.so.12", "libcusolver.so.11", "libcusolver.so")
	if err != nil {
		return nil, err
	}
	v := &Solver{library: library, stream: s}
	err = s.Enqueue(func(stream uintptr, _ []uintptr) error {
		for _, c := range [...]struct {
			function string
			to       *uintptr
		}{{"Create", &v.handle}, {"CreateParams", &v.params}, {"CreateGesvdjInfo", &v.svd}, {"CreateSyevjInfo", &v.eigen}} {
			if err := v.call("cusolverDn"+c.function, uintptr(unsafe.Pointer(c.to))); err != nil {
				return err
			}
		}
		return v.call("cusolverDnSetStream", v.handle, stream)
	})
	return v, err
}

// Close gives the handle back.
func (v *Solver) Close() error {
	return v.stream.Enqueue(func(uintptr, []uintptr) error {
		return errors.Join(v.call("cusolverDnDestroyGesvdjInfo", v.svd), v.call("cusolverDnDestroySyevjInfo", v.eigen),
			v.call("cusolverDnDestroyParams", v.params), v.call("cusolverDnDestroy", v.handle))
	})
}

// call calls a function of the library.
//
//go:uintptrescapes
func (v *Solver) call(name string, arguments ...uintptr) error {
	at := v.library.Symbol(name)
	if at == 0 {
		return fmt.Errorf("%s has no function %s", v.library.Name(), name)
	}
	return failed(name, dl.Call(at, arguments...))
}

// Decomposition is what functions of the library read and write: Count matrices of N × N elements
// of F32 or F64. A is replaced. Values has N elements for each matrix, as Tau has, and U and V have
// as many as A. Info has one. Those that a function does not use may be nil.
type Decomposition struct {
	Kind                 Kind
	N, Count             int
	A, Values, U, V, Tau gpu.Bound
	Info                 *gpu.Buffer[int32]
}

// Routine is a function that decomposes. It makes all vectors.
type Routine struct {
	Name string
	wide bool // has 64 bits, and no name of its own for each type
	// size and run return what the function for the length of the workspace, and the function,
	// take after the handle.
	size, run func(v *Solver, o *operands) []uintptr
}

// operands are the addresses of a decomposition, and the workspaces on both sides with their
// lengths, which are elements unless the routine is wide.
type operands struct {
	a, values, u, v, tau, info     uintptr
	work, length, host, hostLength uintptr
	n, count, kind                 uintptr
	// asked is where lengths are written.
	asked [2]uintptr
}

const (
	vectors = 1 // CUSOLVER_EIG_MODE_VECTOR
	lower   = 0 // CUBLAS_FILL_MODE_LOWER
	all     = 'A'
	whole   = 0 // econ: all vectors
)

// The routines for singular values, eigenvalues of symmetric matrices and QR: of one large matrix,
// and of many. gesvdjBatched takes up to 32 rows.
var (
	SVDs = []Routine{
		{"gesvd", false,
			func(_ *Solver, o *operands) []uintptr { return []uintptr{o.n, o.n, o.asked[0]} },
			func(_ *Solver, o *operands) []uintptr {
				return []uintptr{all, all, o.n, o.n, o.a, o.n, o.values, o.u, o.n, o.v, o.n, o.work, o.length, 0, o.info}
			}},
		{"gesvdj", false,
			func(v *Solver, o *operands) []uintptr {
				return []uintptr{vectors, whole, o.n, o.n, o.a, o.n, o.values, o.u, o.n, o.v, o.n, o.asked[0], v.svd}
			},
			func(v *Solver, o *operands) []uintptr {
				return []uintptr{vectors, whole, o.n, o.n, o.a, o.n, o.values, o.u, o.n, o.v, o.n, o.work, o.length, o.info, v.svd}
			}},
		{"Xgesvdp", true,
			func(v *Solver, o *operands) []uintptr {
				return []uintptr{v.params, vectors, whole, o.n, o.n, o.kind, o.a, o.n, o.kind, o.values, o.kind, o.u, o.n, o.kind, o.v, o.n, o.kind, o.asked[0], o.asked[1]}
			},
			func(v *Solver, o *operands) []uintptr {
				return []uintptr{v.params, vectors, whole, o.n, o.n, o.kind, o.a, o.n, o.kind, o.values, o.kind, o.u, o.n, o.kind, o.v, o.n, o.kind,
					o.work, o.length, o.host, o.hostLength, o.info, uintptr(unsafe.Pointer(&v.difference))}
			}},
	}
	SVDBatches = []Routine{
		{"gesvdjBatched", false,
			func(v *Solver, o *operands) []uintptr {
				return []uintptr{vectors, o.n, o.n, o.a, o.n, o.values, o.u, o.n, o.v, o.n, o.asked[0], v.svd, o.count}
			},
			func(v *Solver, o *operands) []uintptr {
				return []uintptr{vectors, o.n, o.n, o.a, o.n, o.values, o.u, o.n, o.v, o.n, o.work, o.length, o.info, v.svd, o.count}
			}},
	}
	Eigens = []Routine{
		{"syevd", false,
			func(_ *Solver, o *operands) []uintptr {
				return []uintptr{vectors, lower, o.n, o.a, o.n, o.values, o.asked[0]}
			},
			func(_ *Solver, o *operands) []uintptr {
				return []uintptr{vectors, lower, o.n, o.a, o.n, o.values, o.work, o.length, o.info}
			}},
		{"syevj", false,
			func(v *Solver, o *operands) []uintptr {
				return []uintptr{vectors, lower, o.n, o.a, o.n, o.values, o.asked[0], v.eigen}
			},
			func(v *Solver, o *operands) []uintptr {
				return []uintptr{vectors, lower, o.n, o.a, o.n, o.values, o.work, o.length, o.info, v.eigen}
			}},
	}
	EigenBatches = []Routine{
		{"syevjBatched", false,
			func(v *Solver, o *operands) []uintptr {
				return []uintptr{vectors, lower, o.n, o.a, o.n, o.values, o.asked[0], v.eigen, o.count}
			},
			func(v *Solver, o *operands) []uintptr {
				return []uintptr{vectors, lower, o.n, o.a, o.n, o.values, o.work, o.length, o.info, v.eigen, o.count}
			}},
		{"XsyevBatched", true,
			func(v *Solver, o *operands) []uintptr {
				return []uintptr{v.params, vectors, lower, o.n, o.kind, o.a, o.n, o.kind, o.values, o.kind, o.asked[0], o.asked[1], o.count}
			},
			func(v *Solver, o *operands) []uintptr {
				return []uintptr{v.params, vectors, lower, o.n, o.kind, o.a, o.n, o.kind, o.values, o.kind, o.work, o.length, o.host, o.hostLength, o.info, o.count}
			}},
	}
	QRs = []Routine{
		{"geqrf", false,
			func(_ *Solver, o *operands) []uintptr { return []uintptr{o.n, o.n, o.a, o.n, o.asked[0]} },
			func(_ *Solver, o *operands) []uintptr {
				return []uintptr{o.n, o.n, o.a, o.n, o.tau, o.work, o.length, o.info}
			}},
	}
)

// Has reports whether the library has a routine. Older ones have fewer.
func (v *Solver) Has(r Routine) bool { return v.library.Symbol(r.symbol(F32)) != 0 }

// symbol is the function's name for a type.
func (r Routine) symbol(k Kind) string {
	switch {
	case r.wide:
		return "cusolverDn" + r.Name
	case k == F64:
		return "cusolverDnD" + r.Name
	}
	return "cusolverDnS" + r.Name
}

// Prepare makes the workspace of a routine, and returns what enqueues it. The workspace is closed
// with close.
func (v *Solver) Prepare(r Routine, d *Decomposition) (run, close func() error, err error) {
	list := []gpu.Bound{d.A, d.Values, d.U, d.V, d.Tau, d.Info}
	for k, b := range list {
		if b == nil {
			list[k] = d.Info
		}
	}
	o := &operands{n: uintptr(d.N), count: uintptr(d.Count), kind: uintptr(d.Kind)}
	for k := range o.asked {
		o.asked[k] = uintptr(unsafe.Pointer(&v.asked[k]))
	}
	at := func(list []uintptr) {
		o.a, o.values, o.u, o.v, o.tau, o.info = list[0], list[1], list[2], list[3], list[4], list[5]
	}
	v.asked = [2]uint64{}
	symbol := r.symbol(d.Kind)
	err = v.stream.Enqueue(func(_ uintptr, list []uintptr) error {
		at(list)
		return v.call(symbol+"_bufferSize", append([]uintptr{v.handle}, r.size(v, o)...)...)
	}, list...)
	runtime.KeepAlive(v)
	if err != nil {
		return nil, nil, err
	}
	o.length, o.hostLength = uintptr(v.asked[0]), uintptr(v.asked[1])
	bytes := int(o.length)
	switch {
	case !r.wide && d.Kind == F64:
		bytes *= 8
	case !r.wide:
		bytes *= 4
	}
	work, err := gpu.AllocUninitialized[byte](v.stream, max(bytes, 256))
	if err != nil {
		return nil, nil, err
	}
	host := make([]byte, max(o.hostLength, 1))
	o.host = uintptr(dl.First(host))
	list = append(list, work)
	return func() error {
		defer runtime.KeepAlive(host)
		return v.stream.Enqueue(func(_ uintptr, list []uintptr) error {
			at(list)
			o.work = list[6]
			return v.call(symbol, append([]uintptr{v.handle}, r.run(v, o)...)...)
		}, list...)
	}, work.Close, nil
}

// QRBatch returns what factors matrices in columns, as geqrf does: cuBLAS has that for batches. It
// replaces A, and closes its memory with close.
func (b *BLAS) QRBatch(d *Decomposition) (run, close func() error, err error) {
	size, function := uintptr(4), b.f.SgeqrfBatched
	if d.Kind == F64 {
		size, function = 8, b.f.DgeqrfBatched
	}
	n := uintptr(d.N)
	var addresses []byte // of all matrices, and then of their tau
	err = b.stream.Enqueue(func(_ uintptr, at []uintptr) error {
		for k, each := range [...]uintptr{n * n * size, n * size} {
			for p := range uintptr(d.Count) {
				addresses = binary.NativeEndian.AppendUint64(addresses, uint64(at[k]+p*each))
			}
		}
		return nil
	}, d.A, d.Tau)
	if err != nil {
		return nil, nil, err
	}
	pointers, err := gpu.AllocUninitialized[byte](b.stream, len(addresses))
	if err != nil {
		return nil, nil, err
	}
	if err := pointers.Write(b.stream, addresses); err != nil {
		return nil, nil, errors.Join(err, pointers.Close())
	}
	info := new(int32)
	return func() error {
		return b.stream.Enqueue(func(_ uintptr, at []uintptr) error {
			return failed("geqrfBatched", dl.Call(function, b.handle, n, n, at[0], n, at[0]+uintptr(d.Count)*8, uintptr(unsafe.Pointer(info)), uintptr(d.Count)))
		}, pointers, d.A, d.Tau)
	}, pointers.Close, nil
}
