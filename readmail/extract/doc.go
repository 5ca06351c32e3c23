// Package extract gives the text of an attachment.
//
// What an attachment is, its content decides; the declared media type and the file name are hints, and a difference is noted.
// Text, HTML, tables, calendars, address cards, reports and RTF are read in this process by linear code of our own; images are handed
// on by what their header says; PDF and office documents are read in a child process, because the code that reads them is
// large and the files are hostile.
//
// # What it refuses
//
// It opens no password-protected document, reads no old binary Office format, unpacks no archive, runs no macro, formula, script or
// field, follows no reference out of the document, recognises no text in pictures, and returns no octets except those of an image.
//
// # Security model
//
// The sender controls every octet, the declared type and the name. Promised: the serving process neither crashes nor hangs nor grows beyond
// a bound that the limits state; a document costs at most Options.Timeout and, in the child, Options.MaxMemoryOctets; at most MaxChildren
// documents are read at once; no child outlives its call.
//
// The child is our own binary, started with the subcommand ChildCommand, no environment (so no password), an empty working directory
// and pipes. Before it takes in the first octet of a document it bounds its memory, and on Linux gives up files, network and
// new programs by a filter on system calls that lets through what a computing Go program needs. On other systems these are
// fewer: memory limits, on Windows a job object. Inside, PDFium runs as WebAssembly with no file system. Its reply is
// checked like foreign input.
//
// Not promised: that the text is what a person sees. Text that is set as hidden, white on white, too small, or outside of the page or
// slide is marked "[hidden in the document]" and counted where the format tells it plainly; fonts that draw other letters, pictures, and
// text behind other things are not found. All text in a Result is raw: the caller sanitises it.
//
// Read Extractor.Text first, then sniff, runChild and Child.
//
// # Divergences
//
// Of two parts with one name in an archive the first counts, as in Office. Serial dates before March 1900 follow Excel, which takes that
// year for a leap year. Recurrence rules are put into words, not expanded. A zone name that IANA or Windows knows wins
// over the definition in the calendar; a contradiction is noted.
package extract
