package overload

import (
	"testing"

	"github.com/gpuc/gpuc/frontend/wgsl/sem"
)

// TestSignatures compiles the signatures of all builtins, which programs do one by one.
func TestSignatures(t *testing.T) {
	for row := 1; row < len(sem.Builtins); row++ {
		b := &sem.Builtins[row]
		s, err := parseSignature(b.Signature)
		if err != nil {
			t.Errorf("%s, %q: %v", b.Name, b.Signature, err)
		}
		if got := signatureOf(uint16(row)); *got != s {
			t.Errorf("%s, %q: signatureOf gives another signature", b.Name, b.Signature)
		}
	}
	if _, err := parseSignature("T: floating; T -> T"); err == nil {
		t.Error("a signature of an unknown class is none")
	}
}
