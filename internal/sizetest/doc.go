// Package sizetest measures what the packages of kernels add to programs. It has tests alone.
package sizetest
