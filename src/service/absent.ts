/** Optional fields of bodies: left out and null mean the same. */

export function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined
}
