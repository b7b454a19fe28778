CREATE TABLE activation (
	code_id         BLOB    NOT NULL,
	idem_key        BLOB    NOT NULL,
	subject_id      BLOB    NOT NULL,
	request         BLOB    NOT NULL,
	slot            INTEGER, -- NULL: given back or lapsed
	seats           INTEGER NOT NULL,
	issued_at       INTEGER NOT NULL, -- Unix milliseconds, as all times
	refresh_by      INTEGER NOT NULL,
	lease_until     INTEGER NOT NULL,
	released_at     INTEGER,
	transfer_period INTEGER,
	transfer_no     INTEGER,
	PRIMARY KEY (code_id, idem_key),
	CHECK (slot IS NULL OR (slot >= 0 AND slot < seats)),
	CHECK (refresh_by > issued_at AND lease_until >= refresh_by)
) STRICT;
CREATE UNIQUE INDEX activation_slot ON activation (code_id, slot);
CREATE UNIQUE INDEX activation_subject ON activation (code_id, subject_id) WHERE slot IS NOT NULL;
CREATE UNIQUE INDEX activation_transfer ON activation (code_id, transfer_period, transfer_no) WHERE transfer_no IS NOT NULL;
