/** Verifies the chain of the journal in the background. */
import type { Mismatch } from '../../domain/audit.ts'
import { openJournalToRead } from '../../journal/open.ts'
import type { Clock } from '../../support/clock.ts'
import type { BridgeError } from '../../support/errors.ts'
import { toBridgeError } from '../outcome.ts'

type VerifyFailure = Pick<BridgeError, 'code' | 'message' | 'fix' | 'details'>

/** What this process knows of the chain; `never`: it was not verified since the console was started. */
export type Verification =
  | { readonly state: 'never' }
  | { readonly state: 'working'; readonly by: string; readonly since: number }
  | {
      readonly state: 'done'
      readonly by: string
      readonly at: number
      readonly events: number
      readonly head: { readonly event: number; readonly hash: string }
      /** The number of mismatches. */
      readonly found: number
      /** The first of them. */
      readonly findings: readonly Pick<Mismatch, 'message'>[]
    }
  | { readonly state: 'failed'; readonly by: string; readonly at: number; readonly failure: VerifyFailure }

export type Verifier = ReturnType<typeof createVerifier>

const FINDINGS_MAX = 20

/** Reads the journal with a connection of its own, as other pages must not read what was there when it began. */
export function createVerifier({ path, clock }: { readonly path: string; readonly clock: Clock }) {
  let known: Verification = { state: 'never' }
  let working: Promise<void> | undefined
  const verify = async (by: string): Promise<Verification> => {
    try {
      const { journal } = await openJournalToRead({ path, clock })
      try {
        const { events, head, found, findings } = await journal.verifyChain({})
        const first = findings.slice(0, FINDINGS_MAX).map(({ message }) => ({ message }))
        return { state: 'done', by, at: clock.now(), events, head, found, findings: first }
      } finally {
        await journal.close()
      }
    } catch (error) {
      const { code, message, fix, details } = toBridgeError(error)
      return { state: 'failed', by, at: clock.now(), failure: { code, message, fix, details } }
    }
  }
  return {
    read: (): Verification => known,
    /** While one is under way, another one does not begin. */
    start(by: string): void {
      if (working !== undefined) return
      known = { state: 'working', by, since: clock.now() }
      working = verify(by).then((result) => {
        known = result
        working = undefined
      })
    },
    /** Waits for what is under way. */
    close: async (): Promise<void> => working,
  }
}
