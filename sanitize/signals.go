package sanitize

// Signal is the shape of an injected instruction that was seen in a text. It annotates and never filters.
type Signal struct {
	// Name is the shape.
	Name SignalName `json:"name"`
	// Where labels the text in which it was seen.
	Where Clean `json:"where,omitzero"`
}

// SignalName names a shape of injected instruction.
type SignalName string

// Signals reports the injection shapes in s, an untrusted text, each once. where labels them.
func Signals(s string, where Clean) []Signal { return nil }
