//go:build !amd64

package columns

// fast returns the primitives for columns: here the portable ones.
func fast() [len(portable)]primitive { return portable }
