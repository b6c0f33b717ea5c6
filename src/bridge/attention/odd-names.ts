/** Files that no route can ever take, because of what is in their names: bytes that are no UTF-8, or control characters. */
import type { Concern } from '../../domain/attention.ts'
import type { Mailbox } from '../../domain/mailbox.ts'
import { isSafeName, isTemporaryName } from '../../mailboxes/names.ts'
import { BridgeError } from '../../support/errors.ts'
import { visible } from '../../support/visible.ts'

/** What stands in a name where its bytes are no UTF-8. */
const UNREADABLE = '\uFFFD'

/** So many are findings of their own; whoever deals with these sees the rest. */
const NAMES_MAX = 20

/** `place` is how findings name the folder. Nothing where the folder cannot be looked into, which is told elsewhere. */
export async function oddNameConcerns(
  mailbox: Mailbox,
  { folder, place, now }: { readonly folder: string; readonly place: string; readonly now: number },
): Promise<Concern[]> {
  const names = await namesOf(mailbox, folder)
  return names
    .filter((name) => name.includes(UNREADABLE) || (!isSafeName(name) && !isTemporaryName(name)))
    .toSorted()
    .slice(0, NAMES_MAX)
    .map((name) => ({
      code: 'file-of-no-route',
      subject: `${place}/${visible(name)}`,
      since: now,
      ...toldOf(name, place),
    }))
}

function toldOf(name: string, place: string): Pick<Concern, 'message' | 'cure'> {
  const shown = visible(name)
  if (name.includes(UNREADABLE))
    return {
      message: `${place} holds a file whose name is no UTF-8, and reads about like ${shown}: it cannot be taken`,
      cure: 'rename it, and let whoever writes it use UTF-8 for names',
    }
  return {
    message: `${place} holds a file whose name has a control character or "\\" in it, and is shown here as ${shown}: it cannot be taken`,
    cure: 'rename it, and let whoever writes it use plain letters for names',
  }
}

async function namesOf(mailbox: Mailbox, folder: string): Promise<string[]> {
  try {
    return [...((await mailbox.names(folder)) ?? [])]
  } catch (error) {
    if (error instanceof BridgeError) return []
    throw error
  }
}
