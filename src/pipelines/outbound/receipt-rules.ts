/** Which file confirms a delivered one, and what must stand in it. */
export interface ReceiptRules {
  readonly folder: string
  readonly archiveFolder: string
  /** The name of the receipt for the delivered file of this name; case is ignored. */
  readonly nameFor: (name: string) => string
  /** What must stand in it, for the delivered file of this name. */
  readonly textFor?: (name: string) => string
  /** How long it must not have changed before it is taken. */
  readonly settleMs: number
}
