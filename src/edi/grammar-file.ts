/** The file of a partner's grammar: its keys, each with how it is checked, what it means and an example. */
import { z } from 'zod'
import type { EdiGrammarChanges, EdiGrammarEntry } from '../domain/format.ts'
import { COUNTED_SEGMENT } from './grammar.ts'

const Text = z.string().min(1)
const Texts = z.array(Text).min(1)

const Count = z.string().regex(COUNTED_SEGMENT, {
  error: 'expected a segment and how often it may stand there, such as "REF 0..n" or "BEG 1"',
})

const Entry: z.ZodType<EdiGrammarEntry> = z.lazy(() =>
  z.union([Count, z.record(z.string(), z.array(Entry))], {
    error: 'expected a segment such as "REF 0..n", or a loop such as { N1 0..200: [N3 1, N4 1] }',
  }),
)

const ElementNumber = z.union(
  [
    z.int().min(1).max(99),
    z
      .string()
      .regex(/^\d{1,2}$/)
      .transform(Number),
  ],
  {
    error: 'expected the number of an element, such as 01',
  },
)

export const GRAMMAR_KEYS = {
  extends: {
    schema: Text,
    summary: 'the grammar that the partner differs from: `x12/` or `edifact/` and the document',
    example: 'extends: x12/856',
  },
  segments: {
    schema: z.record(Text, z.array(Entry).min(1)),
    summary:
      'segments that a loop has besides, or another number of; `ST` (`UNH`) is the document itself, `PO1/N1` a loop in a loop. A loop with its segments takes the place of that loop; `PID 0` takes a segment away',
    example: 'segments: { ST: [CTT 1, { N1 1..5: [N3 1, N4 1] }], HL: [UIT 0..n] }',
  },
  qualifiers: {
    schema: z.record(Text, ElementNumber),
    summary: 'the element that says what a segment is about, which paths name behind `*`',
    example: 'qualifiers: { PKG: 02 }',
  },
  ranks: {
    schema: Texts,
    summary: 'the kinds of levels (HL03) from the outermost to the innermost, for levels that name no parent',
    example: 'ranks: [S, O, I, P]',
  },
  versions: {
    schema: Texts,
    summary:
      'how the versions of the partner begin; a document of another one is read all the same, with a note',
    example: 'versions: ["004010"]',
  },
  required: {
    schema: Texts,
    summary:
      'segments and elements that must be there. `N1*ST/N3`: there is an N1*ST, and each has an N3; `N1*ST/N4.03`: and each N4 has element 03',
    example: 'required: [REF*DP, N1*ST/N3]',
  },
  codes: {
    schema: z.record(Text, Texts),
    summary: 'the codes that an element may have, where it is not blank',
    example: 'codes: { BEG.02: [DS, SA], PO1.03: [EA] }',
  },
  closed: {
    schema: z.boolean(),
    summary: '`true`: a document with other segments, or with more of one than the grammar says, is refused',
    example: 'closed: true',
  },
} as const

const { extends: base, ...others } = GRAMMAR_KEYS

export const GrammarFile = z.strictObject({
  extends: base.schema.describe(base.summary),
  segments: others.segments.schema.optional().describe(others.segments.summary),
  qualifiers: others.qualifiers.schema.optional().describe(others.qualifiers.summary),
  ranks: others.ranks.schema.optional().describe(others.ranks.summary),
  versions: others.versions.schema.optional().describe(others.versions.summary),
  required: others.required.schema.optional().describe(others.required.summary),
  codes: others.codes.schema.optional().describe(others.codes.summary),
  closed: others.closed.schema.optional().describe(others.closed.summary),
}) satisfies z.ZodType<EdiGrammarChanges>
