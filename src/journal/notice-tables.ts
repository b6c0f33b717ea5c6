/** The tables of notices as the queries see them. */

export interface NoticeChannelTable {
  name: string
  joined_at: number
  told_event: number
  told_turn: number
  joined_turn: number
}

export interface NoticeTable {
  id: string
  channel: string
  after_event: number
  up_to_event: number
  after_turn: number
  up_to_turn: number
  state: 'begun' | 'sent' | 'failed'
  tries: number
  began_at: number
  tried_at: number
  held_until: number
  problem: string | null
}
