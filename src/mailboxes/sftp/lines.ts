/** The connections of one mailbox: few, each for one piece of work at a time, and made anew when one is lost. */
import type { Clock } from '../../support/clock.ts'
import { BridgeError, hasCode } from '../../support/errors.ts'
import { type Connection, connect } from './connection.ts'
import type { SftpServer } from './options.ts'
import { ConnectionLost, isRefusal, STATUS } from './refusals.ts'

export interface Lines {
  /**
   * Does the work with a connection that nobody else has meanwhile. When it is lost, the work is done again from its start with
   * another one: it must look first what has been done already. As long as `reached` grows, it is tried again and again.
   */
  use<Result>(work: (connection: Connection) => Promise<Result>, reached?: () => number): Promise<Result>
  /** A connection for as long as the caller wants, without a second try. */
  borrow(): Promise<Connection>
  giveBack(connection: Connection): void
  /** Waits before the next try, unless there were too many: then what was lost is thrown as a failure. */
  again(error: unknown, tries: number): Promise<void>
  close(): Promise<void>
}

export interface LineOptions {
  readonly server: SftpServer
  readonly connections: number
  readonly clock: Clock
  readonly random: () => number
  readonly isImpatient: boolean
}

export function openLines(options: LineOptions): Lines {
  const pool = openPool(options)
  const patience = patienceWith(options)
  const borrow = async () => {
    patience.refuseEarly()
    try {
      return await pool.take()
    } catch (error) {
      throw patience.seen(error)
    }
  }
  const giveBack = (connection: Connection) => {
    if (!connection.isLost()) patience.calm()
    pool.giveBack(connection)
  }
  const once = async <Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> => {
    const connection = await borrow()
    try {
      return await looked(connection, work)
    } finally {
      giveBack(connection)
    }
  }
  return {
    borrow,
    giveBack,
    again: patience.again,
    close: pool.close,
    use: async (work, reached = () => 0) => {
      let before = reached()
      for (let tries = 1; ; tries += 1) {
        try {
          return await once(work)
        } catch (error) {
          if (reached() > before) tries = 1
          before = reached()
          await patience.again(error, tries)
        }
      }
    },
  }
}

/** A folder that was looked at earlier may be gone: then it is looked for, or made, once more. */
async function looked<Result>(
  connection: Connection,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const believed = connection.folders.size > 0
  try {
    return await work(connection)
  } catch (error) {
    connection.folders.clear()
    const cause = error instanceof BridgeError ? error.cause : error
    if (!believed || !isRefusal(cause, STATUS.noSuchFile, STATUS.failure)) throw error
    return work(connection)
  }
}

const TRIES_MAX = 4
const FIRST_WAIT_MS = 500
/** A refused login is not tried again for this long: many servers lock an account after a few. */
const REFUSED_FOR_MS = 5 * 60_000

/** How often something is tried again. While a server is away, each piece of work gets one try. */
function patienceWith({ clock, random, isImpatient }: LineOptions) {
  let isAway = isImpatient
  let refused: { readonly failure: BridgeError; readonly until: number } | undefined
  return {
    calm: () => {
      isAway = isImpatient
    },
    refuseEarly: () => {
      if (refused !== undefined && clock.now() < refused.until) throw refused.failure
      refused = undefined
    },
    seen: (error: unknown): unknown => {
      if (hasCode(error, 'credentials-refused')) {
        refused = { failure: error, until: clock.now() + REFUSED_FOR_MS }
      }
      return error
    },
    again: async (error: unknown, tries: number): Promise<void> => {
      if (!(error instanceof ConnectionLost)) throw error
      if (isAway || tries >= TRIES_MAX) {
        isAway = true
        const often = tries === 1 ? 'at the first try' : `after ${tries} tries`
        const says = `${error.message.replace(/\.$/, '')}; given up ${often}.`
        throw new BridgeError('mailbox-unreachable', says, { cause: error })
      }
      const wait = FIRST_WAIT_MS * 2 ** (tries - 1)
      await clock.sleep(wait / 2 + random() * wait)
    },
  }
}

/** Partners count idle sessions; after this long a connection is not kept for the next piece of work. */
const IDLE_MS = 60_000

function openPool({ server, connections }: LineOptions) {
  const idle: Connection[] = []
  const waiting: (() => void)[] = []
  let busy = 0
  let timer: NodeJS.Timeout | undefined
  const endIdle = () => Promise.all(idle.splice(0).map((connection) => connection.end()))
  return {
    take: async (): Promise<Connection> => {
      while (busy >= connections) await new Promise<void>((resolve) => waiting.push(resolve))
      clearTimeout(timer)
      busy += 1
      for (let known = idle.pop(); known !== undefined; known = idle.pop()) if (!known.isLost()) return known
      try {
        return await connect(server)
      } catch (error) {
        busy -= 1
        waiting.shift()?.()
        throw error
      }
    },
    giveBack: (connection: Connection): void => {
      busy -= 1
      if (!connection.isLost()) idle.push(connection)
      waiting.shift()?.()
      clearTimeout(timer)
      timer = setTimeout(() => void endIdle(), IDLE_MS)
      timer.unref()
    },
    close: async (): Promise<void> => {
      clearTimeout(timer)
      await endIdle()
    },
  }
}
