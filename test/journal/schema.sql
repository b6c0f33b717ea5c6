CREATE TABLE alerts (
  raised_cursor integer primary key,
  code text not null,
  route text not null,         -- '' where it is about no route
  subject text not null,
  since integer not null,
  message text not null,
  fix text not null,
  raised_at integer not null,
  ended_cursor integer,
  ended_at integer
) strict;

CREATE UNIQUE INDEX alerts_ended on alerts (ended_cursor) where ended_cursor is not null;

CREATE UNIQUE INDEX alerts_standing on alerts (code, route, subject) where ended_cursor is null;

CREATE TABLE answered_sets (         -- the first verdict on each set of an outgoing interchange; sets that follow each other in one row
  delivery_id text not null references deliveries (id),
  first_set integer not null,        -- from 1
  last_set integer not null,
  verdict text not null check (verdict in ('A', 'E', 'R')),
  reasons text not null,             -- JSON
  answer integer not null references received_answers (number),
  applied integer not null default 0,            -- 1 once the route that sent them carried it out
  primary key (delivery_id, first_set)
) strict, without rowid;

CREATE INDEX answered_sets_of_answer on answered_sets (answer);

CREATE INDEX answered_sets_refused on answered_sets (delivery_id) where verdict = 'R';

CREATE TABLE answers (  -- only where something of an answer is needed later
  record_id integer primary key references records (id) on delete cascade,
  answer text not null
) strict;

CREATE TABLE attempts (
  record_id integer not null references records (id) on delete cascade,
  attempt integer not null,
  began_at integer not null,
  note text,            -- what must be known to reconcile a lost answer
  ended_at integer,     -- null when no answer was ever noted
  http integer,
  result text,
  version text references versions (id),
  primary key (record_id, attempt)
) strict, without rowid;

CREATE TABLE bodies (
  record_id integer primary key references records (id) on delete cascade,
  body text not null,
  note text,            -- what must be known to reconcile a lost answer, where planning knew it
  target text,          -- what the record changes; null for what may not be repeated
  changes text,         -- which values of it
  file_number integer   -- so that only later files are read
, cents integer) strict;

CREATE INDEX bodies_by_target on bodies (target, file_number) where target is not null;

CREATE TABLE corrections (
  decision_id integer primary key references decisions (id),
  file_id text not null references files (id),
  route text not null,
  folder text not null,
  name text not null,
  sha256 text not null,        -- of the corrected file as it is left
  source_sha256 text not null, -- of the file whose rows were corrected
  left_at integer,
  given_up_at integer,         -- it was never left, or another program removed it
  taken_as text references files (id)
) strict;

CREATE INDEX corrections_of_file on corrections (file_id, decision_id);

CREATE UNIQUE INDEX corrections_taken on corrections (taken_as) where taken_as is not null;

CREATE INDEX corrections_to_take on corrections (route, name) where taken_as is null;

CREATE TABLE decided_records (
  record_id integer not null references records (id) on delete cascade,
  decision_id integer not null references decisions (id),
  primary key (record_id, decision_id)
) strict, without rowid;

CREATE INDEX decided_by_decision on decided_records (decision_id);

CREATE TABLE decisions (
  id integer primary key,
  file_id text references files (id),
  delivery_id text references deliveries (id),
  action text not null check (action in ('release', 'discard', 'resolve-accepted', 'resolve-absent', 'resolve-discard',
    'resolve-delivered', 'resolve-again', 'restored', 'doubt-ended', 'dismiss', 'set-numbers', 'correct', 'redeliver',
    'pause', 'resume')),
  decided_by text not null,
  why text not null,
  decided_at integer not null,
  records integer not null,
  via text -- where a person decided; null on the command line
) strict;

CREATE INDEX decisions_of_file on decisions (file_id, id);

CREATE TABLE deliveries (
  id text primary key,
  route text not null,
  sequence integer not null,    -- counts the deliveries of the route, without gaps
  folder text not null,
  name text not null,
  sha256 text not null,
  rows integer not null,
  records integer not null,
  state text not null,
  composed_at integer not null,
  delivered_at integer,
  acknowledged_at integer,
  pruned_at integer,
  place text,                 -- the place where the file was left
  acknowledge_by integer,       -- when the first of its records should be acknowledged
  confirmed_at integer,
  confirmed_by text,                -- 'picked-up', or the receipt's name
  held text,                    -- why it is not delivered, as text
  version text references versions (id),
  unique (route, sequence)
) strict;

