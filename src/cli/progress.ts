/** A progress bar for long work, on a terminal only. */
import { Presets, SingleBar } from 'cli-progress'
import type { BridgeEvent, Observer } from '../domain/event.ts'
import type { Terminal } from './terminal.ts'

/** An observer that draws, and the means to take the bar away before something else is said. */
export function progressBar(terminal: Terminal): { readonly observe: Observer; readonly clear: () => void } {
  const stream = terminal.progressStream
  if (stream === null) return { observe: () => undefined, clear: () => undefined }
  let bar: SingleBar | undefined
  let shown = ''
  const clear = () => {
    bar?.stop()
    bar = undefined
    shown = ''
  }
  const observe = (event: BridgeEvent) => {
    if (event.kind !== 'progress') return
    const what = `${event.route} ${event.phase} ${event.file}`.trim()
    if (what !== shown) clear()
    bar ??= start(stream, what)
    shown = what
    if (event.total !== undefined) bar.setTotal(event.total)
    bar.update(event.done)
  }
  return { observe, clear }
}

function start(stream: NodeJS.WriteStream, what: string): SingleBar {
  const format = `${what}  {bar}  {value} of {total}`
  const bar = new SingleBar(
    { stream, format, clearOnComplete: true, hideCursor: true },
    Presets.shades_classic,
  )
  bar.start(0, 0)
  return bar
}
