/** Who holds a lease: a process on a machine, so that the lease of a dead process can be taken over at once. */
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { hasSystemCode } from '../support/errors.ts'

/** `place/pid/nonce`. The nonce tells two bridges of one process apart. */
export function thisHolder(nonce: string): string {
  return `${thisPlace()}/${process.pid}/${nonce}`
}

/**
 * False only when the holder ran at this very place and its process is gone. A process elsewhere, or a process id that
 * somebody else has by now, is believed alive until its lease runs out.
 */
export function isHolderAlive(holder: string): boolean {
  const [place, pid] = holder.split('/')
  if (place !== thisPlace() || !pid || !/^\d+$/.test(pid)) return true
  try {
    process.kill(Number(pid), 0)
    return true
  } catch (error) {
    return !hasSystemCode(error, 'ESRCH')
  }
}

/** Containers may share a host's name and still count their processes apart, and a restart counts them anew. */
function thisPlace(): string {
  const boot = whereThere(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim().slice(0, 8))
  const processes = whereThere(() => readlinkSync('/proc/self/ns/pid').replace(/\D/g, ''))
  return [hostname(), boot, processes].filter((part) => part !== '').join('+')
}

/** Only Linux tells. */
function whereThere(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}
