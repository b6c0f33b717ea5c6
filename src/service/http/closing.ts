/** Closing the server: what is under way is answered whole, and nobody can keep it open by asking half of something. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** An answer that its reader does not take is cut off after this long. */
const LONGEST_SENDING_MS = 5_000

/**
 * To be registered after whatever delays an answer. Callers whose request has arrived whole are answered, and told to let go of
 * their connection; all other connections are broken. Node would take an answer that is still being sent for one that is
 * out, and, once it closes, wait for ever for a request of which only a part has come.
 */
export function registerClosing(app: FastifyInstance): void {
  const connections = new Map<Socket, Set<ServerResponse>>()
  let closing = false
  app.server.on('connection', (socket: Socket) => {
    if (closing) {
      socket.destroy()
      return
    }
    connections.set(socket, new Set())
    socket.once('close', () => connections.delete(socket))
  })
  app.server.on('request', ({ socket }, response) => {
    const answers = connections.get(socket)
    answers?.add(response)
    response.once('close', () => {
      answers?.delete(response)
      if (closing && answers?.size === 0) socket.destroySoon()
    })
  })
  app.addHook('preClose', async () => {
    closing = true
    for (const [socket, answers] of connections) if (!isOwed(answers)) socket.destroy()
    await Promise.race([allSent(connections), time(LONGEST_SENDING_MS)])
  })
  app.addHook('onSend', async (_request, reply, payload) => {
    if (closing) {
      reply.header('connection', 'close')
      cutOffLater(reply.raw)
    }
    return payload
  })
}

function isOwed(answers: ReadonlySet<ServerResponse>): boolean {
  return [...answers].some(({ req }) => req.complete)
}

/** One that was made after closing began: until its reader has taken it, it keeps the server open by itself. */
function cutOffLater(answer: ServerResponse): void {
  const { socket } = answer.req
  const timer = setTimeout(() => socket.destroy(), LONGEST_SENDING_MS).unref()
  answer.once('close', () => clearTimeout(timer))
}

/** Those that are still being made are sent later. */
async function allSent(connections: ReadonlyMap<Socket, ReadonlySet<ServerResponse>>): Promise<void> {
  const sending = [...connections].filter(([, answers]) =>
    [...answers].some(({ writableEnded }) => writableEnded),
  )
  await Promise.all(sending.map(([socket]) => new Promise((resolve) => socket.once('close', resolve))))
}

function time(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
