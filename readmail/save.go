package readmail

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

const maxSaveTries = 1000 // files of one name in the download directory

// saveFile writes octets under a new name in dir and returns that name: name itself, or "name (2).txt" and so on while such
// a file exists. name must be a safe file name; nothing outside dir can be reached, not even through a symbolic
// link in it, and no file is overwritten.
func saveFile(dir, name string, octets []byte) (string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	stem, ending := splitName(name)
	for i := 1; i <= maxSaveTries; i++ {
		candidate := name
		if i > 1 {
			candidate = fmt.Sprintf("%s (%d)%s", stem, i, ending)
		}
		f, err := root.OpenFile(candidate, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		if err := writeAll(f, octets); err != nil {
			return "", errors.Join(err, root.Remove(candidate))
		}
		return candidate, nil
	}
	return "", errors.New("readmail: too many files of that name")
}

func writeAll(f *os.File, octets []byte) error {
	if _, err := f.Write(octets); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := f.Sync(); err != nil {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}