CREATE INDEX deliveries_by_name on deliveries (route, name);

CREATE INDEX deliveries_by_time on deliveries (composed_at, sequence);

CREATE INDEX deliveries_held on deliveries (composed_at, id) where held is not null;

CREATE INDEX deliveries_to_prune on deliveries (id) where state in ('acknowledged', 'done') and pruned_at is null;

CREATE INDEX deliveries_unfinished on deliveries (route, sequence) where state not in ('acknowledged', 'done');

CREATE TABLE documents (
  record_id integer not null references records (id) on delete cascade,
  kind text not null,
  mailbox text not null,
  folder text not null,
  name text,            -- reserved before a file has it
  state text not null,
  problem text,
  changed_at integer not null,
  primary key (record_id, kind)
) strict, without rowid;

CREATE UNIQUE INDEX documents_by_name on documents (mailbox, folder, name collate nocase) where name is not null;

CREATE INDEX documents_missing on documents (record_id, kind) where state <> 'delivered';

CREATE INDEX documents_wanted on documents (record_id) where state = 'wanted';

CREATE TABLE events (
  id integer primary key,   -- without gaps
  at integer not null,
  kind text not null,
  route text,
  subject text,             -- the id of a file or delivery
  detail text not null,     -- ids, states, counts and hashes; no personal data
  hash text not null        -- SHA-256 over the hash before it and this row
) strict;

CREATE INDEX events_of_submission on events (subject, id) where kind = 'file-submitted';

CREATE TABLE files (
  number integer primary key,   -- the order of the claims
  id text not null unique,
  route text not null,
  folder text not null,
  name text not null,
  size integer not null,
  modified_at real not null,    -- as the mailbox states it, with its fractions
  state text not null,
  outcome text,
  sha256 text,
  duplicate_of text references files (id),
  problems text not null default '[]',
  key_columns text not null default '[]',
  header_lines integer not null default 0,
  encoding text,
  report_name text,
  archived_as text,
  source_removed integer not null default 0,   -- 1 where another program removed it before it was archived
  claimed_at integer not null,
  received_at integer,
  planned_at integer,
  submitted_at integer,
  reported_at integer,
  closed_at integer,
  reports integer not null default 0,   -- how often it was reported and then taken up again
  taken_up_at integer,                  -- when that was last
  pruned_at integer,
  retake_of text references files (id), -- the archived file that was taken again
  version text references versions (id), -- what made its records
  part_of text references files (id)    -- the file of interchanges whose sets it has for its route
, record_total integer) strict;

CREATE INDEX files_by_contents on files (route, sha256);

CREATE INDEX files_by_name on files (route, name);

CREATE INDEX files_lost on files (number) where outcome in ('unusable', 'vanished') or source_removed = 1;

CREATE INDEX files_of_route on files (route, number);

CREATE INDEX files_that_are_parts on files (part_of) where part_of is not null;

CREATE INDEX files_to_prune on files (id) where state = 'closed' and pruned_at is null;

CREATE INDEX files_unfinished on files (route, number) where state <> 'closed';

CREATE TABLE identity (
  id text not null,
  tag text not null default '',           -- the first letters of ids, by which an archived file is known to be of this journal
  is_marked integer not null default 0    -- whether a mark was written beside the journal, so that it is missed
) strict;

CREATE TABLE interchange_answers (   -- answers that are due for a file, one for each scope of control numbers
  number integer primary key,        -- the order of their creation
  id text not null unique,
  file_id text not null references files (id),
  syntax text not null,
  sender text not null,
  receiver text not null,
  usage text not null,
  partner text not null,
  interchanges text not null,        -- ordinals in the file, as runs, JSON
  groups integer not null,
  due_at integer not null,
  decided_at integer,
  by_structure integer,              -- 1 where its verdicts rest on the structure of the sets alone
  interchange_number integer,        -- the first of its control numbers
  group_number integer,
  delivery_id text unique references deliveries (id),
  unique (file_id, syntax, sender, receiver, usage)
) strict;

