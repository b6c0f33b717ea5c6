/** Every row there is, in the order of the spec. */
import { BODY_ROWS, BODY_RULES } from './bodies.ts'
import { ENDPOINT_ROWS, ENDPOINT_RULES } from './endpoints.ts'
import { FILTER_ROWS, FILTER_RULES } from './filters.ts'
import { CLOSING_ROWS, PURPOSE_ROWS } from './general.ts'
import { ORDER_FIELDS, ORDER_RULES } from './order-fields.ts'
import { OTHER_FIELDS, OTHER_RULES } from './other-fields.ts'
import type { Row } from './row.ts'
import { STATE_ROWS } from './states.ts'

export const FIELD_ROWS = [...ORDER_FIELDS, ...OTHER_FIELDS]

export const ROWS: readonly Row[] = [
  ...PURPOSE_ROWS,
  ...ORDER_FIELDS,
  ...ORDER_RULES,
  ...OTHER_FIELDS,
  ...OTHER_RULES,
  ...STATE_ROWS,
  ...ENDPOINT_RULES,
  ...ENDPOINT_ROWS,
  ...BODY_ROWS,
  ...BODY_RULES,
  ...FILTER_ROWS,
  ...FILTER_RULES,
  ...CLOSING_ROWS,
]
