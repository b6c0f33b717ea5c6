/** Opens the client's connections. A connection that breaks off a request is reset, so that its rest is never sent. */
import type { Socket } from 'node:net'
import { buildConnector } from 'undici'

/** `isBusy` tells whether a request of the connection still has no whole answer. */
export type Connect = (isBusy: () => boolean) => buildConnector.connector

/** All connections share the TLS sessions. The TCP connection and the TLS handshake may each take `timeoutMs`. */
export function createConnect(timeoutMs: number): Connect {
  const openTcp = buildConnector({ timeout: timeoutMs })
  const openTls = buildConnector({ timeout: timeoutMs })

  return (isBusy) => (options, callback) => {
    const isTls = options.protocol === 'https:'
    const port = options.port || (isTls ? '443' : '80')
    openTcp({ ...options, protocol: 'http:', port }, (...tcp) => {
      if (tcp[0] !== null) return callback(tcp[0], null)
      if (!isTls) return callback(null, resetWhenBusy(tcp[1], tcp[1], isBusy))
      openTls({ ...options, httpSocket: tcp[1] }, (...tls) => {
        if (tls[0] !== null) return callback(tls[0], null)
        callback(null, resetWhenBusy(tls[1], tcp[1], isBusy))
      })
    })
  }
}

/**
 * Makes `destroy` of a busy socket reset the TCP connection below it. An ordinary close leaves what was written to the
 * system, which goes on sending it for minutes. The server could then carry out a request that was looked up and not found.
 */
function resetWhenBusy(socket: Socket, tcp: Socket, isBusy: () => boolean): Socket {
  const close = socket.destroy.bind(socket)
  socket.destroy = (error) => {
    socket.destroy = close
    if (!socket.destroyed && isBusy()) {
      // `resetAndDestroy` calls it without the error, by which undici tells an abort from a loss
      const closeTcp = tcp.destroy.bind(tcp)
      tcp.destroy = () => closeTcp(error)
      tcp.resetAndDestroy()
    }
    return close(error)
  }
  return socket
}
