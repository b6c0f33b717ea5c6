/** Work that may not take longer than a time. */

export interface Deadline {
  /** Fires when the time is over, or with the signal that it was made with. */
  readonly signal: AbortSignal
  readonly isOver: () => boolean
  /** The work is done: nothing fires any more. */
  readonly end: () => void
}

/**
 * The timer holds what it fires. An `AbortSignal.timeout` within an `AbortSignal.any` that nobody else holds is forgotten by Node
 * when memory is cleaned up, and what waited for it waits for ever.
 */
export function deadlineAfter(ms: number, signal: AbortSignal): Deadline {
  const controller = new AbortController()
  let isOver = false
  const timer = setTimeout(() => {
    isOver = true
    controller.abort()
  }, ms)
  const stop = () => controller.abort()
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  return {
    signal: controller.signal,
    isOver: () => isOver,
    end: () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    },
  }
}
