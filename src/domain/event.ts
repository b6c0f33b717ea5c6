/** What happens, told while it happens: for progress bars, logs and tests. Never carries bodies or secrets. */
import type { StateCounts } from './record.ts'

export type BridgeEvent =
  | { readonly kind: 'file-left-alone'; readonly route: string; readonly file: string; readonly why: string }
  | {
      /** The mapping and the file name columns that the other does not have; perhaps they mean the same. */
      readonly kind: 'columns-differ'
      readonly route: string
      readonly file: string
      readonly absent: readonly string[]
      readonly unused: readonly string[]
    }
  | { readonly kind: 'file-received'; readonly route: string; readonly file: string; readonly bytes: number }
  /** Every record of it is in the journal; some may be refused already. */
  | { readonly kind: 'file-planned'; readonly route: string; readonly file: string; readonly records: number }
  /** Its sender was told what came of it. `again`: a person decided about what was held of it, and it is told anew. */
  | {
      readonly kind: 'file-reported'
      readonly route: string
      readonly file: string
      readonly outcome: string
      readonly records: StateCounts
      readonly again?: true
    }
  | { readonly kind: 'file-closed'; readonly route: string; readonly file: string; readonly outcome: string }
  /** Uncertain records are not looked up before an answer that comes late is out of the question. */
  | { readonly kind: 'waiting'; readonly route: string; readonly file: string; readonly ms: number }
  | { readonly kind: 'delivered'; readonly route: string; readonly file: string; readonly records: number }
  /** Every record of the delivery came to an end: acknowledged, or not, and why is in the journal. */
  | {
      readonly kind: 'delivery-acknowledged'
      readonly route: string
      readonly file: string
      readonly records: StateCounts
    }
  /** One pass over a route came to its end, or to the failure with this code. */
  | {
      readonly kind: 'pass-ended'
      readonly route: string
      readonly ms: number
      readonly failure?: string
      /** Nothing was due, so nothing was tried. */
      readonly idle?: true
    }
  /** Told once, when a route that went well before fails; and once when it goes well again. */
  | {
      readonly kind: 'route-failed'
      readonly route: string
      readonly code: string
      readonly message: string
    }
  | { readonly kind: 'route-recovered'; readonly route: string }
  /** A business date or an instant of a schedule. */
  | { readonly kind: 'turn-begun'; readonly route: string; readonly turn: string }
  /** Turns of a schedule that nobody will carry out, because they are too long ago; told once. */
  | { readonly kind: 'turns-missed'; readonly route: string; readonly turns: readonly string[] }
  | { readonly kind: 'watch-started'; readonly routes: number; readonly scanMs: number }
  | { readonly kind: 'watch-stopped' }
  | StopEvent
  /** The system does not tell what happens in a folder: it is looked through by the clock alone. */
  | { readonly kind: 'watch-deaf'; readonly route: string; readonly folder: string; readonly why: string }
  /** A person must hear of it; told once, and once when it is over. */
  | {
      readonly kind: 'attention-raised'
      readonly code: string
      readonly subject: string
      readonly message: string
      readonly cure: string
      readonly route?: string
    }
  | {
      readonly kind: 'attention-ended'
      readonly code: string
      readonly subject: string
      readonly route?: string
    }
  /** `id` stays the same when the same notice is tried again. */
  | { readonly kind: 'notice-sent'; readonly notice: string; readonly id: string }
  | { readonly kind: 'notice-failed'; readonly notice: string; readonly id: string; readonly why: string }
  | { readonly kind: 'health-served'; readonly url: string }
  /** The status page, the health address or another thing beside the work does not go; told once for each reason. */
  | { readonly kind: 'aside-failed'; readonly what: string; readonly why: string }
  /** `total` is left out while it is not known. */
  | {
      readonly kind: 'progress'
      readonly route: string
      readonly file: string
      readonly phase: 'translating' | 'sending' | 'settling' | 'collecting' | 'acknowledging' | 'fetching'
      readonly done: number
      readonly total?: number
    }

/** A signal came: what is in flight is finished first. Told by the program, not by the bridge. */
export type StopEvent =
  | { readonly kind: 'stop-asked' }
  /** Nothing is waited for any more. */
  | { readonly kind: 'stopped-at-once'; readonly why?: string }

export type Observer = (event: BridgeEvent) => void
