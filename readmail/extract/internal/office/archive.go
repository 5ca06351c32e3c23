package office

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"mailgap/readmail/extract/internal/document"
)

// Limits of one archive. Real documents stay far below: a thesis of 400 pages has 40 entries and 20 MB of XML.
const (
	maxEntries         = 10_000
	maxPartOctets      = 64 << 20  // inflated, one part
	maxInflatedOctets  = 128 << 20 // inflated, all parts that are read
	maxRatio           = 300       // inflated to stored, once a part is over freeInflateOctets; deflate itself ends at 1032
	freeInflateOctets  = 8 << 20
	zipDirectoryHeader = "PK\x01\x02"
)

// errNoPart says that the archive has no such part.
var errNoPart = errors.New("office: no such part")

// archive reads parts of an Office container under limits. What it inflates counts towards one total.
type archive struct {
	parts    map[string]*zip.File // by lower-case name without leading slash
	names    []string             // in directory order
	inflated int64
	// damage counts parts whose checksum or compressed data was wrong and that were used as far as they went.
	damage int
}

func openArchive(data []byte) (*archive, error) {
	// Limit: the directory is counted before it is read, because reading takes some 300 octets of memory for each entry.
	if n := bytes.Count(data, []byte(zipDirectoryHeader)); n > 2*maxEntries {
		return nil, fmt.Errorf("%w: more than %d files in it", document.ErrTooLarge, maxEntries)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, fmt.Errorf("%w: archive: %v", document.ErrDamaged, err)
	}
	if len(z.File) > maxEntries {
		return nil, fmt.Errorf("%w: more than %d files in it", document.ErrTooLarge, maxEntries)
	}
	a := &archive{parts: make(map[string]*zip.File, len(z.File))}
	for _, f := range z.File {
		name := partKey(f.Name)
		if _, twice := a.parts[name]; !twice { // of two parts with one name Office takes the first
			a.parts[name] = f
			a.names = append(a.names, name)
		}
	}
	return a, nil
}

func partKey(name string) string {
	return strings.ToLower(strings.TrimPrefix(path.Clean(strings.ReplaceAll(name, "\\", "/")), "/"))
}

func (a *archive) has(name string) bool { return a.parts[partKey(name)] != nil }

// read inflates one part.
func (a *archive) read(name string) ([]byte, error) {
	f := a.parts[partKey(name)]
	if f == nil {
		return nil, errNoPart
	}
	rc, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%w: part: %v", document.ErrDamaged, err)
	}
	defer rc.Close()
	limit := a.allowance(f)
	b, err := io.ReadAll(io.LimitReader(rc, limit+1))
	a.inflated += int64(len(b))
	if int64(len(b)) > limit {
		return nil, fmt.Errorf("%w: it expands beyond its limits", document.ErrTooLarge)
	}
	if err != nil {
		a.damage++
	}
	return toUTF8(b), nil
}

// allowance is how far the part may expand: the smallest of what a part, the whole, and the ratio allow.
//
// Security: the directory's own word on sizes is not used for anything but the stored size, which the file bounds.
func (a *archive) allowance(f *zip.File) int64 {
	stored := int64(min(f.CompressedSize64, maxPartOctets))
	byRatio := max(stored*maxRatio, freeInflateOctets)
	return max(0, min(maxPartOctets, maxInflatedOctets-a.inflated, byRatio))
}
