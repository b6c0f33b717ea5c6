/** A proxy between the bridge and an SFTP server, from its address. */
import { BridgeError } from '../../support/errors.ts'

export interface Proxy {
  readonly kind: 'socks5' | 'http'
  readonly host: string
  readonly port: number
  readonly username?: string
  readonly password?: string
}

/** From `socks5://name:password@host:1080` or `http://host:3128`. The mistake never repeats the address. */
export function proxyOf(address: string): Proxy {
  const url = URL.canParse(address) ? new URL(address) : undefined
  const kind = KINDS[url?.protocol ?? '']
  if (url === undefined || kind === undefined || url.hostname === '') {
    throw new BridgeError(
      'configuration-invalid',
      'A proxy must be an address such as socks5://host:1080 or http://host:3128.',
    )
  }
  const { hostname, port, username, password } = url
  return {
    kind,
    // the URL of an address of version 6 has brackets around it
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? USUAL_PORTS[kind] : Number(port),
    ...(username === '' ? {} : { username: plain(username), password: plain(password) }),
  }
}

/** With the h, the proxy looks up the name, which is what is done here in any case. */
const KINDS: Readonly<Record<string, Proxy['kind']>> = {
  'socks5:': 'socks5',
  'socks5h:': 'socks5',
  'http:': 'http',
}

const USUAL_PORTS = { socks5: 1080, http: 80 } as const

/** As it stands, where it is no text in the manner of a URL. */
function plain(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
