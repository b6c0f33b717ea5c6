/** The tables about the journal itself, and about what is in doubt since it was restored. */

export interface IdentityTable {
  id: string
  tag: string
  is_marked: number
}

export interface RestoredRouteTable {
  route: string
  as_of: number
  declared_at: number
  looks_up: number
  at_least: number
  up_to_record: number | null
}
