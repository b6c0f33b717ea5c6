/** The options of a leaf that say what is done to a text on its way to the field; in the order in which it is done. */
import { z } from 'zod'
import type { KeyRow } from '../key-table.ts'

const Text = z.string().min(1)

export const TEXT_OPTIONS = {
  match: {
    schema: Text,
    summary:
      'A regular expression; what its first brackets hold is taken, or all it finds. A text without it is refused unless there is a `default`.',
    example: "{ from: Order, match: '^#?(\\d+)' }",
    of: [['Order', '#1001']],
    gives: '1001',
  },
  split: {
    schema: Text,
    summary:
      'Cuts the text wherever this stands in it: `at` takes one part; a list of texts takes all, and is cut at line breaks unless told.',
    example: '{ from: Ship Via, split: " - ", at: 2 }',
    of: [['Ship Via', 'UPS - Ground']],
    gives: 'Ground',
  },
  escape: {
    schema: z.string().length(1, 'expected one character'),
    summary:
      'What stands before a separator of `split` that is text, and before itself; in an export it is put there for `join`.',
    example: "{ from: Ship Via, split: '-', escape: '\\', at: 1 }",
    of: [['Ship Via', '2\\-Day-UPS']],
    gives: '2-Day',
  },
  wrap: {
    schema: z.int().min(1),
    summary:
      'Breaks the text between words into lines of at most so many characters: `at` takes one of them; a list of texts takes all.',
    example: '{ from: Address, wrap: 20, at: 2 }',
    of: [['Address', '12 Old Mill Road, Building 4']],
    gives: 'Building 4',
  },
  at: {
    schema: z.int().min(1).max(1000),
    summary: 'Which part of `split` or line of `wrap` is taken; blank when there are not so many.',
    example: '{ from: Ship Via, split: " - ", at: 1 }',
    of: [['Ship Via', 'UPS - Ground']],
    gives: 'UPS',
  },
  case: {
    schema: z.enum(['upper', 'lower'], { error: 'expected `upper` or `lower`' }),
    summary: 'Turns letters into capitals or small ones.',
    example: '{ from: SKU, case: upper }',
    of: [['SKU', 'hv-10002']],
    gives: 'HV-10002',
  },
  pad: {
    schema: z.strictObject({
      to: z.int().min(1).max(255),
      with: z.string().length(1, 'expected one character'),
    }),
    summary: 'Puts a character in front of the text until it is so long.',
    example: '{ from: Store, pad: { to: 6, with: "0" } }',
    of: [['Store', '417']],
    gives: '000417',
  },
  digits: {
    schema: z.int().min(2).max(18),
    summary:
      'Gives a number back the zeros a spreadsheet took from its front. A UPC must have the right check digit then.',
    example: '{ from: Zip, digits: 5 }',
    of: [['Zip', '2134']],
    gives: '02134',
  },
  table: {
    schema: Text,
    summary: 'The lookup table, from `tables`, in which the text is looked up.',
    example: '{ from: Carrier, table: carriers }',
    of: [['Carrier', 'fedex']],
    gives: 'FDEG',
  },
  pick: {
    schema: Text,
    summary: "The table's column that holds the value; not needed when it has only one.",
    example: '{ from: Ship Via, table: ship-via, pick: method }',
    of: [['Ship Via', 'Ground']],
    gives: 'FEDEX_GROUND',
  },
  miss: {
    schema: z.enum(['refuse', 'keep', 'blank'], { error: 'expected `refuse`, `keep` or `blank`' }),
    summary:
      'What becomes of a text that is not in the table: it is refused unless told, kept as it is, or taken as blank.',
    example: '{ from: Carrier, table: carriers, miss: keep }',
    of: [['Carrier', 'Own truck']],
    gives: 'Own truck',
  },
} as const satisfies Readonly<Record<string, KeyRow>>
