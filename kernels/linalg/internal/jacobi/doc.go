// Package jacobi has the kernels of package linalg that find eigenvalues and singular values by
// Jacobi's method.
//
// Singular values are found by the one-sided method (Hestenes, "Inversion of Matrices by
// Biorthogonalization and Related Results", 1958): columns of a matrix w are rotated until they are
// orthogonal. Their norms are the singular values then. It works on blocks of columns (Bečka,
// Okša and Vajteršic, "Dynamic Ordering for a Parallel Block-Jacobi SVD Algorithm", 2002). A round
// has each block in one pair. Gram multiplies the columns of a pair with each other, Rotate
// diagonalises these products, and Update multiplies the columns by its rotations. Each kernel
// does nothing for a matrix that is done, so that no program waits for that.
//
// Matrices have rows of a whole number of blocks without gaps, and follow each other. The number of
// blocks is even. Columns that are too many are zero, and stay so.
package jacobi

//go:generate go tool gpuc gen -math=strict .
