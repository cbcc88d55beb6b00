// Package fast has kernels of package signal with 32 numbers in the registers of an item. Their
// sums are rounded as devices like it best, so strict plans do without them. Stages are those of
// Stockham's algorithm, with results in order.
//
// Source: Cochran et al., "What is the fast Fourier transform?", 1967.
package fast

//go:generate go tool gpuc gen .
