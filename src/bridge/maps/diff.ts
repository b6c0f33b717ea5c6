/** What changes for the people behind a file when one mapping takes the place of another: record by record. */
import { isDeepStrictEqual } from 'node:util'
import type { Format } from '../../domain/format.ts'
import type { Mapping } from '../../mapping/load.ts'
import { type ComparedFile, type Version, versionsOf } from './versions.ts'

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
  /** The new outcome, where that is another one. */
  readonly kind: 'added' | 'removed' | 'changed' | Version['outcome']
  /** What became of it before; absent of one that is new. */
  readonly was?: Version['outcome']
  readonly fields: readonly FieldChange[]
  /** Why a record is not taken now. */
  readonly problems: readonly string[]
}

/** The changes in one file, in the order of its records. */
export async function differencesIn(
  file: ComparedFile,
  mappings: { readonly old: Mapping; readonly new: Mapping },
  format: Format,
): Promise<RecordChange[]> {
  const before = await versionsOf(file, format, mappings.old)
  const after = await versionsOf(file, format, mappings.new)
  const keys = new Set([...before.keys(), ...after.keys()])
  return [...keys].flatMap((key) => {
    const change = changeOf(before.get(key), after.get(key))
    return change === undefined ? [] : [{ file: file.name, key, ...change }]
  })
}

type Change = Omit<RecordChange, 'file' | 'key'>

function changeOf(before: Version | undefined, after: Version | undefined): Change | undefined {
  if (after === undefined) {
    return before && { kind: 'removed', was: before.outcome, fields: [], problems: [] }
  }
  const { outcome, problems } = after
  if (before === undefined) {
    const kind = outcome === 'taken' ? 'added' : outcome
    return { kind, fields: changedFields({}, after.body ?? {}, ''), problems }
  }
  const was = before.outcome
  if (was !== outcome) return { kind: outcome, was, fields: [], problems }
  const fields = changedFields(before.body, after.body, '')
  return fields.length === 0 ? undefined : { kind: 'changed', was, fields, problems }
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
