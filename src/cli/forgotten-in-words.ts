/** What was forgotten, in words. */
import type { Retention } from '../bridge/retention.ts'
import type { Forgotten } from '../domain/audit.ts'
import { FAILURES } from '../support/errors.ts'

/** Of a run: nothing where nothing was forgotten. */
export function retentionInWords(retention: Retention | undefined): string[] {
  if (retention === undefined) return []
  if (retention.kind === 'failed') {
    const { failure } = retention
    return [
      `contents that are kept no longer: ${failure.message}`,
      `    what to do: ${FAILURES[failure.code].cure}`,
    ]
  }
  return isNothing(retention.forgotten) ? [] : [`forgotten: ${countsOf(retention.forgotten)}`]
}

export function isNothing(forgotten: Forgotten): boolean {
  const { files, deliveries, records, resources, keptValues } = forgotten
  return files + deliveries + records + resources + keptValues === 0
}

export function countsOf({ files, deliveries, records, resources, keptValues }: Forgotten): string {
  const work = `the contents of ${files} files, ${deliveries} deliveries and ${records} records`
  return `${work}; ${resources} resources and ${keptValues} kept values not seen since`
}
