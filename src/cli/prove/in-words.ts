/** What a proof came to, for people and for programs. */
import { table } from '../table.ts'
import { type Wrong, WRONGS } from './findings.ts'
import type { RouteVerdict } from './ledger.ts'
import type { Proof } from './proof.ts'

/** The four that must be nothing, as they are told. */
const TOLD: Readonly<Record<Wrong, string>> = {
  lost: 'lost',
  doubled: 'doubled',
  early: 'acknowledged early',
  twice: 'delivered twice',
}

const NAMES = Object.keys(WRONGS) as readonly Wrong[]

/** How many failures of a route, and how many records of each, are shown; the folder has them all. */
const FAILURES_SHOWN = 3
const RECORDS_SHOWN = 3

const WIDEST = 200

export function proofLines(proof: Proof): string[] {
  const rows = proof.routes.map((verdict) => [
    verdict.route,
    String(verdict.records),
    String(verdict.kills),
    String(verdict.faults),
    ...NAMES.map((name) => String(verdict.wrongs[name])),
    String(verdict.left),
    isProven(verdict, proof) ? 'proven' : 'not proven',
  ])
  const head = ['route', 'records', 'kills', 'faults', ...NAMES.map((name) => TOLD[name]), 'left', 'verdict']
  return [...table(head, rows, WIDEST), '', ...proof.routes.flatMap(whyNot), sums(proof)]
}

/** `lost 0, doubled 0, …; 812 kills, 64 of them of real processes, 530 faults, seed 4711` */
function sums({ routes, seed }: Proof): string {
  const sum = (of: (verdict: RouteVerdict) => number) => routes.reduce((total, each) => total + of(each), 0)
  const wrongs = NAMES.map((name) => `${TOLD[name]} ${sum((each) => each.wrongs[name])}`).join(', ')
  const kills = `${sum((each) => each.kills)} kills, ${sum(({ processes }) => processes)} of them of real processes`
  return `${wrongs}; ${kills}, ${sum(({ faults }) => faults)} faults, seed ${seed}`
}

function whyNot({ route, unproven, failures }: RouteVerdict): string[] {
  if (unproven !== undefined) return [`${route} is not proven: ${unproven}`, '']
  const shown = failures
    .slice(0, FAILURES_SHOWN)
    .flatMap(({ step, findings, restless, folder }) => [
      `${route}: ${step}`,
      ...(restless === undefined ? [] : [`  ${restless}`]),
      ...findings
        .slice(0, RECORDS_SHOWN)
        .map(({ wrong, record, what }) => `  ${TOLD[wrong]}: ${record}: ${what}`),
      `  everything is in ${folder}`,
    ])
  if (shown.length === 0) return []
  const more = failures.length - FAILURES_SHOWN
  return [...shown, ...(more > 0 ? [`  and ${more} more such rounds`] : []), '']
}

export function hasFailed({ routes }: Proof): boolean {
  return routes.some(({ failures }) => failures.length > 0)
}

/** A proof that was stopped has proven nothing of what it had not come to. */
export function isProven({ unproven, failures, kills }: RouteVerdict, { whole }: Proof): boolean {
  return whole && unproven === undefined && failures.length === 0 && kills > 0
}

export function proofAsData(proof: Proof, folder: string | undefined): object {
  return {
    seed: proof.seed,
    whole: proof.whole,
    proven: proof.routes.every((verdict) => isProven(verdict, proof)),
    ...(folder === undefined ? {} : { folder }),
    routes: proof.routes.map((verdict) => ({ ...verdict, proven: isProven(verdict, proof) })),
  }
}
