/** Who holds a lease: a process on a machine, so that the lease of a dead process can be taken over at once. */
import { hostname } from 'node:os'
import { hasSystemCode } from '../support/errors.ts'

/** `host/pid/nonce`. The nonce tells two bridges of one process apart. */
export function thisHolder(nonce: string): string {
  return `${hostname()}/${process.pid}/${nonce}`
}

/**
 * False only when the holder ran on this machine and its process is gone. A process on another machine, or a process id
 * that somebody else has by now, is believed alive until its lease runs out.
 */
export function isHolderAlive(holder: string): boolean {
  const [host, pid] = holder.split('/')
  if (host !== hostname() || !pid || !/^\d+$/.test(pid)) return true
  try {
    process.kill(Number(pid), 0)
    return true
  } catch (error) {
    return !hasSystemCode(error, 'ESRCH')
  }
}
