/** Where the console has a button, its pages do not name the command that does the same. */
import { expect, test } from 'vitest'
import { showProblem, toConsoleFix } from '../../../src/app/console/masks.ts'
import { type AlertCode, ALERTS } from '../../../src/domain/alert.ts'
import { problem, type ProblemCode, PROBLEMS } from '../../../src/domain/problem.ts'

const BUTTONS = /dropbridge (dismiss|discard|release|resolve|resume|run)\b/

/** Commands that no button of the console does for these. */
const COMMAND_STAYS: readonly string[] = [
  'answer-overdue', // of an inbox of interchanges, which has no page
  'document-refused', // a delivery is sent anew by `release`
  'edi-refused-by-partner',
  'run-overdue', // how the runs are started
]

test('no fix of an alert or a problem names a command that has a button', () => {
  const all = [...Object.entries(ALERTS), ...Object.entries(PROBLEMS)]
  const named = all.filter(([, { fix }]) => BUTTONS.test(fix)).map(([code]) => code)
  expect(named.length).toBeGreaterThan(20)
  const left = all
    .filter(([code, { fix }]) => BUTTONS.test(toConsoleFix(code as AlertCode | ProblemCode, fix)))
    .map(([code]) => code)
  expect(left.toSorted()).toEqual(COMMAND_STAYS)
})

test.each<[AlertCode, string, string]>([
  [
    'records-rejected',
    "Correct /srv/x.rejects.csv and drop it in under its name, or: `dropbridge dismiss 'day 1.csv' --by NAME --why TEXT`.",
    'See the page of the file: the records are corrected there, or it says who can; or “Dismiss what is refused …”.',
  ],
  [
    'records-held',
    'See `dropbridge status` and `dropbridge explain circuit-breaker-open`.',
    'See why they wait, and mend the cause. Then “Send …”; or “Give up …”.',
  ],
  [
    'interchange-unanswered',
    'Ask the partner. If it never came: `dropbridge edi resend a.x12`; if it did: `dropbridge dismiss a.x12 --by NAME --why TEXT`.',
    'Ask the partner. If it never came: `dropbridge edi resend a.x12`; if it did: “Dismiss what is refused …”. The command is for the people who run the bridge.',
  ],
  ['delivery-held', 'Give the route back its name, orders-out.', 'Give the route back its name, orders-out.'],
])('the fix of %s keeps what is particular to the case', (code, fix, shown) => {
  expect(toConsoleFix(code, fix)).toBe(shown)
})

test('a command without a button is said to be for the people who run the bridge, and no fix without a command', () => {
  for (const [code, { fix }] of Object.entries({ ...ALERTS, ...PROBLEMS })) {
    const shown = toConsoleFix(code as AlertCode | ProblemCode, fix)
    expect(shown.includes('is for the people who run the bridge'), code).toBe(
      /\bdropbridge [a-z]/.test(shown),
    )
  }
})

test('a problem is shown with the words of the buttons, to a viewer too', () => {
  const found = problem('circuit-breaker-open', {}, 'stopped')
  for (const isMasked of [true, false])
    expect(showProblem(found, { isMasked }).fix).toBe(
      'If the API was at fault: “Send …”. If not: discard and correct.',
    )
  const wrongCells =
    'Wrong cells: dropbridge discard FILE --by NAME --why TEXT; correct the new rejects file, drop it in.'
  expect(toConsoleFix('circuit-breaker-open', wrongCells)).toBe(
    'Wrong cells: “Give up …”; correct the new rejects file, drop it in.',
  )
})
