/** Where files are taken from: the folder, when a file is whole, which is first, and whether numbers may be missing. */
import { z } from 'zod'
import { assert } from '../support/errors.ts'
import { foldName, parseNamePattern, readNumberBetween } from '../support/name-pattern.ts'
import { omitUndefined } from '../support/object-paths.ts'
import { type ExpectedFile, ExpectedFileSettings, toExpectedFile } from './alerts.ts'
import { FilePattern, Folder, getDefaultArchive, MailboxName, normalizeFolder } from './folders.ts'
import { isWorkingName } from './file-name.ts'
import { Duration, toMs } from './time-values.ts'

const SidecarTemplate = z.string().refine((template) => {
  const holes = template.match(/\{[^}]*\}?/g) ?? []
  const isOne = holes.length === 1 && ['{name}', '{stem}'].includes(holes[0] ?? '')
  return isOne && template.length > '{name}'.length && isPlainName(template) && !isWorkingName(template)
}, 'must be a name with {name} (orders.csv) or {stem} (orders) and more, such as "{name}.done"; a working name such as ".tmp" is never seen')

const ReadySettings = z.union(
  [
    z.enum(['stable', 'renamed', 'marker', 'manifest']),
    z.strictObject({
      marker: SidecarTemplate.describe('The name of the marker: {name} or {stem}, and more.'),
    }),
    z.strictObject({ manifest: SidecarTemplate.describe('The name of the manifest, in the same way.') }),
  ],
  {
    error:
      'must be stable, renamed, marker or manifest, or { marker: "{name}.done" } or { manifest: "{name}.manifest" } with {name} or {stem} and more',
  },
)

const NUMBER = '{number}'

const SequenceSettings = z.strictObject({
  name: z
    .string()
    .refine(
      (pattern) =>
        pattern.split(NUMBER).length === 2 &&
        isPlainName(pattern) &&
        !/\{number\}\d|\d\{number\}/.test(pattern),
      'must be a file name with {number} once, not next to another digit, such as "orders-{number}.csv"; * and ? stand for any letters',
    )
    .describe('Where in the name the number stands, such as "orders-{number}.csv".'),
  start: z
    .int()
    .min(0)
    .default(1)
    .describe('The number that comes first. To go on without numbers that never come: the next that will.'),
})

const inboxShape = {
  ready: ReadySettings.default('stable').describe(
    'When a file is whole: stable (it did not change for the time of `stableFor`), renamed (it gets its name when it is), marker (orders.csv.done lies beside it) or manifest (orders.csv.manifest does, and says what must be in it).',
  ),
  order: z
    .enum(['oldest', 'name', 'number'])
    .optional()
    .describe(
      'Which of several files is taken first: the oldest (when left out), by name, or by the numbers in the name.',
    ),
  lastLineEnd: z
    .enum(['required', 'optional'])
    .default('required')
    .describe(
      'Whether the last line of a file has a line end, where its other lines have one: required (without it the file waits ten times `stableFor`, then the last record is held) or optional.',
    ),
  sequence: SequenceSettings.optional().describe(
    'Files are numbered, and none is taken before the one with the number before it is done.',
  ),
}

/** The schema of a folder that files are taken from. `owner` stands for the name in the documentation. */
export function FolderSource(match: string, owner: string) {
  return z
    .strictObject({
      mailbox: MailboxName,
      folder: Folder.describe('Where files are dropped.'),
      match: FilePattern.default(match).describe(
        'Which files are taken: * and ? stand for any letters; case is ignored.',
      ),
      archive: Folder.optional().describe(
        `Where files go when they are done; ${getDefaultArchive(owner)} when left out.`,
      ),
      stableFor: Duration.default('2s').describe('How long a file must not have changed before it is taken.'),
      expectFile: ExpectedFileSettings.optional().describe(
        'By when a file should come; an alert is raised when none does.',
      ),
      ...inboxShape,
    })
    .superRefine(checkInbox)
}

type InboxSettings = z.output<z.ZodObject<typeof inboxShape>>

type FolderSource = z.output<ReturnType<typeof FolderSource>>

export interface InboxRules {
  /** `stable` when left out. `sidecar` is a template for `fillNameTemplate`. */
  readonly ready?:
    { readonly when: 'renamed' } | { readonly when: 'marker' | 'manifest'; readonly sidecar: string }
  /** `oldest` when left out. */
  readonly order?: 'name' | 'number'
  /** `required` when left out. */
  readonly lastLineEnd?: 'optional'
  /** `name` has `{number}` in place of the number. */
  readonly sequence?: { readonly name: string; readonly start: number }
}

/** A folder that files are taken from. */
export interface FileSource extends InboxRules {
  readonly mailbox: string
  readonly folder: string
  /** `*` matches any letters and `?` one; case is ignored. */
  readonly match: string
  readonly archive: string
  readonly stableForMs: number
  readonly expectFile?: ExpectedFile
}

/** `owner` is the name of the route or inbox, `zone` the one of times of day that name none. */
export function toFileSource(from: FolderSource, owner: string, zone: string | undefined): FileSource {
  const { expectFile } = from
  return {
    mailbox: from.mailbox,
    folder: normalizeFolder(from.folder),
    match: from.match,
    archive: normalizeFolder(from.archive ?? getDefaultArchive(owner)),
    stableForMs: toMs(from.stableFor),
    ...toInboxRules(from),
    ...(expectFile && { expectFile: toExpectedFile(expectFile, zone) }),
  }
}

function toInboxRules({ ready, order, lastLineEnd, sequence }: InboxSettings): InboxRules {
  return omitUndefined({
    ready: toReady(ready),
    order: order === 'oldest' ? undefined : order,
    lastLineEnd: lastLineEnd === 'required' ? undefined : lastLineEnd,
    sequence,
  })
}

function toReady(ready: InboxSettings['ready']): InboxRules['ready'] {
  if (ready === 'stable') return undefined
  if (ready === 'renamed') return { when: 'renamed' }
  if (ready === 'marker') return { when: 'marker', sidecar: '{name}.done' }
  if (ready === 'manifest') return { when: 'manifest', sidecar: '{name}.manifest' }
  if ('marker' in ready) return { when: 'marker', sidecar: ready.marker }
  return { when: 'manifest', sidecar: ready.manifest }
}

/** Finds keys of `from` that do not go together. */
function checkInbox(
  { order, sequence }: Pick<InboxSettings, 'order' | 'sequence'>,
  context: { addIssue: (issue: { code: 'custom'; path: string[]; message: string }) => void },
): void {
  if (order === undefined || sequence === undefined) return
  const message = 'the number of the sequence decides which file is taken first: leave `order` out'
  context.addIssue({ code: 'custom', path: ['order'], message })
}

/** Creates a reader of the number in names of the pattern; undefined for other names. */
export function createNumberReader(pattern: string): (name: string) => number | undefined {
  const [before, after] = pattern.split(NUMBER).map(parseNamePattern)
  assert(before !== undefined && after !== undefined, 'a sequence without a number passed the checks')
  return (name) => readNumberBetween(before, after, foldName(name))
}

function isPlainName(name: string): boolean {
  return !/[/\\\p{Cc}]/u.test(name)
}
