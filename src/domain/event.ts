/** What happens, told while it happens: for progress bars, logs and tests. Never carries bodies or secrets. */

export type BridgeEvent =
  | { readonly kind: 'file-left-alone'; readonly route: string; readonly file: string; readonly why: string }
  | { readonly kind: 'file-received'; readonly route: string; readonly file: string; readonly bytes: number }
  | { readonly kind: 'file-closed'; readonly route: string; readonly file: string; readonly outcome: string }
  | { readonly kind: 'delivered'; readonly route: string; readonly file: string; readonly records: number }
  /** `total` is left out while it is not known. */
  | {
      readonly kind: 'progress'
      readonly route: string
      readonly file: string
      readonly phase: 'translating' | 'sending' | 'settling' | 'collecting' | 'acknowledging'
      readonly done: number
      readonly total?: number
    }

export type Observer = (event: BridgeEvent) => void
