// Package attach reads attachments from one directory that the operator chose, and judges them by content.
//
// # What it refuses
//
// Every path that is not plainly inside the directory, symbolic links that lead out of it, everything but regular
// files, files that change while they are read, files beyond the limits, names that mislead (direction characters, runs
// of spaces, an executable's extension before the last one), types that the operator did not allow, content that does not agree with the
// extension or the declared type, programs of every common format, documents with macros, content that runs when opened,
// and files that are of two types at once.
//
// # Security model
//
// The operator's directory, limits and list of types are trusted. The attacker may choose the name (through a model that was
// talked into it) and may have put files into the directory (a saved attachment of a stranger's mail is the plain
// case). Promised: nothing outside the directory is opened (os.Root holds that, links included); the octets judged are
// the octets returned, read from one open handle; MediaType follows from the content, and the extension, the
// declared type and the operator's list agree with it; no error names a file or a path.
//
// Not promised: that a document is harmless to the program that opens it. Scripts hidden in compressed streams of a PDF, and faults of
// decoders, are not found here. A hard link inside the directory is a file of the directory.
//
// # What is looked at
//
// Programs: PE and DOS, ELF, Mach-O (thin and fat), WASM, Java classes and JAR, DEX, scripts that start with "#!", LNK, MSI, CHM, deb, rpm,
// xar, disk images, compiled AppleScript and Python. Documents: VBA projects, Excel 4 macro sheets, ActiveX, embedded OLE
// objects, remote templates and DDE in OOXML; Basic and script directories in ODF; VBA storages in OLE. A document with
// a macro-enabled content type under the plain extension counts as one with macros. Active: HTML, SVG, .url, .desktop, .hta, PDF with JavaScript or
// Launch actions. Messages and archives are looked into, three levels deep.
//
// # Divergences
//
// Types are found by our own signatures, not by net/http.DetectContentType: that function answers what a browser would
// do and names something for any input; here what is not recognised is refused.
//
// Read Open first, then Classify.
package attach
