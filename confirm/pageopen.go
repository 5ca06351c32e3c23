package confirm

// OpenBrowser returns an Opener for this operating system. command, if not empty, is run instead: words separated by
// spaces, quoted as for secret commands, the URL in place of %s or as the last word. It fails if command cannot be split.
func OpenBrowser(command string) (Opener, error) {
	return nil, ErrNoBrowser
}
