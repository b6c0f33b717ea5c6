/** What lies in an inbox and no route can ever take: for its name, for what it is, or because nobody finishes writing it. */
import type { Concern } from '../../domain/attention.ts'
import type { Mailbox, PassedOver } from '../../domain/mailbox.ts'
import { isGarbled, isSafeName, temporaryMark } from '../../mailboxes/names.ts'
import { BridgeError } from '../../support/errors.ts'
import { visible } from '../../support/visible.ts'
import { atMost } from './at-most.ts'
import { type FolderMeant, placeOf } from './listings.ts'
import type { Looking } from './looking.ts'

/** Whoever writes a file does not rest for so long. By the file's own date. */
const ABANDONED_MS = 60 * 60_000

export interface InboxMeant extends FolderMeant {
  /** Whether any route takes files of this name from there. */
  readonly isWanted: (name: string) => boolean
  /** Whether nobody may be allowed to list it: then nothing can be told of it. */
  readonly mayBeClosed: boolean
}

/** Nothing where the folder cannot be looked into. */
export async function passedOverConcerns(looking: Looking, inbox: InboxMeant): Promise<readonly Concern[]> {
  const { listings, now } = looking
  const place = placeOf(inbox)
  const found = await listings.tried(inbox, (mailbox) => lookInto(mailbox, inbox))
  const concerns = (found ?? [])
    .toSorted((one, other) => one.modifiedAt - other.modifiedAt)
    .flatMap((each) => {
      const told = toldOf(each, { ...inbox, place, now })
      if (told === undefined) return []
      const subject = `${place}/${visible(each.name)}`
      return [{ code: 'file-of-no-route' as const, subject, since: now, ...told }]
    })
  return atMost(looking, concerns, `${place} (never taken)`)
}

type Told = Pick<Concern, 'message' | 'cure'>

interface Meant extends InboxMeant {
  readonly place: string
  readonly now: number
}

/** Undefined for what nobody takes for a file of a route. */
function toldOf({ name, kind, modifiedAt }: PassedOver, { place, isWanted, now }: Meant): Told | undefined {
  const shown = visible(name)
  if (isGarbled(name))
    return {
      message: `${place} holds a file whose name is no UTF-8, and reads about like ${shown}: it cannot be taken`,
      cure: 'rename it, and let whoever writes it use UTF-8 for names',
    }
  const mark = temporaryMark(name)
  if (mark !== undefined) {
    // With a dot in front they are what systems keep for themselves.
    const { ends = '' } = mark
    const isOld = modifiedAt > 0 && now - modifiedAt > ABANDONED_MS
    const isAbandoned = kind === 'file' && ends !== '' && isOld
    return isAbandoned && isWanted(name.slice(0, -ends.length)) ? abandoned(place, shown) : undefined
  }
  if (!isSafeName(name))
    return {
      message: `${place} holds a file whose name has a control character or "\\" in it, and is shown here as ${shown}: it cannot be taken`,
      cure: 'rename it, and let whoever writes it use plain letters for names',
    }
  if (kind === 'file' || !isWanted(name)) return undefined
  // Where a route takes everything, folders beside the files are usual.
  if (kind === 'folder' && !/\.[a-z]{2,5}$/i.test(name)) return undefined
  return {
    message: `${place}/${shown} is ${IN_WORDS[kind]}, and only files themselves are taken`,
    cure: 'put the file itself there, or take it away',
  }
}

const IN_WORDS = { folder: 'a folder', link: 'a link', other: 'no plain file' } as const

function abandoned(place: string, shown: string): Told {
  return {
    message: `${place}/${shown} is called as files are that are being written, and nobody has written to it for an hour`,
    cure: 'find out whether its sending broke off: let it be sent again, or rename it if it is whole',
  }
}

async function lookInto(
  mailbox: Mailbox,
  { folder, mayBeClosed }: InboxMeant,
): Promise<readonly PassedOver[]> {
  try {
    return await mailbox.passedOver(folder)
  } catch (error) {
    if (mayBeClosed && error instanceof BridgeError) return []
    throw error
  }
}
