/** What can stand in the log: one row per kind of event, with the code that never changes its meaning. */
import type { BridgeEvent } from './event.ts'

interface EventKindWords {
  /** Stable, for programs that read the log. */
  readonly code: string
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly meaning: string
}

/** `docs/logs.md` is printed from this table. */
export const EVENTS = {
  'file-left-alone': {
    code: 'file.left-alone',
    level: 'info',
    meaning: 'A file is not taken yet: it is still being written, or has just arrived.',
  },
  'columns-differ': {
    code: 'file.columns-differ',
    level: 'warn',
    meaning: 'The mapping names columns that the file does not have.',
  },
  'file-received': {
    code: 'file.received',
    level: 'info',
    meaning: 'A file was taken from its inbox, and a copy of it is safe.',
  },
  'file-planned': {
    code: 'file.planned',
    level: 'info',
    meaning: 'Every record of it was read and checked, and is in the journal; the good ones are sent next.',
  },
  'file-reported': {
    code: 'file.reported',
    level: 'info',
    meaning: 'Its result files are delivered, with what came of its records.',
  },
  'file-closed': {
    code: 'file.closed',
    level: 'info',
    meaning: 'It is done, and its source is in the archive.',
  },
  waiting: {
    code: 'file.waiting',
    level: 'info',
    meaning:
      'Answers of the API were lost; it is looked up what came of them once a late one is out of the question.',
  },
  delivered: {
    code: 'delivery.delivered',
    level: 'info',
    meaning: 'An outgoing file is in its place.',
  },
  'delivery-acknowledged': {
    code: 'delivery.acknowledged',
    level: 'info',
    meaning: 'Every record of it came to its end at the API.',
  },
  'turn-begun': {
    code: 'turn.begun',
    level: 'info',
    meaning: 'A turn of a schedule is carried out: a business date, or a time of a cron expression.',
  },
  'turns-missed': {
    code: 'turn.missed',
    level: 'warn',
    meaning: 'Turns of a schedule are too long ago to be made up for, and nobody will carry them out.',
  },
  'pass-ended': {
    code: 'route.passed',
    level: 'debug',
    meaning: 'A pass over a route came to its end.',
  },
  'route-failed': {
    code: 'route.failed',
    level: 'error',
    meaning: 'A route could not do its work. The field `failure` is explained by `dropbridge explain`.',
  },
  'route-recovered': {
    code: 'route.recovered',
    level: 'info',
    meaning: 'A route that had failed does its work again.',
  },
  'watch-started': {
    code: 'watch.started',
    level: 'info',
    meaning: '`dropbridge watch` is at work.',
  },
  'watch-stopped': {
    code: 'watch.stopped',
    level: 'info',
    meaning: 'It was asked to stop, and has finished what was in flight.',
  },
  'stop-asked': {
    code: 'stop.asked',
    level: 'info',
    meaning: 'A signal asked the program to stop; it finishes what is in flight first.',
  },
  'stopped-at-once': {
    code: 'stop.at-once',
    level: 'warn',
    meaning:
      'It ended without that, after a second signal or 30 seconds. The next run goes on from the journal.',
  },
  'watch-deaf': {
    code: 'watch.deaf',
    level: 'warn',
    meaning:
      'The system does not tell of new files in a folder, as on many network shares. Files are found by looking, within seconds.',
  },
  'attention-raised': {
    code: 'attention.raised',
    level: 'warn',
    meaning: 'Something needs a person. The field `finding` is its code in docs/attention.md.',
  },
  'attention-ended': {
    code: 'attention.ended',
    level: 'info',
    meaning: 'It needs nobody any more.',
  },
  'notice-sent': {
    code: 'notice.sent',
    level: 'info',
    meaning: 'A mail, webhook or command took a notice.',
  },
  'notice-failed': {
    code: 'notice.failed',
    level: 'warn',
    meaning: 'It did not; the same notice is tried again after the next pass.',
  },
  'health-served': {
    code: 'health.served',
    level: 'info',
    meaning: 'Health and metrics are served at an address.',
  },
  'aside-failed': {
    code: 'aside.failed',
    level: 'warn',
    meaning:
      'The status page, the health address or another thing beside the work does not go. The work does.',
  },
  progress: {
    code: 'work.progress',
    level: 'debug',
    meaning: 'How far the work on a file has come.',
  },
} as const satisfies Record<BridgeEvent['kind'], EventKindWords>
