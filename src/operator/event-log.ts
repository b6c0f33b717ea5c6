/** Events as lines of the log: what a person reads, and what a program searches for. No contents of files or of the API. */
import { EVENTS } from '../domain/event-kinds.ts'
import type { BridgeEvent, Observer } from '../domain/event.ts'
import type { Log, LogFields } from '../support/log.ts'
import { counted, inCounts, withoutTheirWords } from './wording.ts'

/** Makes an observer that logs. `chatty` takes in how far each piece of work has come. */
export function eventLog(log: Log, chatty = false): Observer {
  return (event) => {
    if (event.kind === 'progress' && !chatty) return
    const { code, level } = EVENTS[event.kind]
    log.write(level, { code, ...fieldsOf(event), words: wordsOf(event) })
  }
}

/** The fields of the event itself, but for what may hold contents, and for names that mean something else in a line. */
function fieldsOf(event: BridgeEvent): LogFields {
  if (event.kind === 'columns-differ') {
    // A file without a header shows its first record in the place of column names.
    const { route, file, absent, unused } = event
    return { route, file, absent, unused: unused.length }
  }
  if (event.kind === 'route-failed') return { route: event.route, failure: event.code }
  if (event.kind === 'attention-raised' || event.kind === 'attention-ended') {
    const { code, subject, route } = event
    return { finding: code, subject, route }
  }
  const { kind: _, ...fields } = event
  return fields
}

type Words = {
  readonly [Kind in BridgeEvent['kind']]: (event: Extract<BridgeEvent, { kind: Kind }>) => string
}

const WORDS: Words = {
  'file-left-alone': ({ file, why }) => `${file} is left alone: ${why}`,
  'columns-differ': ({ file, absent }) =>
    `${file} lacks columns that the mapping names: ${absent.join(', ')}`,
  'file-received': ({ file, bytes }) => `${file} received, ${bytes} bytes`,
  'file-planned': ({ file, records }) => `${file}: ${counted(records, 'record')} read`,
  'file-reported': ({ file, outcome, again, records }) =>
    `${file} ${outcome}${again === true ? ', reported again' : ''}: ${inCounts(records)}`,
  'file-closed': ({ file, outcome }) => `${file} is done (${outcome})`,
  waiting: ({ file, ms }) =>
    `${file}: waiting ${Math.ceil(ms / 1000)} s until late answers are out of the question`,
  delivered: ({ file, records }) => `${file} delivered with ${counted(records, 'record')}`,
  'delivery-acknowledged': ({ file, records }) =>
    `${file}: ${inCounts(records, { accepted: 'acknowledged' })}`,
  'turn-begun': ({ turn }) => `turn ${turn} begun`,
  'turns-missed': ({ turns }) => `missed for good: ${turns.join(', ')}`,
  'watch-started': ({ routes, scanMs }) =>
    `watching ${counted(routes, 'route')}, looking through the folders every ${scanMs / 1000} s`,
  'watch-stopped': () => 'stopped watching',
  'stop-asked': () => 'finishing what is in flight; once more ends at once',
  'stopped-at-once': ({ why }) =>
    `${why === undefined ? '' : `${why}: `}stopped at once; the next run goes on from the journal`,
  'watch-deaf': ({ folder, why }) =>
    `${folder} tells nothing of new files and is looked through instead: ${why}`,
  'pass-ended': ({ failure }) => (failure === undefined ? 'pass ended' : `pass ended with ${failure}`),
  'route-failed': ({ message }) => withoutTheirWords(message),
  'route-recovered': () => 'it works again',
  'attention-raised': ({ message }) => message,
  'attention-ended': ({ code, subject }) => `over: ${subject} (${code})`,
  'notice-sent': ({ notice, id }) => `notice ${notice} sent (${id})`,
  'notice-failed': ({ notice, why }) => `notice ${notice} could not be sent and is tried again later: ${why}`,
  'health-served': ({ url }) => `health and metrics at ${url}`,
  'aside-failed': ({ what, why }) => `${what}: ${why}`,
  progress: ({ file, phase, done, total }) =>
    `${file} ${phase} ${done}${total === undefined ? '' : ` of ${total}`}`,
}

/** One line for people, without the route. */
export function wordsOf(event: BridgeEvent): string {
  return (WORDS[event.kind] as (event: BridgeEvent) => string)(event)
}
