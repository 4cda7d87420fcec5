-- The first schema. Files here are never changed once released: a change is
-- the next file.

-- Small facts of the store itself. Leases count over all sessions, so that a
-- lease of a deleted session cannot pass for one of its successor.
CREATE TABLE counter (
    name  TEXT NOT NULL PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO counter (name, value) VALUES ('lease', 0);

-- A session. Ids are never used twice: a reader that was overtaken by a delete
-- must not find another session's frames under the id it knows.
CREATE TABLE session (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant      TEXT NOT NULL,
    name        TEXT NOT NULL,
    created     INTEGER NOT NULL,
    updated     INTEGER NOT NULL,
    -- the last frame
    seq         INTEGER NOT NULL DEFAULT 0,
    hash        BLOB NOT NULL DEFAULT x'',
    frame_time  INTEGER NOT NULL DEFAULT 0,
    -- the last command, and the time of the first that is pending
    position    INTEGER NOT NULL DEFAULT 0,
    pending_at  INTEGER,
    -- the newest lease; all zero is none
    lease_token INTEGER NOT NULL DEFAULT 0,
    lease_owner TEXT NOT NULL DEFAULT '',
    lease_until INTEGER NOT NULL DEFAULT 0,
    -- the summary
    status      TEXT NOT NULL DEFAULT '',
    agent       TEXT NOT NULL DEFAULT '',
    title       TEXT NOT NULL DEFAULT '',
    parent      TEXT NOT NULL DEFAULT '',
    active      INTEGER NOT NULL DEFAULT 0,
    wake_at     INTEGER NOT NULL DEFAULT 0,
    cost        INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE UNIQUE INDEX session_name ON session (tenant, name);
CREATE INDEX session_age ON session (tenant, created DESC, name);
CREATE INDEX session_status ON session (tenant, status, created DESC, name);
CREATE INDEX session_parent ON session (tenant, parent, created DESC, name) WHERE parent <> '';
CREATE INDEX session_wake ON session (wake_at) WHERE wake_at <> 0;
CREATE INDEX session_inbox ON session (pending_at) WHERE pending_at IS NOT NULL;
CREATE INDEX session_active ON session (lease_until) WHERE active = 1;

-- Saved states are large beside the rest of a session and change less often.
CREATE TABLE state (
    session INTEGER NOT NULL PRIMARY KEY,
    seq     INTEGER NOT NULL,
    data    BLOB NOT NULL
) STRICT;

-- A frame. The first of an append carries the append's small blobs, one after
-- the other, in pack; it comes last so that reading frames passes it by.
CREATE TABLE frame (
    id      INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    seq     INTEGER NOT NULL,
    time    INTEGER NOT NULL,
    hash    BLOB NOT NULL,
    prev    BLOB NOT NULL,
    data    BLOB NOT NULL,
    pack    BLOB
) STRICT;

CREATE UNIQUE INDEX frame_seq ON frame (session, seq);

-- A tenant's blob: a piece of a frame's pack, or its data here.
CREATE TABLE blob (
    id     INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    ref    BLOB NOT NULL,
    frame  INTEGER,
    start  INTEGER NOT NULL DEFAULT 0,
    size   INTEGER NOT NULL,
    data   BLOB
) STRICT;

CREATE UNIQUE INDEX blob_ref ON blob (tenant, ref);

-- Which session holds which blob.
CREATE TABLE held (
    session INTEGER NOT NULL,
    blob    INTEGER NOT NULL,
    PRIMARY KEY (session, blob)
) STRICT, WITHOUT ROWID;

CREATE INDEX held_blob ON held (blob);

-- A command. Once it is settled its content is in the journal and goes from
-- here; key, digest and answer stay for whoever repeats it.
CREATE TABLE inbox (
    id       INTEGER PRIMARY KEY,
    session  INTEGER NOT NULL,
    position INTEGER NOT NULL,
    key      TEXT NOT NULL,
    digest   BLOB NOT NULL,
    at       INTEGER NOT NULL,
    creates  INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    body     BLOB NOT NULL,
    refs     BLOB NOT NULL,
    settled  INTEGER NOT NULL DEFAULT 0,
    answer   BLOB
) STRICT;

CREATE UNIQUE INDEX inbox_key ON inbox (session, key);
CREATE UNIQUE INDEX inbox_pending ON inbox (session, position) WHERE settled = 0;

CREATE TABLE account (
    tenant   TEXT NOT NULL,
    name     TEXT NOT NULL,
    spent    INTEGER NOT NULL DEFAULT 0,
    reserved INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE reservation (
    tenant  TEXT NOT NULL,
    account TEXT NOT NULL,
    id      TEXT NOT NULL,
    amount  INTEGER NOT NULL,
    settled INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, account, id)
) STRICT, WITHOUT ROWID;
