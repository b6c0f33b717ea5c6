/** When an outbound route acknowledges what it delivered, and when somebody must hear that it cannot yet. */
import { z } from 'zod'
import { assert } from '../support/errors.ts'
import { checkedMs, DURATION_PATTERN, durationMs, Wait, waitMs } from './duration.ts'

/** The policies, by what must have happened first. */
export const ACKNOWLEDGE = ['delivered', 'picked-up', 'receipt', 'never'] as const

export type Acknowledge = (typeof ACKNOWLEDGE)[number]

const Text = z.string().min(1)

const Settle = z
  .string()
  .refine((text) => durationMs(text) !== undefined, 'must be a duration of at most a day, such as 2s or 1m')
  .meta({ pattern: DURATION_PATTERN })

const ReceiptName = z.string().superRefine((template, context) => {
  const unknown = unknownPlaceholder(template)
  if (unknown !== undefined) context.addIssue({ code: 'custom', message: `cannot hold ${unknown}: ${KNOWN}` })
  else if (!/\{(?:name|stem)\}/.test(template)) {
    context.addIssue({ code: 'custom', message: `must say which file it is for: ${KNOWN}` })
  } else if (/[<>:"/\\|?*\p{Cc}]/u.test(template)) {
    context.addIssue({
      code: 'custom',
      message: 'is the name of one file: it cannot hold any of < > : " / \\ | ? *',
    })
  }
})

const Contained = Text.superRefine((template, context) => {
  const unknown = unknownPlaceholder(template)
  if (unknown !== undefined) context.addIssue({ code: 'custom', message: `cannot hold ${unknown}: ${KNOWN}` })
})

const KNOWN =
  '{name} stands for the name of the delivered file, {stem} for the name without its last extension'

/** `folder` and `archive` are checked by whoever knows what a folder is. */
export function acknowledgeShape(folder: z.ZodType<string, string>) {
  return {
    acknowledge: z
      .enum(ACKNOWLEDGE)
      .optional()
      .describe(
        'When records are acknowledged: once their file is in place (delivered, when left out); once it is gone from there, because somebody took it (picked-up); once a file came back that confirms it (receipt); or never by this route, because a file of acknowledgements does it. A report acknowledges nothing.',
      ),
    receipt: z
      .strictObject({
        mailbox: Text.optional().describe('Where receipts come; the mailbox of `to` when left out.'),
        folder: folder.describe('The folder they come to.'),
        match: ReceiptName.default('{name}.ok').describe(
          `The name of the receipt of a delivered file: ${KNOWN}. Case is ignored.`,
        ),
        contains: Contained.optional().describe(
          `What must stand in it, such as OK or {name}: ${KNOWN}. Nothing is asked for when left out.`,
        ),
        archive: folder
          .optional()
          .describe('Where receipts go when they are read; archive/ROUTE when left out.'),
        settle: Settle.default('2s').describe('How long a receipt must not have changed before it is taken.'),
      })
      .optional()
      .describe('With `acknowledge: receipt`: which file confirms a delivered one.'),
    overdue: z
      .strictObject({
        within: Wait.default('24h').describe(
          'A delivered file that is not picked up or confirmed for so long is told: minutes, hours or days, such as 30m, 4h or 2d.',
        ),
        before: Wait.default('2h').describe(
          'It is told too when so little time is left until one of its records should be acknowledged, as `acknowledge_by` of the record says.',
        ),
      })
      .optional()
      .describe('With `acknowledge: picked-up` or `receipt`: when a file that is still waiting is told.'),
  }
}

function unknownPlaceholder(template: string): string | undefined {
  return template.match(/\{[^{}]*\}?/g)?.find((each) => each !== '{name}' && each !== '{stem}')
}

export interface Receipt {
  readonly mailbox: string
  readonly folder: string
  /** `{name}` and `{stem}` stand for the delivered file's. */
  readonly match: string
  readonly contains?: string
  readonly archive: string
  readonly settleMs: number
}

/** When a delivered file that waits is told. */
export interface Overdue {
  readonly withinMs: number
  /** Before `acknowledge_by` of its records. */
  readonly beforeMs: number
}

export interface AcknowledgeFile {
  readonly acknowledge?: Acknowledge | undefined
  readonly receipt?:
    | {
        readonly mailbox?: string | undefined
        readonly folder: string
        readonly match: string
        readonly contains?: string | undefined
        readonly archive?: string | undefined
        readonly settle: string
      }
    | undefined
  readonly overdue?: { readonly within: string; readonly before: string } | undefined
}

export interface Acknowledging {
  readonly acknowledge: Acknowledge
  readonly receipt?: Receipt
  /** Of a route whose files wait to be taken or confirmed. */
  readonly overdue?: Overdue
}

/** `plain` is how folders are written in the program. */
export function toAcknowledging(
  { acknowledge = 'delivered', receipt, overdue }: AcknowledgeFile,
  {
    route,
    mailbox,
    plain,
  }: { readonly route: string; readonly mailbox: string; readonly plain: (folder: string) => string },
): Acknowledging {
  if (acknowledge !== 'receipt' && acknowledge !== 'picked-up') return { acknowledge }
  const { within, before } = overdue ?? { within: '24h', before: '2h' }
  const times = { overdue: { withinMs: toMs(waitMs(within)), beforeMs: toMs(waitMs(before)) } }
  if (acknowledge !== 'receipt') return { acknowledge, ...times }
  assert(receipt, 'a route that waits for receipts and names none passed the checks')
  const { match, contains, settle } = receipt
  return {
    acknowledge,
    ...times,
    receipt: {
      mailbox: receipt.mailbox ?? mailbox,
      folder: plain(receipt.folder),
      match,
      ...(contains === undefined ? {} : { contains }),
      archive: plain(receipt.archive ?? `archive/${route}`),
      settleMs: checkedMs(settle),
    },
  }
}

function toMs(ms: number | undefined): number {
  assert(ms !== undefined, 'a text that is no length of time passed the checks')
  return ms
}

/** A receipt template filled in for a delivered file. */
export function receiptText(template: string, name: string): string {
  const stem = /^(.+)\.[^.]*$/.exec(name)?.[1] ?? name
  return template.replace(/\{(name|stem)\}/g, (_, which: string) => (which === 'name' ? name : stem))
}
