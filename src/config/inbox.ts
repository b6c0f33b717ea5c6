/** What a route says of its inbox: when a file is whole, which is taken first, and whether numbers may be missing. */
import { z } from 'zod'
import { assert } from '../support/errors.ts'

/** Names that programs give files while they write them; a listing never shows them. */
const WORKING_NAME = /^\.|^~\$|\.(?:tmp|part|partial|filepart|writing|crdownload)$/i

const Companion = z.string().refine((template) => {
  const holes = template.match(/\{[^}]*\}?/g) ?? []
  const isOne = holes.length === 1 && ['{name}', '{stem}'].includes(holes[0] ?? '')
  return isOne && template.length > '{name}'.length && isPlain(template) && !WORKING_NAME.test(template)
}, 'must be a name with {name} (orders.csv) or {stem} (orders) and more, such as "{name}.done"; a working name such as ".tmp" is never seen')

const ReadyFile = z.union(
  [
    z.enum(['settled', 'renamed', 'marker', 'manifest']),
    z.strictObject({ marker: Companion.describe('The name of the marker: {name} or {stem}, and more.') }),
    z.strictObject({ manifest: Companion.describe('The name of the manifest, in the same way.') }),
  ],
  {
    error:
      'must be settled, renamed, marker or manifest, or { marker: "{name}.done" } or { manifest: "{name}.manifest" } with {name} or {stem} and more',
  },
)

const NUMBER = '{number}'

const SequenceFile = z.strictObject({
  name: z
    .string()
    .refine(
      (pattern) =>
        pattern.split(NUMBER).length === 2 && isPlain(pattern) && !/\{number\}\d|\d\{number\}/.test(pattern),
      'must be a file name with {number} once, not next to another digit, such as "orders-{number}.csv"; * and ? stand for any letters',
    )
    .describe('Where in the name the number stands, such as "orders-{number}.csv".'),
  start: z
    .int()
    .min(0)
    .default(1)
    .describe('The number that comes first. To go on without numbers that never come: the next that will.'),
})

/** Keys of `from`. */
export const inboxShape = {
  ready: ReadyFile.default('settled').describe(
    'When a file is whole: settled (it did not change for the settle time), renamed (it gets its name when it is), marker (orders.csv.done lies beside it) or manifest (orders.csv.manifest does, and says what must be in it).',
  ),
  order: z
    .enum(['oldest', 'name', 'number'])
    .optional()
    .describe(
      'Which of several files is taken first: the oldest (when left out), by name, or by the numbers in the name.',
    ),
  sequence: SequenceFile.optional().describe(
    'Files are numbered, and none is taken before the one with the number before it is done.',
  ),
}

interface InboxFile {
  readonly ready: z.output<typeof ReadyFile>
  readonly order?: 'oldest' | 'name' | 'number' | undefined
  readonly sequence?: z.output<typeof SequenceFile> | undefined
}

export interface InboxRules {
  /** `settled` when left out. `companion` is a template for `companionName`. */
  readonly ready?:
    { readonly when: 'renamed' } | { readonly when: 'marker' | 'manifest'; readonly companion: string }
  /** `oldest` when left out. */
  readonly order?: 'name' | 'number'
  /** `name` has `{number}` where the number stands. */
  readonly sequence?: { readonly name: string; readonly start: number }
}

export function toInboxRules({ ready, order, sequence }: InboxFile): InboxRules {
  return {
    ...(ready === 'settled' ? {} : { ready: toReady(ready) }),
    ...(order === undefined || order === 'oldest' ? {} : { order }),
    ...(sequence === undefined ? {} : { sequence }),
  }
}

function toReady(ready: Exclude<InboxFile['ready'], 'settled'>): NonNullable<InboxRules['ready']> {
  if (ready === 'renamed') return { when: 'renamed' }
  if (ready === 'marker') return { when: 'marker', companion: '{name}.done' }
  if (ready === 'manifest') return { when: 'manifest', companion: '{name}.manifest' }
  if ('marker' in ready) return { when: 'marker', companion: ready.marker }
  return { when: 'manifest', companion: ready.manifest }
}

/** What does not go together in `from`. */
export function checkInbox(
  { order, sequence }: Pick<InboxFile, 'order' | 'sequence'>,
  context: { readonly addIssue: (issue: { code: 'custom'; path: string[]; message: string }) => void },
): void {
  if (order === undefined || sequence === undefined) return
  const message = 'the number of the sequence decides which file is taken first: leave `order` out'
  context.addIssue({ code: 'custom', path: ['order'], message })
}

/** The name of the marker or manifest of a file. */
export function companionName(template: string, name: string): string {
  const stem = name.replace(/(?<=.)\.[^.]*$/, '')
  return template.replace('{name}', () => name).replace('{stem}', () => stem)
}

/** Gives the number in a name where the pattern says; undefined for other names. */
export function sequenceNumber(pattern: string): (name: string) => number | undefined {
  const [before, after] = pattern.split(NUMBER).map(asSource)
  assert(before !== undefined && after !== undefined, 'a sequence without a number passed the checks')
  const expression = new RegExp(`^${before}(\\d{1,15})${after}$`, 'isu')
  return (name) => {
    const [, digits] = expression.exec(name.normalize('NFC')) ?? []
    return digits === undefined ? undefined : Number(digits)
  }
}

function asSource(part: string): string {
  return part
    .normalize('NFC')
    .replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
}

function isPlain(name: string): boolean {
  return !/[/\\\p{Cc}]/u.test(name)
}
