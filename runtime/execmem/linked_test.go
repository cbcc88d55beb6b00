package execmem

import "testing"

// TestRegister: code is found under its key, the first that was registered.
func TestRegister(t *testing.T) {
	if callable() != nil {
		t.Skip("skipped: there is no way to call code here")
	}
	Linked{Address: 64, Size: 10}.Register("TestRegister", "one")
	Linked{Address: 128, Size: 10}.Register("TestRegister", "another")
	defer delete(registry, "TestRegister")
	if about, c := Registered("TestRegister"); c == nil || c.Address() != 64 || about != "one" || !AnyRegistered() {
		t.Errorf("found %v, %q", c, about)
	}
	if about, c := Registered("another key"); c != nil || about != "" {
		t.Errorf("a key that nothing has: %v, %q", c, about)
	}
}
