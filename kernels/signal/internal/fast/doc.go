// Package fast has kernels of package signal with 32 numbers in the registers of an item. Their
// sums are rounded as devices like it best, so strict plans do without them.
package fast

//go:generate go tool gpuc gen -target spirv,ptx,cpu .
