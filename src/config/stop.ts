/** When a route stops sending a file: the `stop` of the configuration. */
import { z } from 'zod'

/** More refusals than these are not remembered while a file is sent. */
const RECORDS_MAX = 1000

const off = z.literal('off')
const Records = z.union([z.int().min(1).max(RECORDS_MAX), off], {
  error: `must be a number of records from 1 to ${RECORDS_MAX}, or off`,
})

/** A number alone could be meant as 30 or as 0.3. */
const Share = z
  .union([z.string().meta({ pattern: '^\\d{1,2}(\\.\\d{1,2})?%$|^off$|\\$\\{' }), z.number()])
  .refine((share) => share === 'off' || shareOf(share) !== undefined, 'must be a share such as 30%, or off')

export const StopFile = z.strictObject({
  sameRefusal: Records.default(20).describe(
    'When so many records, the first of a file to be answered, are all refused for the same reason, the rest is held; or off.',
  ),
  refusedShare: Share.default('off').describe(
    'When more than this share of the answered records was refused, the rest is held; counts from 50 answers on. off when left out.',
  ),
  canary: Records.default('off').describe(
    'So many records are sent alone; the others go once one of them was accepted, and are held when all are refused. off when left out.',
  ),
})

/** A rule that is off is left out. */
export interface Stop {
  readonly sameRefusal?: number
  /** Of 1. */
  readonly refusedShare?: number
  readonly canary?: number
}

export function toStop({ sameRefusal, refusedShare, canary }: z.output<typeof StopFile>): Stop {
  const share = shareOf(refusedShare)
  return {
    ...(sameRefusal === 'off' ? {} : { sameRefusal }),
    ...(share === undefined ? {} : { refusedShare: share }),
    ...(canary === 'off' ? {} : { canary }),
  }
}

/** 0.3 of `30%`. */
function shareOf(written: string | number): number | undefined {
  const [, number] = /^(\d{1,2}(?:\.\d{1,2})?)%$/.exec(String(written)) ?? []
  const share = Number(number)
  return share > 0 ? share / 100 : undefined
}
