/** The options of a leaf that say how a text becomes the value of its field. */
import { z } from 'zod'
import { REFERENCE_KINDS } from '../../contract/references.ts'
import type { KeyRow } from '../key-table.ts'

const Text = z.string().min(1)

export const VALUE_OPTIONS = {
  format: {
    schema: z.union([Text, z.array(Text).min(1)], { error: 'expected a date format, or a list of them' }),
    summary:
      'How a date is written; a list is tried in order. In an export: how it is to be written, one format.',
    example: '{ from: Order Date, format: [MM/dd/yyyy HH:mm, MM/dd/yyyy] }',
    of: [['Order Date', '7/4/2026']],
    gives: '2026-07-04T00:00:00Z',
  },
  zone: {
    schema: Text,
    summary: 'The time zone of dates that name none; UTC unless told.',
    example: '{ from: Order Date, zone: America/New_York }',
    of: [['Order Date', '2026-11-20 21:15']],
    gives: '2026-11-21T02:15:00Z',
  },
  decimal: {
    schema: z.enum(['.', ','], { error: 'expected "." or ","' }),
    summary: 'What stands before the decimals of a number.',
    example: '{ from: Cost, decimal: "," }',
    of: [['Cost', '1.433,66']],
    gives: '1433.66',
  },
  implied: {
    schema: z.int().min(1).max(6),
    summary: 'How many of the last digits of a number are decimals, where no point is written.',
    example: '{ from: Total, implied: 2 }',
    of: [['Total', '184997']],
    gives: '1849.97',
  },
  round: {
    schema: z.enum(['half-up', 'half-even', 'down'], { error: 'expected `half-up`, `half-even` or `down`' }),
    summary: 'How a number with too many decimals is rounded; without it, it is refused.',
    example: '{ from: Cost, round: half-up }',
    of: [['Cost', '1.005']],
    gives: '1.01',
  },
  long: {
    schema: z.literal('cut', { error: 'expected `cut`' }),
    summary: 'A text that is too long for its field is cut; without it, it is refused.',
    example: '{ from: Reference, long: cut }',
    of: [['Reference', 'Northwind Trading, East Dock, Bay 4']],
    gives: 'Northwind Trading, East Dock, Ba',
  },
  find: {
    schema: z.enum(REFERENCE_KINDS, { error: `expected one of ${REFERENCE_KINDS.join(', ')}` }),
    summary:
      'The column holds not the id but what people call it by, and the bridge finds the id: of an `order` by its purchase order number, and so on.',
    example: '{ from: PO Number, find: order }',
    of: [['PO Number', 'HV-20001']],
    gives: { find: 'order', key: 'HV-20001' },
  },
} as const satisfies Readonly<Record<string, KeyRow>>
