/** When an outbound route acknowledges its deliveries. */
import { z } from 'zod'
import { assert } from '../support/errors.ts'
import { omitUndefined } from '../support/object-paths.ts'
import { type OverdueRules, OverdueSettings, toOverdueRules } from './alerts.ts'
import { DEFAULT_RECEIPT, getDefaultArchive } from './folders.ts'
import { durationText, Text, toMs } from './time-values.ts'

const ACKNOWLEDGE = ['delivered', 'picked-up', 'receipt', 'never'] as const

const ReceiptName = z.string().superRefine((template, context) => {
  const message = findReceiptNameError(template)
  if (message !== undefined) context.addIssue({ code: 'custom', message })
})

function findReceiptNameError(template: string): string | undefined {
  if (!/\{(?:name|stem)\}/.test(template) && findPlaceholderError(template) === undefined) {
    return `must say which file it is for: ${PLACEHOLDER_HELP}`
  }
  const isPlain = !/[<>:"/\\|?*\p{Cc}]/u.test(template)
  return (
    findPlaceholderError(template) ??
    (isPlain ? undefined : 'is the name of one file: it cannot hold any of < > : " / \\ | ? *')
  )
}

const Contained = Text.superRefine((template, context) => {
  const message = findPlaceholderError(template)
  if (message !== undefined) context.addIssue({ code: 'custom', message })
})

function findPlaceholderError(template: string): string | undefined {
  const unknown = template.match(/\{[^{}]*\}?/g)?.find((each) => each !== '{name}' && each !== '{stem}')
  return unknown && `cannot hold ${unknown}: ${PLACEHOLDER_HELP}`
}

const PLACEHOLDER_HELP =
  '{name} stands for the name of the delivered file, {stem} for the name without its last extension'

/** `folder` is the schema of folders, passed in by the caller. */
export function acknowledgeShape(folder: z.ZodType<string, string>) {
  return {
    acknowledge: z
      .enum(ACKNOWLEDGE)
      .optional()
      .describe(
        'When records are acknowledged: once their file is in place (delivered, when left out); once it is gone from there, because its reader took it (picked-up); once a file or an answer of the partner came back that confirms it (receipt); or never by this route, because a file of acknowledgements does it. A report acknowledges nothing.',
      ),
    receipt: z
      .strictObject({
        by: z
          .literal('edi', 'must be edi')
          .optional()
          .describe(
            'edi: no file of its own confirms, but the 997, 999 or CONTRL of the partner, from whatever inbox of interchanges; each record for itself. The other keys are left out then.',
          ),
        mailbox: Text.optional().describe('Where receipts come; the mailbox of `to` when left out.'),
        folder: folder.optional().describe('The folder they come to; needed unless `by: edi`.'),
        match: ReceiptName.default(DEFAULT_RECEIPT).describe(
          `The name of the receipt of a delivered file: ${PLACEHOLDER_HELP}. Case is ignored.`,
        ),
        contains: Contained.optional().describe(
          `What must stand in it, such as OK or {name}: ${PLACEHOLDER_HELP}. Nothing is asked for when left out.`,
        ),
        archive: folder
          .optional()
          .describe(`Where receipts go when they are read; ${getDefaultArchive('ROUTE')} when left out.`),
        stableFor: durationText('must be a duration of at most a day, such as 2s or 1m')
          .default('2s')
          .describe('How long a receipt must not have changed before it is taken.'),
      })
      .optional()
      .describe('With `acknowledge: receipt`: what confirms a delivered file.'),
    overdue: OverdueSettings.optional().describe(
      'With `acknowledge: picked-up` or `receipt`, and for interchanges to a partner: when a file that is not confirmed raises an alert.',
    ),
  }
}

export interface Receipt {
  readonly mailbox: string
  readonly folder: string
  /** `{name}` and `{stem}` are those of the delivered file. */
  readonly match: string
  readonly contains?: string
  readonly archive: string
  readonly stableForMs: number
}

export interface AcknowledgeRules {
  /** `answered`: `receipt` by the answer of the partner. */
  readonly acknowledge: (typeof ACKNOWLEDGE)[number] | 'answered'
  readonly receipt?: Receipt
  readonly overdue?: OverdueRules
}

const AcknowledgeSettings = z.object(acknowledgeShape(z.string()))

/** `route` and `mailbox` give the default folders of receipts; `plain` normalizes folders. */
export function toAcknowledgeRules(
  { acknowledge = 'delivered', receipt, overdue }: z.output<typeof AcknowledgeSettings>,
  { route, mailbox, plain }: { route: string; mailbox: string; plain: (folder: string) => string },
): AcknowledgeRules {
  if (acknowledge !== 'receipt' && acknowledge !== 'picked-up') return { acknowledge }
  const rules = { acknowledge, overdue: toOverdueRules(overdue) }
  if (acknowledge !== 'receipt') return rules
  if (receipt?.by === 'edi') return { ...rules, acknowledge: 'answered' }
  assert(receipt?.folder !== undefined, 'a route that waits for receipts and names none passed the checks')
  const { match, contains, stableFor } = receipt
  return {
    ...rules,
    receipt: {
      mailbox: receipt.mailbox ?? mailbox,
      folder: plain(receipt.folder),
      match,
      ...omitUndefined({ contains }),
      archive: plain(receipt.archive ?? getDefaultArchive(route)),
      stableForMs: toMs(stableFor),
    },
  }
}
