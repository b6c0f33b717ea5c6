/** Deadlines are kept in milliseconds and said in hours. */

export const HOUR_MS = 3_600_000
