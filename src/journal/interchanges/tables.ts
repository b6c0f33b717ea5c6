/** The tables of interchanges: as SQL, and their types. A part of the schema in `../first-schema.ts`. */
import type { Generated } from 'kysely'
import type { AnsweredSet, ReceivedAnswer, Syntax } from '../../domain/interchange.ts'
import type { AnswerOutcome, InterchangeVerdict, NumberScope } from '../../domain/interchange-journal.ts'

/** A statement ends with a semicolon at the end of its line. */
export const INTERCHANGE_TABLES = `
create table interchanges (
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
create index interchanges_by_key on interchanges (number, sender, receiver, usage, syntax) where verdict = 'taken';

create index interchanges_not_taken on interchanges (file_id) where verdict in ('unknown', 'reused');

create table unbundlings (           -- what no route takes of a file of interchanges
  file_id text primary key references files (id),
  unrouted text not null,            -- ordinals of sets, as runs, JSON
  ambiguous text not null
) strict, without rowid;

create table parts (                 -- files that have the sets of one route
  file_id text primary key references files (id),
  sets text not null                 -- ordinals of its sets in the file that they came in, as runs, JSON
) strict, without rowid;

create table interchange_answers (   -- answers that are due for a file, one for each scope of control numbers
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

create table number_counters (       -- the last control numbers that were given in a scope; 0 where none was
  syntax text not null,
  sender text not null,
  receiver text not null,
  usage text not null,
  last_interchange integer not null check (last_interchange between 0 and 999999999),
  last_group integer not null check (last_group between 0 and 999999999),
  primary key (syntax, sender, receiver, usage)
) strict, without rowid;

create table number_reservations (   -- control numbers of outgoing files, given before the first byte is composed
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
create unique index number_reservations_open on number_reservations (route, syntax, sender, receiver, usage)
  where delivery_id is null;
create index number_reservations_by_number on number_reservations (interchange_number, receiver);
create index number_reservations_by_group on number_reservations (group_number, receiver);
create index number_reservations_unanswered on number_reservations (route) where answered_at is null;

create table received_answers (      -- what partners answer to outgoing interchanges
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
create index received_answers_of_file on received_answers (file_id);
create index received_answers_of_delivery on received_answers (delivery_id) where delivery_id is not null;
create index received_answers_open on received_answers (number)
  where outcome in ('unmatched', 'contradicts', 'unreadable', 'answer-refused');

create table answered_sets (         -- the first verdict on each set of an outgoing interchange; sets that follow each other in one row
  delivery_id text not null references deliveries (id),
  first_set integer not null,        -- from 1
  last_set integer not null,
  verdict text not null check (verdict in ('A', 'E', 'R')),
  reasons text not null,             -- JSON
  answer integer not null references received_answers (number),
  applied integer not null default 0,            -- 1 once the route that sent them carried it out
  primary key (delivery_id, first_set)
) strict, without rowid;
create index answered_sets_of_answer on answered_sets (answer);
create index answered_sets_refused on answered_sets (delivery_id) where verdict = 'R'`

type Usage = NumberScope['usage']

interface ScopeColumns {
  syntax: Syntax
  sender: string
  receiver: string
  usage: Usage
}

export interface InterchangeTables {
  interchanges: ScopeColumns & {
    file_id: string
    ordinal: number
    segment: number
    number: string
    sha256: string
    sets: number
    verdict: InterchangeVerdict
    partner: string | null
    earlier_file: string | null
  }
  unbundlings: { file_id: string; unrouted: string; ambiguous: string }
  parts: { file_id: string; sets: string }
  interchange_answers: ScopeColumns & {
    number: Generated<number>
    id: string
    file_id: string
    partner: string
    interchanges: string
    groups: number
    due_at: number
    decided_at: number | null
    by_structure: number | null
    interchange_number: number | null
    group_number: number | null
    delivery_id: string | null
  }
  number_counters: ScopeColumns & { last_interchange: number; last_group: number }
  number_reservations: ScopeColumns & {
    id: Generated<number>
    route: string
    interchange_number: number
    group_number: number
    reserved_at: number
    delivery_id: string | null
    sets: number | null
    code: string | null
    answered_at: number | null
  }
  received_answers: {
    number: Generated<number>
    file_id: string
    interchange: number
    segment: number
    kind: ReceivedAnswer['kind']
    control_number: string
    verdict: ReceivedAnswer['verdict']
    outcome: AnswerOutcome
    reasons: string
    delivery_id: string | null
    received_at: number
  }
  answered_sets: {
    delivery_id: string
    first_set: number
    last_set: number
    verdict: AnsweredSet['verdict']
    reasons: string
    answer: number
    applied: Generated<number>
  }
}
