/** Digests of rows about interchanges, made when a row changes and again when the chain is verified. */
import { digestValues } from '../event-detail.ts'
import type { Row } from '../schema.ts'

export function digestInterchanges(rows: readonly Row<'interchanges'>[]): string {
  return digestValues(
    rows.map((row) => [
      row.ordinal,
      row.segment,
      row.syntax,
      row.sender,
      row.receiver,
      row.usage,
      row.number,
      row.sha256,
      row.sets,
      row.verdict,
      row.partner,
      row.earlier_file,
    ]),
  )
}

export function digestPart({ file_id, sets }: Row<'parts'>): string {
  return digestValues([file_id, sets])
}

export function digestUnbundling({ file_id, unrouted, ambiguous }: Row<'unbundlings'>): string {
  return digestValues([file_id, unrouted, ambiguous])
}

export function digestAnswer(row: Row<'interchange_answers'>): string {
  return digestValues([
    row.number,
    row.id,
    row.file_id,
    row.syntax,
    row.sender,
    row.receiver,
    row.usage,
    row.partner,
    row.interchanges,
    row.groups,
    row.due_at,
    row.decided_at,
    row.by_structure,
    row.interchange_number,
    row.group_number,
    row.delivery_id,
  ])
}
