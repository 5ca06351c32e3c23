package outbox

const (
	databaseName  = "outbox.db"
	openLockName  = "outbox.lock"
	applicationID = 0x6d676f62 // "mgob", so that another program's database is never written to
	schemaVersion = 1
)

// Times are microseconds since 1970 by the wall clock. The unique index is the last line of defence: even a bug in the
// code above it cannot have two open attempts of one message.
const schema = `
CREATE TABLE attempt (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	identity BLOB NOT NULL CHECK (length(identity) = 32),
	state TEXT NOT NULL CHECK (state IN ('reserved','sending','sent','failed','unknown','declined','expired')),
	owner TEXT NOT NULL,
	tool TEXT NOT NULL,
	subject TEXT NOT NULL,
	recipients TEXT NOT NULL,
	recipients_count INTEGER NOT NULL,
	first_domain TEXT NOT NULL,
	message_id TEXT NOT NULL DEFAULT '',
	size INTEGER NOT NULL DEFAULT 0,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL,
	accepted_at INTEGER NOT NULL DEFAULT 0,
	detail TEXT NOT NULL DEFAULT '',
	by_person INTEGER NOT NULL DEFAULT 0,
	resolved_by INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX attempt_identity ON attempt (identity);
CREATE INDEX attempt_updated ON attempt (updated_at);
CREATE UNIQUE INDEX attempt_one_open ON attempt (identity) WHERE state IN ('reserved','sending');
CREATE INDEX attempt_open ON attempt (state) WHERE state IN ('reserved','sending');
CREATE TABLE frozen (
	identity BLOB PRIMARY KEY,
	octets BLOB NOT NULL,
	at INTEGER NOT NULL
) STRICT;
CREATE TABLE slot (
	id INTEGER PRIMARY KEY,
	at INTEGER NOT NULL
) STRICT;
CREATE INDEX slot_at ON slot (at);
CREATE TABLE brake (
	id INTEGER PRIMARY KEY CHECK (id = 1),
	refusals INTEGER NOT NULL,
	locked_at INTEGER NOT NULL
) STRICT;
INSERT INTO brake VALUES (1, 0, 0);
`
