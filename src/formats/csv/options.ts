/** Checks of what a mapping says about delimiters and quotes, which no file can make right. */
import type { ReadOptions } from '../../domain/format.ts'
import { BridgeError } from '../../support/errors.ts'

export function assertReadOptions({ delimiter, quote }: ReadOptions): void {
  if (quote !== undefined && quote !== null && !/^[^\r\n\s\uFEFF]$/.test(quote)) {
    throw new BridgeError(
      'configuration-invalid',
      `A quote must be one visible character, not ${show(quote)}.`,
    )
  }
  if (delimiter !== undefined) assertDelimiter(delimiter, quote === undefined ? '"' : quote)
}

export function assertDelimiter(delimiter: string, quote: string | null): void {
  const isUsable =
    delimiter !== '' && !/[\r\n"\uFEFF]/.test(delimiter) && !(quote !== null && delimiter.includes(quote))
  if (isUsable) return
  const message = `A delimiter must be a character that is neither a quote nor a line break, not ${show(delimiter)}.`
  throw new BridgeError('configuration-invalid', message)
}

function show(text: string): string {
  return JSON.stringify(text)
}
