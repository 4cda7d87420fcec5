-- Rows that have no hash of their own get a seal over their columns, so that a
-- changed bit in the file is noticed when the row is read. A row without one
-- was written before and is sealed when it is written next.
ALTER TABLE session ADD COLUMN seal BLOB NOT NULL DEFAULT x'';
ALTER TABLE inbox ADD COLUMN seal BLOB NOT NULL DEFAULT x'';
ALTER TABLE account ADD COLUMN seal BLOB NOT NULL DEFAULT x'';
ALTER TABLE reservation ADD COLUMN seal BLOB NOT NULL DEFAULT x'';

-- A saved state is only a short cut: without one a session is replayed from
-- its first frame.
DELETE FROM state;
ALTER TABLE state ADD COLUMN seal BLOB NOT NULL DEFAULT x'';
