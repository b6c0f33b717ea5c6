/** Writes events as log lines for people and programs, without contents of files or of the API. */
import { type BridgeEvent, LOG_EVENTS, type Observer } from '../domain/event.ts'
import type { Log, LogFields } from '../support/log.ts'
import {
  ANOTHER_WATCH,
  formatCount,
  formatFoundAbsent,
  formatStateCounts,
  formatWait,
  removeApiText,
} from './format.ts'

/** Makes an observer that logs. `chatty` includes the progress of each piece of work. */
export function createEventLog(log: Log, chatty = false): Observer {
  return (event) => {
    if (event.kind === 'progress' && !chatty) return
    const { code, level } = LOG_EVENTS[event.kind]
    log.write(level, { code, ...pickLogFields(event), words: formatEvent(event) })
  }
}

/** The fields of the event itself, except those that may hold contents, and names that mean something else in a line. */
function pickLogFields(event: BridgeEvent): LogFields {
  if (event.kind === 'columns-differ') {
    // A file without a header shows its first record in the place of column names.
    const { route, file, absent, unused } = event
    return { route, file, absent, unused: unused.length }
  }
  if (event.kind === 'route-failed') return { route: event.route, failure: event.code }
  if (event.kind === 'alert-raised' || event.kind === 'alert-ended') {
    const { code, subject, route } = event
    return { alert: code, subject, route }
  }
  const { kind: _, ...fields } = event
  return fields
}

type EventTexts = {
  readonly [Kind in BridgeEvent['kind']]: (event: Extract<BridgeEvent, { kind: Kind }>) => string
}

const CELL_WARNINGS = {
  'cell-is-formula': 'that a spreadsheet runs as a formula',
  'character-replaced': 'with a delimiter, for which another character stands',
} as const

const EVENT_TEXTS: EventTexts = {
  'file-skipped': ({ file, why }) => `${file} is skipped: ${why}`,
  'columns-differ': ({ file, absent }) =>
    `${file} lacks columns that the mapping names: ${absent.join(', ')}`,
  'file-received': ({ file, bytes }) => `${file} received, ${bytes} bytes`,
  'file-planned': ({ file, records }) => `${file}: ${formatCount(records, 'record')} read`,
  'file-unbundled': ({ file, interchanges, sets, unrouted }) =>
    `${file}: ${formatCount(interchanges, 'interchange')} with ${formatCount(sets, 'set')}${unrouted === 0 ? '' : `, ${unrouted} of them for no route`}`,
  'sets-reported': ({ file, outcome, sets }) => `${file} ${outcome}: ${formatCount(sets, 'set')} reported`,
  'file-reported': ({ file, outcome, again, records }) =>
    `${file} ${outcome}${again === true ? ', reported again' : ''}: ${formatStateCounts(records)}`,
  'file-closed': ({ file, outcome }) => `${file} is done (${outcome})`,
  waiting: (event) => `${event.file}: ${formatWait(event, `${Math.ceil(event.ms / 1000)} s`)}`,
  'found-absent': (event) => `${event.file}: ${formatFoundAbsent(event)}`,
  delivered: ({ file, records }) => `${file} delivered with ${formatCount(records, 'record')}`,
  'cells-warned': ({ file, code, cells, column, apiId }) =>
    `${file}: ${formatCount(cells, 'cell')} ${CELL_WARNINGS[code]}, first in column "${column}" of id ${apiId} [${code}]`,
  'delivery-answered': ({ file, accepted, refused }) =>
    `${file}: the partner accepted ${formatCount(accepted, 'record')} and refused ${refused}`,
  'delivery-acknowledged': ({ file, records }) =>
    `${file}: ${formatStateCounts(records, { accepted: 'acknowledged' })}`,
  'run-started': ({ run }) => `run ${run} begun`,
  'runs-missed': ({ runs }) => `missed for good: ${runs.join(', ')}`,
  'watch-started': ({ routes, scanMs, others }) =>
    `watching ${formatCount(routes, 'route')}, scanning the folders every ${scanMs / 1000} s${others === undefined ? '' : `; ${ANOTHER_WATCH}`}`,
  'watch-stopped': () => 'stopped watching',
  'reload-started': () => 'the changed configuration is right; each route finishes its file first',
  'configuration-reloaded': ({ added, removed }) =>
    `configuration and mappings reloaded${added.length === 0 ? '' : `; new routes: ${added.join(', ')}`}${removed.length === 0 ? '' : `; removed routes: ${removed.join(', ')}`}`,
  'reload-failed': ({ why, fix }) => `reload failed, the old configuration stays: ${why} (${fix})`,
  'stop-requested': () => 'finishing what is in flight; a second signal ends it at once',
  'stopped-at-once': ({ why }) =>
    `${why === undefined ? '' : `${why}: `}stopped at once; the next run continues from the journal`,
  'watcher-unreliable': ({ folder, why }) =>
    `${folder} does not report new files, so the watch scans it more often: ${why}`,
  'pass-ended': ({ failure }) => (failure === undefined ? 'pass ended' : `pass ended with ${failure}`),
  'route-failed': ({ message }) => removeApiText(message),
  'route-recovered': () => 'it works again',
  'alert-raised': ({ message }) => message,
  'alert-ended': ({ code, subject }) => `over: ${subject} (${code})`,
  'notification-sent': ({ notification, id }) => `notification ${notification} sent (${id})`,
  'notification-failed': ({ notification, why }) =>
    `notification ${notification} could not be sent and is tried again later: ${why}`,
  'health-served': ({ url }) => `health and metrics at ${url}`,
  'background-task-failed': ({ what, why }) => `${what}: ${why}`,
  progress: ({ file, phase, done, total }) =>
    `${file} ${phase} ${done}${total === undefined ? '' : ` of ${total}`}`,
}

/** One line for people, without the route. */
export function formatEvent(event: BridgeEvent): string {
  return (EVENT_TEXTS[event.kind] as (event: BridgeEvent) => string)(event)
}
