/** Work that may not take longer than a time. */

/** Rejects when the time is over or the signal fires; what the work comes to after that is nobody's any more. */
export async function withinTime<Result>(
  ms: number,
  work: Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  let end = (): void => undefined
  const ended = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${ms / 1000} seconds`)), ms)
    const stop = () => reject(new Error('the program was asked to stop'))
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    }
  })
  try {
    return await Promise.race([work, ended])
  } finally {
    end()
  }
}
