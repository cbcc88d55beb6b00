// Package misusetest calls all functions of packages linalg, seq, signal and image that enqueue
// work with arguments that are wrong in one way. It has tests alone.
package misusetest