CREATE TABLE interchanges (
  file_id text not null references files (id),
  ordinal integer not null,          -- its place in the file, from 1
  segment integer not null,          -- the number of its first segment in the file
  syntax text not null check (syntax in ('x12', 'edifact')),
  sender text not null,
  receiver text not null,
  usage text not null check (usage in ('production', 'test')),
  number text not null,              -- the control number, as it stands there
  sha256 text not null,
  sets integer not null,
  verdict text not null check (verdict in ('taken', 'refused', 'answer', 'duplicate', 'reused', 'unknown')),
  partner text,
  earlier_file text references files (id),   -- of a duplicate or reused number: the file that had it first
  primary key (file_id, ordinal)
) strict, without rowid;

CREATE INDEX interchanges_by_key on interchanges (number, sender, receiver, usage, syntax) where verdict = 'taken';

CREATE INDEX interchanges_not_taken on interchanges (file_id) where verdict in ('unknown', 'reused');

CREATE TABLE known_places (
  place text primary key,      -- where a mark was left that identifies the folder
  marked_at integer not null
) strict, without rowid;

CREATE TABLE leases (
  route text primary key,
  token integer not null,   -- grows with every owner
  owner text,              -- null when given back
  ttl_ms integer not null,
  until integer not null    -- every write of the owner extends it
) strict;

CREATE TABLE migration (
  id integer primary key,
  name text not null,
  applied_at integer not null
) strict;

CREATE TABLE namings (
  subject text not null,    -- the id of a delivery or of an incoming file; of a document its record and kind
  name text not null,       -- what the file is about to be called
  working text not null,    -- its name until then
  evidence text not null,   -- JSON, read by the mailbox alone
  primary key (subject, name)
) strict, without rowid;

CREATE INDEX namings_working on namings (working);

CREATE TABLE notification_channels (
  name text primary key,
  joined_at integer not null,
  sent_event integer not null,    -- what happened up to here was reported, or is being reported
  sent_cursor integer not null,     -- the same of alerts
  joined_cursor integer not null default 0
) strict, without rowid;

CREATE TABLE notifications (
  id text primary key,
  channel text not null references notification_channels (name),
  after_event integer not null,
  up_to_event integer not null,
  after_cursor integer not null,
  up_to_cursor integer not null,
  state text not null check (state in ('begun', 'sent', 'failed')),
  tries integer not null,
  began_at integer not null,
  tried_at integer not null,
  locked_until integer not null,    -- until then one bridge sends it
  problem text
) strict, without rowid;

CREATE INDEX notifications_of_channel on notifications (channel, began_at);

CREATE UNIQUE INDEX notifications_open on notifications (channel) where state <> 'sent';

CREATE TABLE number_counters (       -- the last control numbers that were given in a scope; 0 where none was
  syntax text not null,
  sender text not null,
  receiver text not null,
  usage text not null,
  last_interchange integer not null check (last_interchange between 0 and 999999999),
  last_group integer not null check (last_group between 0 and 999999999),
  primary key (syntax, sender, receiver, usage)
) strict, without rowid;

CREATE TABLE number_reservations (   -- control numbers of outgoing files, given before the first byte is composed
  id integer primary key,
  route text not null,
  syntax text not null,
  sender text not null,
  receiver text not null,
  usage text not null,
  interchange_number integer not null,
  group_number integer not null,
  reserved_at integer not null,
  delivery_id text unique references deliveries (id),  -- absent as long as no delivery carries them
  sets integer,                      -- how many the interchange has, once a delivery carries them
  code text,                         -- the kind of its group, GS01; empty in EDIFACT
  answered_at integer                -- when the last of its sets was answered
) strict;

CREATE INDEX number_reservations_by_group on number_reservations (group_number, receiver);

CREATE INDEX number_reservations_by_number on number_reservations (interchange_number, receiver);

CREATE UNIQUE INDEX number_reservations_open on number_reservations (route, syntax, sender, receiver, usage)
  where delivery_id is null;

CREATE INDEX number_reservations_unanswered on number_reservations (route) where answered_at is null;

CREATE TABLE order_attributes (
  account text not null,
  key text not null,        -- the purchase order number
  name text not null,
  value text not null,
  kept_at integer not null default 0,
  primary key (account, key, name)
) strict, without rowid;

CREATE TABLE parts (                 -- files that have the sets of one route
  file_id text primary key references files (id),
  sets text not null                 -- ordinals of its sets in the file that they came in, as runs, JSON
) strict, without rowid;

