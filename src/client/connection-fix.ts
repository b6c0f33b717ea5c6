/** What to do when no connection to the API comes about: by the system's or the TLS library's code of the cause. */

/** The first row whose pattern fits the code counts. A fix has at most 100 characters. */
const CONNECTION_FIXES: readonly { readonly codes: RegExp; readonly fix: string }[] = [
  {
    codes: /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/,
    fix: 'The server speaks http at this port: write http://, or the port of https, in api.baseUrl.',
  },
  {
    codes: /^(ENOTFOUND|EAI_AGAIN|EAI_NONAME)$/,
    fix: 'Check the host name in api.baseUrl, and whether this machine can resolve it.',
  },
  {
    codes: /^ECONNREFUSED$/,
    fix: 'Nothing listens there: start the API, or correct api.baseUrl; then run again, nothing is lost.',
  },
  {
    codes: /^(EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/,
    fix: 'Check host and port in api.baseUrl. If they are right, run again later; nothing is lost.',
  },
  {
    codes: /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/,
    fix: 'Start with NODE_EXTRA_CA_CERTS=FILE, where FILE has the certificate of its authority.',
  },
  {
    codes: /^(ERR_TLS_CERT_ALTNAME_INVALID|CERT_\w+)$/,
    fix: 'Check the host name in api.baseUrl, and ask the operator of the API for its certificate.',
  },
]

const TIMEOUT_FIX = 'Run again later; nothing is lost. If the API is always so slow, raise api.timeout.'

/** An https port gives a request without TLS no answer, or one that is not HTTP. */
const CLOSED_WITHOUT_TLS = /^(UND_ERR_SOCKET|ECONNRESET|HPE_\w+)$/

/**
 * The fix for a connection that failed, undefined where nothing better is known than to run again later.
 * `isPlain`: the address begins with http://.
 */
export function findConnectionFix(cause: Error, { isPlain }: { isPlain: boolean }): string | undefined {
  if (cause.message.includes('api.timeout')) return TIMEOUT_FIX
  const code = getCode(cause)
  if (code === undefined) return undefined
  if (isPlain && CLOSED_WITHOUT_TLS.test(code)) {
    return 'If the API speaks https, write https:// in api.baseUrl; else run again later.'
  }
  return CONNECTION_FIXES.find(({ codes }) => codes.test(code))?.fix
}

/** The cause in one line, with its code. OpenSSL's own message is a line of its source; its reason says the same. */
export function describeCause(cause: Error): string {
  const code = getCode(cause)
  const text = code?.startsWith('ERR_SSL_') && 'reason' in cause ? String(cause.reason) : cause.message
  if (text === '') return code ?? cause.name
  return code === undefined || text.includes(code) ? text : `${text} (${code})`
}

function getCode(cause: Error): string | undefined {
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
}
