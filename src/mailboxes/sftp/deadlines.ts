/** The calls that have no answer yet: each ends with one, at its deadline, or with its connection. */
import { ConnectionLost, refusalOf, STATUS } from './refusals.ts'

/** What the library calls with an answer. */
export type Done<Answer> = (error: Error | null | undefined, answer?: Answer) => void

export interface Asked {
  /** Sends one request and gives its answer. */
  ask<Answer>(what: string, send: (done: Done<Answer>) => void): Promise<Answer>
}

/**
 * When nothing at all is answered for this long while something is asked, `lose` is called. A transfer has many calls open at
 * once, and each answer is a sign of life for the others.
 */
export function deadlines(
  { who, timeoutMs }: { readonly who: string; readonly timeoutMs: number },
  lose: (lost: ConnectionLost) => void,
) {
  const open = new Map<(lost: ConnectionLost) => void, string>()
  let lost: ConnectionLost | undefined
  let timer: NodeJS.Timeout | undefined
  const watch = () => {
    clearTimeout(timer)
    if (open.size === 0) return
    const [first = ''] = open.values()
    timer = setTimeout(() => {
      const seconds = timeoutMs / 1000
      lose(new ConnectionLost(`${who} did not answer within ${seconds} seconds (${first})`))
    }, timeoutMs)
  }
  return {
    ask: <Answer>(what: string, send: (done: Done<Answer>) => void): Promise<Answer> =>
      new Promise((resolve, reject) => {
        if (lost) return reject(lost)
        const forget = () => {
          open.delete(reject)
          watch()
        }
        open.set(reject, what)
        if (open.size === 1) watch()
        try {
          send((error, answer) => {
            if (!open.has(reject)) return // ended already, by its deadline or with its connection
            forget()
            if (!error) return resolve(answer as Answer)
            reject(failed(who, error))
          })
        } catch (error) {
          forget()
          // The library throws when the server has not offered what is asked for.
          const words = error instanceof Error ? error.message : String(error)
          reject(/does not support/.test(words) ? refusalOf(STATUS.notSupported, '') : error)
        }
      }),
    /** Ends every open call, and every later one at once. */
    end: (why: ConnectionLost) => {
      lost ??= why
      clearTimeout(timer)
      for (const reject of open.keys()) reject(lost)
      open.clear()
    },
  }
}

/** How a server says that what is behind it does not answer. */
const AWAY = [6, 7]

/** An answer has a status; all else is the library's way to say that none will come. */
function failed(who: string, error: Error): Error {
  const code = 'code' in error && typeof error.code === 'number' ? error.code : undefined
  if (code !== undefined && !AWAY.includes(code)) return refusalOf(code, error.message)
  return new ConnectionLost(`${who} broke off the connection (${error.message})`, error)
}
