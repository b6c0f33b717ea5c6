/** The promises of every Format, checked for each of them; and small tools for tests that read files. */
import { describe, expect, it } from 'vitest'
import {
  type FileReading,
  type Format,
  isUnreadable,
  type ReadOptions,
  type Row,
  type WriteOptions,
} from '../../src/domain/format.ts'
import type { Problem } from '../../src/domain/problem.ts'

export interface FormatSubject {
  readonly format: Format
  readonly read: ReadOptions
  readonly write: WriteOptions
  /** Rows the format can hold, and their lines; those of CSV when left out. */
  readonly holds?: { readonly rows: readonly string[][]; readonly lines: readonly (readonly number[])[] }
}

const CSV_ROWS = {
  rows: [
    ['PO-1', 'Zoë Łukasz', '2'],
    ['PO-2', 'Smith, "Joe"', ''],
    ['PO-3', 'two\nlines', '007'],
    ['PO-4', '  blanks ', '1e5'],
  ],
  lines: [
    [2, 2],
    [3, 3],
    [4, 5],
    [6, 6],
  ],
}

export function describeFormat(name: string, { format, read, write, holds = CSV_ROWS }: FormatSubject): void {
  const columns = ['PO Number', 'Name', 'Qty']
  const { rows } = holds
  const hasHeader = format.createWriter(columns, { ...write, byteOrderMark: false }).formatHeader().length > 0
  const written = () => {
    const writer = format.createWriter(columns, write)
    return Buffer.concat([writer.formatHeader(), writer.formatRows(rows)])
  }
  const large = () => {
    const writer = format.createWriter(columns, write)
    const body = Array.from({ length: 20_000 }, (_, index) => [`PO-${index}`, 'somebody', String(index)])
    return Buffer.concat([writer.formatHeader(), writer.formatRows(body)])
  }

  describe(`${name} as a format`, () => {
    it('returns the cells it has written, exactly as they were', async () => {
      const reading = await readable(format.read(inChunks(written()), read))
      expect(reading.layouts).toEqual([{ recordType: '', columns }])
      expect((await rowsOf(reading)).map((row) => row.values)).toEqual(rows)
    })

    it('reads the same rows from one chunk and from single bytes', async () => {
      const whole = await rowsOf(await readable(format.read(inChunks(written()), read)))
      const bytes = await rowsOf(await readable(format.read(inChunks(written(), 1), read)))
      expect(bytes).toEqual(whole)
      expect(whole).toHaveLength(rows.length)
    })

    it('reports the physical lines of every row', async () => {
      const found = await rowsOf(await readable(format.read(inChunks(written()), read)))
      expect(found.map(({ line, lastLine }) => [line, lastLine])).toEqual(holds.lines)
    })

    it('takes rows written in several calls as one file', async () => {
      const writer = format.createWriter(columns, write)
      const file = Buffer.concat([writer.formatHeader(), ...rows.map((row) => writer.formatRows([row]))])
      expect(file).toEqual(written())
    })

    it('returns an empty file as unreadable', async () => {
      expect(await problemsOf(format.read(inChunks(Buffer.alloc(0)), read))).toMatchObject([
        { code: 'file-empty' },
      ])
    })

    it.each(hasHeader ? ['its header'] : [])(
      'reads a file with no rows behind %s as one without rows',
      async () => {
        const reading = await readable(
          format.read(inChunks(Buffer.from(format.createWriter(columns, write).formatHeader())), read),
        )
        expect(await rowsOf(reading)).toEqual([])
      },
    )

    it('pulls input only as fast as rows are requested', async () => {
      const file = large()
      let pulled = 0
      const input = async function* () {
        for await (const chunk of inChunks(file, 16_384)) {
          pulled += chunk.length
          yield chunk
        }
      }
      const reading = await readable(format.read(input(), read))
      const batches = reading.batches[Symbol.asyncIterator]()
      await batches.next()
      const afterFirst = pulled
      await new Promise((resolve) => setImmediate(resolve))
      expect(pulled).toBe(afterFirst)
      expect(afterFirst).toBeLessThan(file.length / 2)
      await batches.return?.()
    })

    it('releases the input when its reader stops early', async () => {
      let released = false
      const input = async function* () {
        try {
          yield* inChunks(large(), 16_384)
        } finally {
          released = true
        }
      }
      const reading = await readable(format.read(input(), read))
      for await (const _ of reading.batches) break
      expect(released).toBe(true)
    })

    it('releases the input when only its top is read', async () => {
      let released = false
      const input = async function* () {
        try {
          yield* inChunks(large(), 16_384)
        } finally {
          released = true
        }
      }
      const reading = await readable(format.read(input(), read))
      expect(released).toBe(false)
      await reading.close()
      await reading.close()
      expect(released).toBe(true)
    })

    it('passes on the failure of the input itself', async () => {
      const input = async function* () {
        yield large()
        throw new Error('the disk is gone')
      }
      const reading = await readable(format.read(input(), read))
      await expect(rowsOf(reading)).rejects.toThrow('the disk is gone')
    })
  })
}

/** The bytes in chunks of a size; whole by default. */
export async function* inChunks(
  bytes: Uint8Array,
  size = Math.max(1, bytes.length),
): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield Buffer.from(bytes.subarray(from, from + size))
}

export async function readable(reading: ReturnType<Format['read']>): Promise<FileReading> {
  const result = await reading
  if (isUnreadable(result)) throw new Error(`unreadable: ${JSON.stringify(result.problems)}`)
  return result
}

export async function problemsOf(reading: ReturnType<Format['read']>): Promise<readonly Problem[]> {
  const result = await reading
  return isUnreadable(result) ? result.problems : []
}

export async function rowsOf({ batches }: FileReading): Promise<Row[]> {
  const rows: Row[] = []
  for await (const batch of batches) rows.push(...batch)
  return rows
}
