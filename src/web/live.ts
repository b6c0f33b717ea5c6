/** Reports to open pages that the journal changed: server-sent events without data, each page asks for its own again. */
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
    for (const { response } of streams) response.write(`id: ${count}\nevent: change\ndata: ${count}\n\n`)
  }
  const poll = () => {
    const now = opened.readVersion()
    if (now === version) return
    version = now
    report()
  }
  const start = () => {
    version = opened.readVersion()
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
    /** Keeps the stream until its reader leaves or its session ends. */
    add(stream: Stream): void {
      if (streams.size === 0) start()
      streams.add(stream)
      stream.response.once('close', () => {
        streams.delete(stream)
        if (streams.size === 0) stop()
      })
      // A page that was away for a time may have missed changes.
      stream.response.write(`retry: 2000\nid: ${count}\nevent: open\ndata: ${count}\n\n`)
    },
    close(): void {
      for (const endListening of endings) endListening()
      stop()
      for (const stream of streams) end(stream)
    },
  }
}
