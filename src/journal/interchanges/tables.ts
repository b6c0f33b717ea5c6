/** The tables of interchanges: as SQL, and their types. A part of the schema in `../first-schema.ts`. */
import type { Generated } from 'kysely'
import type { Syntax } from '../../domain/interchange.ts'
import type { InterchangeVerdict, NumberScope } from '../../domain/interchange-journal.ts'

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
  delivery_id text unique references deliveries (id)   -- absent as long as no delivery carries them
) strict;
create unique index number_reservations_open on number_reservations (route, syntax, sender, receiver, usage)
  where delivery_id is null`

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
  }
}
