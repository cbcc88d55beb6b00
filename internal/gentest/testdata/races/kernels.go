// Package races has kernels with and without races, in its test.
package races
