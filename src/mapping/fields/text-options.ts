/** The options of a leaf that say what is done to a text on its way to the field; in the order in which it is done. */
import { z } from 'zod'

const Text = z.string().min(1)

export const TEXT_OPTIONS = {
  match: {
    schema: Text,
    in: ['body'],
    summary:
      'A regular expression; what its first brackets hold is taken, or all it finds. A text without it is refused unless there is a `default`.',
    example: "{ from: Order, match: '^#?(\\d+)' }",
  },
  split: {
    schema: Text,
    in: ['body'],
    summary:
      'Cuts the text wherever this stands in it: `at` takes one part; a list of texts takes all, and is cut at line breaks unless told.',
    example: '{ from: Ship Via, split: " - ", at: 2 }',
  },
  wrap: {
    schema: z.int().min(1),
    in: ['body'],
    summary:
      'Breaks the text between words into lines of at most so many characters: `at` takes one of them; a list of texts takes all.',
    example: '{ from: Address, wrap: 35, at: 2 }',
  },
  at: {
    schema: z.int().min(1).max(1000),
    in: ['body'],
    summary: 'Which part of `split` or line of `wrap` is taken; blank when there are not so many.',
    example: '{ from: Address, wrap: 35, at: 1 }',
  },
  case: {
    schema: z.enum(['upper', 'lower'], { error: 'expected `upper` or `lower`' }),
    in: ['body', 'columns'],
    summary: 'Turns letters into capitals or small ones.',
    example: '{ from: SKU, case: upper }',
  },
  pad: {
    schema: z.strictObject({
      to: z.int().min(1).max(255),
      with: z.string().length(1, 'expected one character'),
    }),
    in: ['body', 'columns'],
    summary: 'Puts a character in front of the text until it is so long.',
    example: '{ from: Store, pad: { to: 6, with: "0" } }',
  },
  digits: {
    schema: z.int().min(2).max(18),
    in: ['body'],
    summary:
      'Gives a number back the zeros a spreadsheet took from its front. A UPC must have the right check digit then.',
    example: '{ from: Zip, digits: 5 }',
  },
  decimal: {
    schema: z.enum(['.', ','], { error: 'expected "." or ","' }),
    in: ['body', 'columns'],
    summary: 'What stands before the decimals of a number.',
    example: '{ from: Cost, decimal: "," }',
  },
  implied: {
    schema: z.int().min(1).max(6),
    in: ['body', 'columns'],
    summary: 'How many of the last digits of a number are decimals, where no point is written.',
    example: '{ from: Total, implied: 2 }',
  },
  round: {
    schema: z.enum(['half-up', 'half-even', 'down'], { error: 'expected `half-up`, `half-even` or `down`' }),
    in: ['body'],
    summary: 'How a number with too many decimals is rounded; without it, it is refused.',
    example: '{ from: Cost, round: half-up }',
  },
  long: {
    schema: z.literal('cut', { error: 'expected `cut`' }),
    in: ['body', 'columns'],
    summary: 'A text that is too long for its field is cut; without it, it is refused.',
    example: '{ from: Name, long: cut }',
  },
} as const
