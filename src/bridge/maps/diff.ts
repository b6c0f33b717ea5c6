/** What changes for the people behind a file when one mapping takes the place of another: body by body. */
import { isDeepStrictEqual } from 'node:util'
import type { Format } from '../../domain/format.ts'
import { describePlace } from '../../domain/problem.ts'
import type { Draft } from '../../domain/translator.ts'
import { exampleBody } from '../../mapping/examples.ts'
import type { InboundMapping } from '../../mapping/load.ts'
import { BridgeError } from '../../support/errors.ts'
import { readRecords } from './records.ts'

export interface FieldChange {
  readonly field: string
  /** Absent where the field is not in the body. */
  readonly old?: unknown
  readonly new?: unknown
}

export interface RecordChange {
  readonly file: string
  /** What names the record in the file. */
  readonly key: string
  /** `refused` and `taken`: the body is gone, or is there now, because of its problems. */
  readonly kind: 'added' | 'removed' | 'changed' | 'refused' | 'taken'
  readonly fields: readonly FieldChange[]
  /** Why a record is refused now. */
  readonly problems: readonly string[]
}

/** Larger files are compared by a part of them. */
const MAX_RECORDS = 50_000

/** The changes in one file, in the order of its records. */
export async function differencesIn(
  file: { readonly path: string; readonly name: string },
  mappings: { readonly old: InboundMapping; readonly new: InboundMapping },
  format: Format,
): Promise<RecordChange[]> {
  const before = await draftsByKey(file, format, mappings.old)
  const after = await draftsByKey(file, format, mappings.new)
  const change = changeIn(file.name)
  const kept = [...before].flatMap(([key, draft]) => change(key, draft, after.get(key)) ?? [])
  const added = [...after].filter(([key]) => !before.has(key))
  return [...kept, ...added.flatMap(([key, draft]) => change(key, undefined, draft) ?? [])]
}

/** A key that comes more than once in the file is counted. */
async function draftsByKey(
  { path, name }: { readonly path: string; readonly name: string },
  format: Format,
  mapping: InboundMapping,
): Promise<Map<string, Draft>> {
  const read = await readRecords(path, format, mapping)
  const drafts = new Map<string, Draft>()
  if ('problems' in read) {
    const problems = read.problems.map(({ code, message, place }) => ({ code, message, place, hint: '' }))
    return drafts.set('the file', { number: 0, lines: [], keyValues: [], references: [], problems })
  }
  const seen = new Map<string, number>()
  for await (const { draft } of read.records) {
    const written = draft.keyValues.join(' ') || `record ${draft.number}`
    const count = (seen.get(written) ?? 0) + 1
    seen.set(written, count)
    drafts.set(count === 1 ? written : `${written} (${count})`, draft)
    if (drafts.size > MAX_RECORDS) {
      throw new BridgeError(
        'usage-wrong',
        `${name} has more than ${MAX_RECORDS} records; compare a part of it`,
      )
    }
  }
  return drafts
}

function changeIn(file: string) {
  return (key: string, before: Draft | undefined, after: Draft | undefined): RecordChange | undefined => {
    const old = before?.body && exampleBody(before)
    const now = after?.body && exampleBody(after)
    const problems = (after?.problems ?? []).map(
      ({ place, message }) => `${describePlace(place)}: ${message}`,
    )
    const fields = changedFields(old ?? {}, now ?? {}, '')
    if (before === undefined) return { file, key, kind: 'added', fields, problems }
    if (after === undefined) return { file, key, kind: 'removed', fields, problems }
    if (old === undefined && now === undefined) return undefined
    if (now === undefined) return { file, key, kind: 'refused', fields: [], problems }
    if (old === undefined) return { file, key, kind: 'taken', fields: [], problems }
    return fields.length === 0 ? undefined : { file, key, kind: 'changed', fields, problems }
  }
}

function changedFields(before: unknown, after: unknown, path: string): FieldChange[] {
  if (isDeepStrictEqual(before, after)) return []
  if (!isObject(before) || !isObject(after)) {
    return [
      {
        field: path,
        ...(before === undefined ? {} : { old: before }),
        ...(after === undefined ? {} : { new: after }),
      },
    ]
  }
  const keys = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...keys].flatMap((key) => {
    const below = Array.isArray(before) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`
    return changedFields(before[key], after[key], below)
  })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
