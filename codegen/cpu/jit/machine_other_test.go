//go:build !arm64

package jit

func init() { translator = (*selector).translate }
