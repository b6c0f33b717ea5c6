/** Events of the running bridge, for progress, logs and tests. They never carry bodies or secrets. */
import type { RouteFailure } from './alert.ts'
import type { StateCounts } from './record.ts'

export type BridgeEvent =
  | { readonly kind: 'file-skipped'; readonly route: string; readonly file: string; readonly why: string }
  | {
      /** The mapping and the file each have columns that the other lacks; perhaps they mean the same. */
      readonly kind: 'columns-differ'
      readonly route: string
      readonly file: string
      readonly absent: readonly string[]
      readonly unused: readonly string[]
    }
  | { readonly kind: 'file-received'; readonly route: string; readonly file: string; readonly bytes: number }
  /** Every record of it is in the journal; some may be refused already. */
  | { readonly kind: 'file-planned'; readonly route: string; readonly file: string; readonly records: number }
  /** The sets of a file of interchanges are given to their routes; so many to none, because none takes them. */
  | {
      readonly kind: 'file-unbundled'
      readonly route: string
      readonly file: string
      readonly interchanges: number
      readonly sets: number
      readonly unrouted: number
    }
  /** Where each of its sets went was reported. */
  | {
      readonly kind: 'sets-reported'
      readonly route: string
      readonly file: string
      readonly outcome: string
      readonly sets: number
    }
  /** Its result files were delivered. `again`: after a person's decision about held records. */
  | {
      readonly kind: 'file-reported'
      readonly route: string
      readonly file: string
      readonly outcome: string
      readonly records: StateCounts
      readonly again?: true
    }
  | { readonly kind: 'file-closed'; readonly route: string; readonly file: string; readonly outcome: string }
  /** The bridge waits until a late answer is impossible before it looks up uncertain records. */
  | {
      readonly kind: 'waiting'
      readonly route: string
      readonly file: string
      readonly ms: number
      /** When the wait ends, by the clock. */
      readonly until: number
      /** The status of the answers, where all have the same. */
      readonly http?: number
      /** The records were perhaps sent with a journal that is lost. */
      readonly isRestored?: true
      /** The first lookup did not find them all. */
      readonly isSecond?: true
    }
  /** The lookups proved that the API does not have so many sent records, so they are sent again. */
  | {
      readonly kind: 'found-absent'
      readonly route: string
      readonly file: string
      readonly records: number
      /** How often one of them was sent so far, and how often at most. */
      readonly sent: number
      readonly atMost: number
    }
  | { readonly kind: 'delivered'; readonly route: string; readonly file: string; readonly records: number }
  /** Cells of an outgoing file have a warning; the first is in this column of the record with this id. */
  | {
      readonly kind: 'cells-warned'
      readonly route: string
      readonly file: string
      readonly code: 'cell-is-formula' | 'character-replaced'
      readonly cells: number
      readonly column: string
      readonly apiId: string
    }
  /** The answers of its partner came to so many records of the delivery. */
  | {
      readonly kind: 'delivery-answered'
      readonly route: string
      readonly file: string
      readonly accepted: number
      readonly refused: number
    }
  /** Every record of the delivery is final: acknowledged, or not for a reason in the journal. */
  | {
      readonly kind: 'delivery-acknowledged'
      readonly route: string
      readonly file: string
      readonly records: StateCounts
    }
  /** One pass over a route ended, perhaps with the failure of this code. */
  | {
      readonly kind: 'pass-ended'
      readonly route: string
      readonly ms: number
      readonly failure?: string
      /** The pass had nothing to do. */
      readonly idle?: true
    }
  /** Reported once, when a working route fails; and once when it works again. */
  | ({ readonly kind: 'route-failed' } & RouteFailure)
  | { readonly kind: 'route-recovered'; readonly route: string }
  /** A business date or an instant of a schedule. */
  | { readonly kind: 'run-started'; readonly route: string; readonly run: string }
  /** Missed runs, too old to be made up for; reported once. */
  | { readonly kind: 'runs-missed'; readonly route: string; readonly runs: readonly string[] }
  /** `others`: the number of other watches that watch any of these routes. Left out when there is none. */
  | {
      readonly kind: 'watch-started'
      readonly routes: number
      readonly scanMs: number
      readonly others?: number
    }
  | { readonly kind: 'watch-stopped' }
  /** The configuration and mappings on the disk are right; the routes finish their files before they are used. */
  | { readonly kind: 'reload-started' }
  /** They take the place of the earlier ones. `added`, `removed`: names of routes. */
  | {
      readonly kind: 'configuration-reloaded'
      readonly added: readonly string[]
      readonly removed: readonly string[]
    }
  /** The watch continues with what it had. */
  | { readonly kind: 'reload-failed'; readonly why: string; readonly fix: string }
  | ShutdownEvent
  /** The system reports no changes of a folder, so the bridge only scans it at intervals. */
  | {
      readonly kind: 'watcher-unreliable'
      readonly route: string
      readonly folder: string
      readonly why: string
    }
  /** An alert; reported once when it begins and once when it ends. */
  | {
      readonly kind: 'alert-raised'
      readonly code: string
      readonly subject: string
      readonly message: string
      readonly fix: string
      readonly route?: string
    }
  | { readonly kind: 'alert-ended'; readonly code: string; readonly subject: string; readonly route?: string }
  /** `id` stays the same when the same notification is tried again. */
  | { readonly kind: 'notification-sent'; readonly notification: string; readonly id: string }
  | {
      readonly kind: 'notification-failed'
      readonly notification: string
      readonly id: string
      readonly why: string
    }
  | { readonly kind: 'health-served'; readonly url: string }
  /** The status page, the health address or another background task fails; reported once for each reason. */
  | { readonly kind: 'background-task-failed'; readonly what: string; readonly why: string }
  /** `total` is left out while it is not known. */
  | {
      readonly kind: 'progress'
      readonly route: string
      readonly file: string
      readonly phase: 'translating' | 'sending' | 'reconciling' | 'collecting' | 'acknowledging' | 'fetching'
      readonly done: number
      readonly total?: number
    }

