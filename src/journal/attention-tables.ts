/** The tables of findings, and of the bridges that watch, as the queries see them. */
import type { ConcernCode } from '../domain/attention.ts'

export interface ConcernTable {
  raised_turn: number
  code: ConcernCode
  route: string
  subject: string
  since: number
  message: string
  cure: string
  raised_at: number
  ended_turn: number | null
  ended_at: number | null
}

export interface WatchTable {
  holder: string
  routes: string
  began_at: number
  seen_at: number
}
