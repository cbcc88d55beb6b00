package lower

// The rules of passes, for tests.
var (
	ExpandI64Rules  = expandI64Rules
	Transcendentals = transcendentals
)
