package config

import "os"

// LoadProcess is LoadAll on the environment of this process, whatever o.Environ is. Secrets are removed from that environment, also when Load fails,
// so that no child process and no dump of the environment has them.
//
// On Linux the kernel goes on showing the environment that the process was started with in /proc/self/environ, to the same
// user and to root; there the octets of the value are overwritten too, if the kernel lets us. On other systems the block
// in memory stays as it was, and in any case the program that started this one has the value. A secret in a file or from
// a command is in none of these places.
func LoadProcess(s Spec, o Options) (Loaded, []Warning, error) {
	o.Environ = os.Environ()
	v, warnings, err := LoadAll(s, o)
	var names []string
	for _, decl := range s.Vars {
		if decl.Kind != KindSecret {
			continue
		}
		if _, ok := os.LookupEnv(decl.Name); ok {
			names = append(names, decl.Name)
			_ = os.Unsetenv(decl.Name) // fails for malformed names only, which cannot be set either
		}
	}
	if len(names) > 0 {
		overwrite(names)
	}
	return v, warnings, err
}
