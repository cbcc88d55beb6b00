// Package signal has Fourier transforms, convolutions, filters and windows, as kernels in Go for
// all devices:
//
//	plan, err := signal.PlanFFT[complex64](stream, []int{n}, batch)
//	if err != nil { … }
//	defer plan.Close()
//	err = plan.Forward(x, y) // enqueued on the stream
//
// A plan is for sizes and a stream. It has tables and scratch memory. Its calls check the
// lengths of buffers, enqueue work and return. From the second call on they allocate nothing.
//
// Results have the same bits on every device, but for some sizes without the option Strict.
package signal

//go:generate go tool gpuc gen -target spirv,ptx,cpu -math=strict .
