/** The host names of a server: another site's page in a browser can only ask it under a name of that site. */
import { isIP } from 'node:net'
import { hostname } from 'node:os'

/** Whether a `Host` header names this machine: by an address, as localhost, by its own name, or by one of these. */
export function createHostCheck(names: readonly string[]): (header: string | undefined) => boolean {
  const own = new Set(['localhost', hostname(), ...names].map(normalizeHost))
  return (header) => {
    // Only HTTP/1.0 goes without, and no browser speaks that.
    if (header === undefined) return true
    const host = normalizeHost(header.replace(/:\d*$/, ''))
    return isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0 || own.has(host)
  }
}

function normalizeHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, '')
}
