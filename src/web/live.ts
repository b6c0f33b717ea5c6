/**
 * Reports to open pages that the journal changed: server-sent events with a mark, and each page asks for its own again. A page
 * has the mark of before it was read, so that what changes until its stream opens is not missed.
 */
import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Console } from '../app/console/context.ts'
import type { Hand } from '../app/console/hand.ts'

/** Asking SQLite takes some microseconds. */
const POLL_MS = 250

/** Proxies close connections that are silent for longer. */
const COMMENT_MS = 15_000

const SESSION_CHECK_MS = 60_000

/** Deadlines pass without a change of the journal. */
const MINUTE_TICK_MS = 60_000

const STREAMS_MAX = 200

interface Stream {
  readonly response: ServerResponse
  readonly isStanding: () => boolean
}

export function createLive(opened: Console, hand: Pick<Hand, 'onRun'>) {
  const streams = new Set<Stream>()
  let version = opened.readVersion()
  let timers: NodeJS.Timeout[] = []
  let count = 0
  /** Another console counts from 0, too. */
  const own = randomUUID()
  const toMark = () => `${own}-${count}`

  /** Nothing more is written to it: a write after its end would end the process. */
  const end = (stream: Stream) => {
    streams.delete(stream)
    stream.response.end()
  }
  /** A page whose people cannot be read says so when it asks again. */
  const isStanding = (stream: Stream) => {
    try {
      return stream.isStanding()
    } catch {
      return false
    }
  }
  const report = () => {
    count++
    for (const { response } of streams) response.write(`id: ${count}\nevent: change\ndata: ${toMark()}\n\n`)
  }
  const poll = () => {
    const now = opened.readVersion()
    if (now === version) return
    version = now
    report()
  }
  const start = () => {
    const comment = () => {
      for (const { response } of streams) response.write(': still here\n\n')
    }
    const check = () => {
      for (const stream of streams) if (!isStanding(stream)) end(stream)
    }
    timers = [
      setInterval(poll, POLL_MS),
      setInterval(comment, COMMENT_MS),
      setInterval(check, SESSION_CHECK_MS),
      setInterval(report, MINUTE_TICK_MS),
    ].map((timer) => timer.unref())
  }
  const stop = () => {
    for (const timer of timers) clearInterval(timer)
    timers = []
  }
  const endings = [opened.onSnapshot(report), hand.onRun(report)]
  return {
    isFull: () => streams.size >= STREAMS_MAX,
    /** Of what can be read now; another one once something changed. */
    mark(): string {
      poll()
      return toMark()
    },
    /** Keeps the stream until its reader leaves or its session ends. */
    add(stream: Stream): void {
      poll()
      if (streams.size === 0) start()
      streams.add(stream)
      stream.response.once('close', () => {
        streams.delete(stream)
        if (streams.size === 0) stop()
      })
      stream.response.write(`retry: 2000\nid: ${count}\nevent: open\ndata: ${toMark()}\n\n`)
    },
    close(): void {
      for (const endListening of endings) endListening()
      stop()
      for (const stream of streams) end(stream)
    },
  }
}
