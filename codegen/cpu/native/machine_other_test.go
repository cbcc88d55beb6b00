//go:build !arm64

package native

func init() { translator = (*selector).translate }
