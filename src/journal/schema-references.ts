/** The tables of what the API showed and what is kept beside it, as the queries see them. */
import type { Generated } from 'kysely'

export interface ResourceTable {
  account: string
  kind: string
  id: string
  keys: string
  facts: string | null
  seen_at: number
}

export interface ResourceKeyTable {
  kind: string
  key: string
  account: string
  id: string
}

export interface ResourceListTable {
  account: string
  kind: string
  read_at: number
}

export interface TieTable {
  one: string
  other: string
}

export interface KeptValueTable {
  account: string
  key: string
  name: string
  value: string
  kept_at: Generated<number>
}