CREATE TABLE pauses (
  decision_id integer primary key references decisions (id),
  route text not null,
  until integer not null,
  ended_at integer,         -- before its time
  ended_by integer references decisions (id)
) strict;

CREATE INDEX pauses_ended on pauses (ended_by) where ended_by is not null;

CREATE INDEX pauses_standing on pauses (route, until) where ended_at is null;

CREATE TABLE receipts (
  id text primary key,
  delivery_id text not null references deliveries (id),
  folder text not null,
  name text not null,
  state text not null check (state in ('claiming', 'accepted', 'refused', 'gone')),
  began_at integer not null,
  ended_at integer,
  archived_as text
) strict;

CREATE INDEX receipts_of_delivery on receipts (delivery_id, began_at);

CREATE INDEX receipts_open on receipts (began_at, id) where archived_as is null and state <> 'gone';

CREATE TABLE received_answers (      -- what partners answer to outgoing interchanges
  number integer primary key,        -- the order of their storing
  file_id text not null references files (id),
  interchange integer not null,      -- the ordinal of the interchange that brought it
  segment integer not null,          -- the number of its first segment in the file
  kind text not null check (kind in ('TA1', '997', '999', 'CONTRL')),
  control_number text not null,      -- of the group or interchange that it names
  verdict text not null check (verdict in ('accepted', 'some', 'refused', 'received', 'unreadable')),
  outcome text not null check (outcome in
    ('matched', 'repeated', 'contradicts', 'unmatched', 'unreadable', 'of-answer', 'answer-refused')),
  reasons text not null,             -- JSON
  delivery_id text references deliveries (id),   -- what it is about
  received_at integer not null
) strict;

CREATE INDEX received_answers_of_delivery on received_answers (delivery_id) where delivery_id is not null;

CREATE INDEX received_answers_of_file on received_answers (file_id);

CREATE INDEX received_answers_open on received_answers (number)
  where outcome in ('unmatched', 'contradicts', 'unreadable', 'answer-refused');

CREATE TABLE records (
  id integer primary key,
  direction text not null check (direction in ('incoming', 'outgoing')),
  route text not null,
  file_id text references files (id),             -- where an incoming record came from
  delivery_id text references deliveries (id),    -- where an outgoing record went; null while it waits
  number integer not null,                        -- its place in the file or delivery, from 1
  operation text not null,
  account text not null,
  natural_key text,
  owns_key integer not null,                     -- 1 while no other record may be sent under the key
  body_hash text,
  lane text,
  lines text not null,
  key_values text not null,
  state text not null,
  http integer,
  api_id text,
  problems text not null,
  attempts integer not null,
  changed_at integer not null,
  warnings text not null default '[]',
  step integer,                                   -- from 1; null where the route has one step
  waived integer not null default 0,            -- 1 while later steps continue although it failed
  corrected integer not null default 0,         -- 1 once a later file has what was rejected, or a person dismissed it
  confirmed integer not null default 0,         -- 1 once the partner accepted its set, where the acknowledgement waits for that
  check ((direction = 'incoming') = (file_id is not null))
) strict;

CREATE INDEX records_accepted_by_id on records (api_id) where direction = 'incoming' and api_id is not null;

CREATE INDEX records_blocking on records (file_id, lane) where state in ('uncertain', 'deferred');

CREATE UNIQUE INDEX records_by_api_id on records (operation, account, api_id) where direction = 'outgoing';

CREATE UNIQUE INDEX records_by_key on records (operation, account, natural_key) where owns_key = 1;

CREATE INDEX records_collected on records (delivery_id, number) where state = 'collected';

CREATE INDEX records_confirmed on records (delivery_id, number) where confirmed = 1 and state in ('collected', 'sending', 'deferred');

CREATE INDEX records_held on records (file_id, number) where state = 'held' and file_id is not null;

CREATE INDEX records_held_by_key on records (route, key_values) where state = 'held' and file_id is not null;

CREATE UNIQUE INDEX records_of_delivery on records (delivery_id, number) where delivery_id is not null;

CREATE UNIQUE INDEX records_of_file on records (file_id, number) where file_id is not null;

CREATE INDEX records_of_order on records (file_id, lane, number) where step is not null;

CREATE INDEX records_planned on records (file_id, number) where state = 'planned';

