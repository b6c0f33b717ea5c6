/** The bounds of reading text: what one row may take before it is taken for damage. */

export interface ReadLimits {
  /** Characters of one row. Also bounds the memory that a quote left open can take. */
  readonly maxRowCharacters: number
  /** Line breaks inside the quoted cells of one row. Bounds how far a quote left open is followed. */
  readonly maxRowLines: number
}

export const DEFAULT_LIMITS: ReadLimits = { maxRowCharacters: 1024 * 1024, maxRowLines: 200 }

/** How much is read and parsed at a time, in bytes and in characters; larger pieces are measurably slower. */
export const PIECE = 32 * 1024
