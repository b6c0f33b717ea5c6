/** What happens, told while it happens: for progress bars, logs and tests. Never carries bodies or secrets. */

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
  | { readonly kind: 'file-closed'; readonly route: string; readonly file: string; readonly outcome: string }
  /** Uncertain records are not looked up before an answer that comes late is out of the question. */
  | { readonly kind: 'waiting'; readonly route: string; readonly file: string; readonly ms: number }
  | { readonly kind: 'delivered'; readonly route: string; readonly file: string; readonly records: number }
  /** `total` is left out while it is not known. */
  | {
      readonly kind: 'progress'
      readonly route: string
      readonly file: string
      readonly phase: 'translating' | 'sending' | 'settling' | 'collecting' | 'acknowledging' | 'fetching'
      readonly done: number
      readonly total?: number
    }

export type Observer = (event: BridgeEvent) => void