CREATE INDEX records_rejected on records (file_id, number) where state = 'rejected';

CREATE INDEX records_unacknowledged on records (delivery_id, number) where direction = 'outgoing' and corrected = 0
  and state in ('held', 'rejected') and delivery_id is not null;

CREATE INDEX records_uncertain on records (file_id, id) where state = 'uncertain';

CREATE INDEX records_uncorrected on records (route, key_values) where state = 'rejected' and corrected = 0 and file_id is not null;

CREATE INDEX records_uncorrected_by_file on records (file_id, changed_at) where state = 'rejected' and corrected = 0 and file_id is not null;

CREATE INDEX records_waiting on records (route, id) where direction = 'outgoing' and delivery_id is null;

CREATE INDEX records_with_warnings on records (file_id) where warnings <> '[]';

CREATE TABLE redeliveries (     -- the bytes of a finished delivery once more, as a person asked
  id text primary key,
  delivery_id text not null references deliveries (id),
  route text not null,
  folder text not null,
  name text not null,
  state text not null check (state in ('begun', 'delivered', 'unclear', 'impossible')),
  began_at integer not null,
  ended_at integer
) strict;

CREATE INDEX redeliveries_by_name on redeliveries (route, name);

CREATE INDEX redeliveries_of_delivery on redeliveries (delivery_id, began_at);

CREATE INDEX redeliveries_open on redeliveries (route, began_at) where state = 'begun';

CREATE TABLE resource_keys (
  kind text not null,
  key text not null,
  account text not null,    -- last in the key: whose order a number is, is asked as well
  id text not null,
  primary key (kind, key, account, id)
) strict, without rowid;

CREATE TABLE resource_links (         -- of what is pruned: "name 1Z999" leads to "shipment 31", that to "order 12"
  one text not null,
  other text not null,      -- names, numbers of orders and ids; no other contents
  primary key (one, other)
) strict, without rowid;

CREATE TABLE resource_lists (
  account text not null,
  kind text not null,
  read_at integer not null, -- when a reading of the whole list began that came to its end
  primary key (account, kind)
) strict, without rowid;

CREATE TABLE resources (
  account text not null,
  kind text not null,       -- order, variant, shipment, …
  id text not null,         -- what the API calls it
  keys text not null,       -- what files may call it: a list
  facts text,               -- what it said of itself, as far as the bridge needs it
  seen_at integer not null, -- when it said so
  primary key (account, kind, id)
) strict;

CREATE INDEX resources_of_orders on resources (
  coalesce(facts ->> '$.purchase_order_number', facts ->> '$.order.purchase_order_number')
) where kind in ('shipment', 'invoice', 'credit', 'return');

CREATE TABLE restored_routes (
  route text primary key,
  as_of integer not null,        -- the time of the last event that was restored
  declared_at integer not null,
  verifies integer not null,     -- new incoming records are looked up before they are first sent
  minimum_sequence integer not null,     -- the highest sequence number that may have been used
  up_to_record integer           -- outgoing records up to this one may have been delivered; null before the first listing
) strict, without rowid;

CREATE TABLE scheduled_runs (
  route text not null,
  occurrence text not null,       -- a business date or an instant; of an interval the word "every"
  state text not null check (state in ('begun', 'done', 'covered', 'missed', 'before', 'ahead')),
  due_at integer not null,
  changed_at integer not null,
  delivery_id text,
  primary key (route, occurrence)
) strict, without rowid;

CREATE INDEX scheduled_runs_started on scheduled_runs (route, occurrence) where state = 'begun';

CREATE TABLE unbundlings (           -- what no route takes of a file of interchanges
  file_id text primary key references files (id),
  unrouted text not null,            -- ordinals of sets, as runs, JSON
  ambiguous text not null
) strict, without rowid;

CREATE TABLE versions (          -- of the configuration with its mappings
  id text primary key,
  files text not null,           -- the SHA-256 of each file by its path, JSON
  first_used_at integer not null
) strict, without rowid;

CREATE TABLE watchers (
  owner text primary key,        -- as in leases
  routes text not null,           -- their names, JSON
  began_at integer not null,
  seen_at integer not null,
  version text references versions (id),
  reload_requested_at integer,    -- while a person waits for it
  reloads integer not null default 0,
  reload_failure text             -- of the last one
) strict, without rowid;