/** A signal came; requests in flight finish first. The program reports it, not the bridge. */
export type ShutdownEvent =
  | { readonly kind: 'stop-requested' }
  /** The program stops without waiting. */
  | { readonly kind: 'stopped-at-once'; readonly why?: string }

export type Observer = (event: BridgeEvent) => void

// The events of the log: one row per kind, with a code that never changes its meaning.

interface LogEventKind {
  /** Stable, for programs that read the log. */
  readonly code: string
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly meaning: string
}

/** `docs/logs.md` is printed from this table. */
export const LOG_EVENTS = {
  'file-skipped': {
    code: 'file.skipped',
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
  'file-unbundled': {
    level: 'info',
    code: 'file.unbundled',
    meaning: 'The sets of a file of interchanges are given to their routes.',
  },
  'sets-reported': {
    level: 'info',
    code: 'file.sets-reported',
    meaning: 'Where each set of a file of interchanges went was reported.',
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
      'Answers of the API were lost. The bridge checks later whether the requests succeeded, when none can arrive any more.',
  },
  'found-absent': {
    code: 'file.sent-again',
    level: 'warn',
    meaning: 'The API does not have what was sent: the lookups did not find it, so it is sent again.',
  },
  'cells-warned': {
    code: 'delivery.warning',
    level: 'warn',
    meaning:
      'Cells of an outgoing file have a warning (`cell-is-formula`, `character-replaced` in docs/errors.md).',
  },
  delivered: { code: 'delivery.delivered', level: 'info', meaning: 'An outgoing file is in its place.' },
  'delivery-answered': {
    code: 'delivery.answered',
    level: 'info',
    meaning: 'Its partner accepted or refused records of it, with a 997, 999 or CONTRL.',
  },
  'delivery-acknowledged': {
    code: 'delivery.acknowledged',
    level: 'info',
    meaning: 'Every record of it is final.',
  },
  'run-started': {
    code: 'run.started',
    level: 'info',
    meaning: 'A scheduled run starts: a business date, or a time of a cron expression.',
  },
  'runs-missed': {
    code: 'run.missed',
    level: 'warn',
    meaning: 'Scheduled runs are too long ago to be made up for, and will not be carried out.',
  },
  'pass-ended': { code: 'route.passed', level: 'debug', meaning: 'A pass over a route ended.' },
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
  'watch-started': { code: 'watch.started', level: 'info', meaning: '`dropbridge watch` is at work.' },
  'watch-stopped': {
    code: 'watch.stopped',
    level: 'info',
    meaning: 'It was asked to stop, and has finished what was in flight.',
  },
  'reload-started': {
    code: 'watch.reloading',
    level: 'info',
    meaning: 'Changed configuration and mappings passed their check. Each route finishes its file first.',
  },
  'configuration-reloaded': {
    code: 'watch.reloaded',
    level: 'info',
    meaning: 'The watch works with the configuration and mappings that are on the disk.',
  },
  'reload-failed': {
    code: 'watch.reload-failed',
    level: 'error',
    meaning: 'They have errors, or need a restart. The watch continues with what it had.',
  },
  'stop-requested': {
    code: 'stop.asked',
    level: 'info',
    meaning: 'A signal asked the program to stop; it finishes what is in flight first.',
  },
  'stopped-at-once': {
    code: 'stop.at-once',
    level: 'warn',
    meaning:
      'It ended without that, after a second signal or 30 seconds. The next run continues from the journal.',
  },
  'watcher-unreliable': {
    code: 'watch.unreliable',
    level: 'warn',
    meaning:
      'The system does not report new files in a folder, as on many network shares. Scans find them within seconds.',
  },
  'alert-raised': {
    code: 'alert.raised',
    level: 'warn',
    meaning: 'Something needs a person. The field `alert` is its code in docs/alerts.md.',
  },
  'alert-ended': { code: 'alert.ended', level: 'info', meaning: 'Nothing is left to do about it.' },
  'notification-sent': {
    code: 'notification.sent',
    level: 'info',
    meaning: 'A mail, webhook or command took a notification.',
  },
  'notification-failed': {
    code: 'notification.failed',
    level: 'warn',
    meaning: 'It did not; the same notification is tried again after the next pass.',
  },
  'health-served': {
    code: 'health.served',
    level: 'info',
    meaning: 'Health and metrics are served at an address.',
  },
  'background-task-failed': {
    code: 'background.failed',
    level: 'warn',
    meaning:
      'The status page, the health address or another thing beside the work does not go. The work does.',
  },
  progress: { code: 'work.progress', level: 'debug', meaning: 'How far the work on a file has come.' },
} as const satisfies Record<BridgeEvent['kind'], LogEventKind>
