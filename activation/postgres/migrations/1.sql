CREATE TABLE IF NOT EXISTS activation (
	code_id         bytea  NOT NULL,
	idem_key        bytea  NOT NULL,
	subject_id      bytea  NOT NULL,
	request         bytea  NOT NULL,
	slot            bigint, -- NULL: given back or lapsed
	seats           bigint NOT NULL,
	issued_at       bigint NOT NULL, -- Unix milliseconds, as all times
	refresh_by      bigint NOT NULL,
	lease_until     bigint NOT NULL,
	released_at     bigint,
	transfer_period bigint,
	transfer_no     bigint,
	PRIMARY KEY (code_id, idem_key),
	CHECK (slot IS NULL OR (slot >= 0 AND slot < seats)),
	CHECK (refresh_by > issued_at AND lease_until >= refresh_by)
);
CREATE UNIQUE INDEX activation_slot ON activation (code_id, slot);
CREATE UNIQUE INDEX activation_subject ON activation (code_id, subject_id) WHERE slot IS NOT NULL;
CREATE UNIQUE INDEX activation_transfer ON activation (code_id, transfer_period, transfer_no) WHERE transfer_no IS NOT NULL;
