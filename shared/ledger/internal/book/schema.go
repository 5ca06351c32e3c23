package book

// Names of the files in the directory of the book.
const (
	DatabaseName = "ledger.db"
	KeyName      = "ledger.key"
	HeadName     = "ledger.head"
	lockName     = "ledger.lock"
	newKeyName   = "ledger.key.new"

	applicationID = 0x6d676c67 // "mglg", so that another program's database is never written to
	schemaVersion = 1
)

// Kinds of entries.
const (
	KindRecord  = 1 // something of a message was handed out
	KindForget  = 2 // the content of earlier entries was taken away
	KindExpired = 3 // all entries up to a number are gone
)

// Times are microseconds since 1970. The columns about and mid are keyed names; content is sealed, but for that of forget and
// expired, which are lists of numbers. Small rows are kept apart from content, so that the chain can be read without it.
const schema = `
CREATE TABLE book (id BLOB NOT NULL, proof BLOB NOT NULL) STRICT;
CREATE TABLE epoch (n INTEGER PRIMARY KEY, wrapped BLOB NOT NULL) STRICT;
CREATE TABLE log (
	seq INTEGER PRIMARY KEY,
	epoch INTEGER NOT NULL,
	at INTEGER NOT NULL,
	kind INTEGER NOT NULL,
	about INTEGER NOT NULL,
	mid INTEGER NOT NULL,
	tags BLOB NOT NULL,
	digest BLOB NOT NULL,
	mac BLOB NOT NULL,
	gone INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX log_about ON log (about) WHERE about <> 0;
CREATE INDEX log_mid ON log (mid) WHERE mid <> 0;
CREATE INDEX log_control ON log (seq) WHERE kind <> 1;
CREATE TABLE content (seq INTEGER PRIMARY KEY, head BLOB NOT NULL, body BLOB NOT NULL) STRICT;
CREATE TABLE run (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	epoch INTEGER NOT NULL,
	first INTEGER NOT NULL,
	last INTEGER NOT NULL,
	entries INTEGER NOT NULL,
	prints INTEGER NOT NULL,
	head BLOB NOT NULL
) STRICT;
CREATE INDEX run_first ON run (first);
CREATE TABLE block (id INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;
`
