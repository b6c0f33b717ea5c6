/** The peak memory of a program that is measured. */
import { readFileSync } from 'node:fs'

/**
 * The peak of this program alone, where the system reports it: `maxRSS` may count the process that started this one, which
 * Linux hands down.
 */
export function peakMb() {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
    if (kilobytes !== undefined) return Number(kilobytes) / 1024
  } catch {
    // not Linux
  }
  return process.resourceUsage().maxRSS / 1024
}
