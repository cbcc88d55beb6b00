// Package referencetest compares packages linalg, seq, signal and image with what others have
// computed: ONNX's tests of nodes, NumPy and SciPy. It has tests alone. Programs in testdata have
// made the data.
package referencetest
