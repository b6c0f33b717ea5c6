/** Who may work on what. */

/**
 * The right to work on one route. Every writing call throws `lease-lost` when somebody else has taken it over, and renews it
 * in the same transaction, unless there was nothing to write, so that a process which wakes up late cannot write over its successor.
 */
export interface Lease {
  readonly route: string
  /** Grows with every holder of the route. */
  readonly token: number
  /** Not renewed for this long, it is free for others. */
  readonly ttlMs: number
}

/** `process 11204 on bridge-host`, of a holder that is `place/pid/nonce`; any other as it is. */
export function holderInWords(holder: string): string {
  const [place = '', pid = ''] = holder.split('/')
  const [host = ''] = place.split('+')
  return /^\d+$/.test(pid) && host !== '' ? `process ${pid} on ${host}` : holder
}
