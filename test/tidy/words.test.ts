/** One word, one meaning (docs/glossary.md): words (docs/words.md) that were given up do not come back in their old meaning. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const repository = new URL('../..', import.meta.url).pathname

interface GivenUpWord {
  /** The word as it was written: in names, in messages or in text. */
  readonly word: RegExp
  readonly instead: string
  /** The places that may keep it, and why. A path without a line's text allows the whole file or folder. */
  readonly exceptions?: readonly (readonly [path: string, text: RegExp, reason: string])[]
}

const WORDS: readonly GivenUpWord[] = [
  {
    word: /settl(e|ing)/i,
    instead: 'stable (a file), reconcile (the bridge), resolve (a person)',
    exceptions: [
      ['src/', /Promise\.allSettled/, 'the name of the platform'],
      ['src/mailboxes/sftp/protocol.ts', /settle/, 'a promise is settled'],
      ['CHANGELOG.md', /settle/, 'says what it is called now'],
    ],
  },
  {
    word: /\bnotices?\b|\bNotice/,
    instead: 'notification',
    exceptions: [
      ['CHANGELOG.md', /notices/, 'says what it is called now'],
      ['src/edi/grammars/x12.ts', /Advance ship notice/, 'the name of the document'],
      ['docs/edi-documents.md', /Advance ship notice/, 'the name of the document'],
    ],
  },
  { word: /\bConcerns?\b|CONCERNS|\bconcerns?(?=:|\()/, instead: 'alert' },
  {
    word: /\battention/i,
    instead: 'alert',
    exceptions: [['src/mapping-tools/learn/spellings.ts', /attention attn/, 'a heading of address columns']],
  },
  {
    word: /\bforget|Forget|forgotten/,
    instead: 'prune (old contents)',
    exceptions: [
      ['src/mailboxes/sftp/', /forg[eo]t/, 'timers and bytes, no contents'],
      ['src/service/', /forg[eo]t/i, 'tokens, copies and stock in memory, no contents'],
      ['CHANGELOG.md', /forget/, 'says what it is called now'],
    ],
  },
  { word: /[Ss]urvey/, instead: 'scan; of a file of interchanges, outline' },
  { word: /[Ss]ighting/, instead: 'file, file info, tracker' },
  { word: /[Ww]orkshop/, instead: 'context' },
  { word: /[Tt]urnstile/, instead: 'semaphore' },
  { word: /InWords|in-words/, instead: 'format' },
  { word: /[Ss]etback/, instead: 'backoff' },
  { word: /[Mm]isnamed|[Ll]ikeness/, instead: 'encoding mismatch, match' },
  {
    word: /\b(the|each|every|last|next|missed|due|scheduled|daily|two) turns?\b|\bturns? (of|before|was|were)\b/i,
    instead: 'scheduled run (a due occurrence), pass (once over a route), step (of a file)',
  },
  {
    word: /\bturns?\b|\b(begin|known|joined|own)Turns?\b|TurnEntry|turn-overdue|turns-missed/i,
    instead: 'scheduled run, pass, step, round',
    exceptions: [
      ['src/', /\bturns?\b/i, 'the verb, and a place in a queue; the entry above holds the other meanings'],
      ['docs/service.md', /switch \w*\s?turns to/, 'the verb'],
      ['docs/mapping', /Turns letters/, 'the verb'],
    ],
  },
  { word: /\b[Cc]ures?\b|[a-z]Cure\b/, instead: 'fix' },
  {
    word: /\b[Hh]ints?\b|Hint/,
    instead: 'fix (what to do), suggestion (a similar name)',
    exceptions: [
      ['src/client/', /RetryHint/, 'what an answer says of the next try'],
      ['src/config/errors.ts', /formatChoiceHint/, 'the values that a setting takes'],
    ],
  },
  {
    word: /companion/i,
    instead: 'sidecar (a marker or manifest)',
  },
  { word: /stranger/i, instead: 'unmatched file' },
  { word: /\bastray\b/i, instead: 'unmatched file' },
  {
    word: /mistakes?\b/i,
    instead: 'error (of the configuration or a mapping), problem (of data)',
    exceptions: [
      ['src/mapping-tools/partner-samples.ts', /Mistake/, 'spoilt cells of the bad sample for a partner'],
    ],
  },
  {
    word: /left[- ]alone|LeftAlone/i,
    instead: 'skipped (a file that is not taken yet)',
    exceptions: [
      ['src/config/sending.ts', /refused, or left alone/, 'a record that no rule changes'],
      ['docs/configuration.md', /refused, or left alone/, 'printed from the line above'],
      ['docs/dropbridge.schema.json', /refused, or left alone/, 'printed from the line above'],
    ],
  },
  {
    word: /passed[- ]over|PassedOver/i,
    instead: 'ignored (an entry of a folder), skipped (a file), rejected',
  },
  { word: /\bholders?\b|\w(?<!place)holder|heldBy/i, instead: 'owner (of a lease, of a key)' },
  {
    word: /\b(nobody|somebody|whoever)\b/i,
    instead: 'who it is: the operator, the sender, the reader; or the passive',
    exceptions: [['src/cli/commands/prove.ts', /nobody\.invalid/, 'the name of a host that does not exist']],
  },
  {
    word: /\b(told|tells?)\b/i,
    instead: 'report, notify, raise an alert, show, say',
    exceptions: [
      ['src/config/notifications.ts', /to tell one bridge from another/, 'the ordinary word'],
      ['docs/configuration.md', /to tell one bridge from another/, 'printed from the line above'],
      ['docs/dropbridge.schema.json', /to tell one bridge from another/, 'printed from the line above'],
      ['src/mapping/file.ts', /Tell the retailer/, 'what a person does, in a message of an example'],
      ['docs/mapping', /Tell the retailer/, 'printed from the line above'],
    ],
  },
  {
    word: /\b(the|a|each|every) looks?\b(?!-)|\blook(s|ed|ing)? (at|into|through)\b/i,
    instead: 'scan (an inbox), check, read',
    exceptions: [['src/mapping-tools/learn/mapping-page.ts', /look at every "likely"/, 'what a person does']],
  },
]

function filesIn(folder: string): string[] {
  return readdirSync(repository + folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|md|json|yaml)$/.test(entry.name))
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(repository.length))
    .filter((path) => !path.includes('/node20/'))
}

const PATHS = [...filesIn('src'), ...filesIn('docs'), 'README.md', 'CHANGELOG.md'].filter(
  (path) => path !== 'docs/words.md',
)
const LINES = PATHS.flatMap((path) =>
  readFileSync(repository + path, 'utf8')
    .split('\n')
    .map((text, index) => ({ path, text, place: `${path}:${index + 1}` })),
)

test.each(WORDS)('$word is not used any more: it is $instead', ({ word, exceptions = [] }) => {
  const found = LINES.filter(
    ({ path, text }) =>
      word.test(text) &&
      !exceptions.some(([prefix, allowed]) => path.startsWith(prefix) && allowed.test(text)),
  )
  expect(found.map(({ place, text }) => `${place} ${text.trim()}`)).toEqual([])
})

test('each exception is still needed', () => {
  const idle = WORDS.flatMap(({ word, exceptions = [] }) =>
    exceptions.filter(
      ([prefix, allowed]) =>
        !LINES.some(({ path, text }) => path.startsWith(prefix) && word.test(text) && allowed.test(text)),
    ),
  )
  expect(idle.map(([path, text]) => `${path} ${String(text)}`)).toEqual([])
})
