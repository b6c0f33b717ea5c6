/** Says of each partner how it is answered, when it last sent something, and which answers it waits for. */
import type { Configuration } from '../../config/configuration.ts'
import type { Partner } from '../../config/edi.ts'
import type { InterchangeJournal, PartnerActivity } from '../../domain/interchange-journal.ts'

export interface PartnerOverview {
  readonly partner: Partner
  /** Absent where nothing came of it. */
  readonly activity?: PartnerActivity
  /** How many answers to it are not delivered, and when the first of them is or was due, milliseconds. */
  readonly undelivered: number
  readonly dueAt?: number
}

const ANSWERS_MAX = 10_000

/** Without a journal, nothing has come yet. */
export async function listPartners(
  { edi }: Pick<Configuration, 'edi'>,
  journal?: InterchangeJournal,
): Promise<readonly PartnerOverview[]> {
  const activities = (await journal?.listPartnerActivity()) ?? []
  const answers = (await journal?.listOverdueAnswers(Number.MAX_SAFE_INTEGER, ANSWERS_MAX)) ?? []
  return (edi?.partners ?? []).map((partner) => {
    const activity = activities.find((each) => each.partner === partner.name)
    const own = answers.filter((answer) => answer.partner === partner.name)
    const [first] = own
    return {
      partner,
      ...(activity && { activity }),
      undelivered: own.length,
      ...(first && { dueAt: first.dueAt }),
    }
  })
}
