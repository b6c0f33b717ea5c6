/** Reading a manifest: JSON, lines of `key: value`, or what `sha256sum` writes. */
import { type Decimal, parseDecimal } from '../../support/decimal.ts'

/** What must hold of the file; at least one thing. */
export interface Manifest {
  readonly rows?: number
  readonly bytes?: number
  /** In small letters. */
  readonly sha256?: string
  /** By the name of the column. */
  readonly sums: ReadonlyMap<string, Decimal>
}

/** Keys that say nothing of what is in the file, such as its name or date, are passed over. */
export function readManifest(bytes: Uint8Array): Manifest | { readonly mistake: string } {
  const text = Buffer.from(bytes)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trim()
  if (text === '') return { mistake: 'is empty' }
  const entries = text.startsWith('{') ? jsonEntries(text) : lineEntries(text)
  if (entries === undefined) return { mistake: 'begins with "{" and is no JSON object' }
  const sums = new Map<string, Decimal>()
  const manifest: { rows?: number; bytes?: number; sha256?: string } = {}
  for (const [key, value] of entries) {
    const said = `says ${key}: ${JSON.stringify(value.slice(0, 80))}, which is`
    const word = key.toLowerCase()
    if (word === 'rows' || word === 'bytes') {
      if (!/^\d{1,15}$/.test(value)) return { mistake: `${said} no whole number` }
      manifest[word] = Number(value)
    } else if (word === 'sha256') {
      if (!/^[0-9a-f]{64}$/i.test(value)) return { mistake: `${said} no SHA-256 of 64 hexadecimal digits` }
      manifest.sha256 = value.toLowerCase()
    } else if (word.startsWith('sum.')) {
      const sum = parseDecimal(value)
      if (sum === undefined) return { mistake: `${said} no plain number` }
      sums.set(key.slice('sum.'.length).trim(), sum)
    }
  }
  if (Object.keys(manifest).length + sums.size === 0) {
    return { mistake: 'says nothing of rows, bytes, sha256 or a sum' }
  }
  return { ...manifest, sums }
}

type Entries = readonly (readonly [key: string, value: string])[]

function jsonEntries(text: string): Entries | undefined {
  let read: unknown
  try {
    read = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isObject(read)) return undefined
  return Object.entries(read).flatMap(([key, value]) =>
    key.toLowerCase() === 'sum' && isObject(value)
      ? Object.entries(value).map(([column, sum]) => [`sum.${column}`, String(sum)] as const)
      : [[key, String(value)] as const],
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const SUM_LINE = /^([0-9a-f]{64})(?:\s+\*?\S.*)?$/i
const KEY_LINE = /^([^:=]+?)\s*[:=]\s*(.*)$/

function lineEntries(text: string): Entries {
  return text.split(/\r\n|\n|\r/).flatMap((line) => {
    const sum = SUM_LINE.exec(line.trim())?.[1]
    if (sum !== undefined) return [['sha256', sum] as const]
    const [, key, value] = KEY_LINE.exec(line.trim()) ?? []
    return key === undefined || value === undefined ? [] : [[key, value] as const]
  })
}
