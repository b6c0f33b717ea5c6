/** Reading a claimed file from the server: counted, looked at again at the end, and gone on with after a lost connection. */
import type { Claim } from '../../domain/mailbox.ts'
import { BridgeError } from '../../support/errors.ts'
import { assertSafeName, folderSegments } from '../names.ts'
import type { Attributes } from './calls.ts'
import type { Connection } from './connection.ts'
import { OPEN } from './contents.ts'
import { addressOf, isSameFile, type Place } from './place.ts'
import { asking } from './refusals.ts'
import { claimedPath } from './take.ts'
import { download, narrower, WIDTH } from './transfer.ts'

interface Found {
  readonly path: string
  readonly attributes: Attributes
}

export async function* readClaimed(place: Place, claim: Claim): AsyncGenerator<Uint8Array, void, undefined> {
  assertSafeName(claim.name)
  folderSegments(claim.folder)
  const found = await place.lines.use((connection) => findClaimed(place, connection, claim))
  const what = unreadable(place, found.path)
  let from = 0
  let width = WIDTH
  for (let tries = 1; ; tries += 1) {
    try {
      for await (const chunk of bytesOf(place, found, { from, width })) {
        yield chunk
        from += chunk.length
        tries = 1
      }
      return
    } catch (error) {
      width = narrower(width)
      await asking('mailbox-unreachable', what, () => place.lines.again(error, tries))
    }
  }
}

async function findClaimed(place: Place, connection: Connection, claim: Claim): Promise<Found> {
  const path = await claimedPath(place, connection, claim)
  return asking('mailbox-unreachable', unreadable(place, path), async () => {
    const attributes = await connection.calls.look(path)
    if (attributes?.kind === 'file') return { path, attributes }
    const why = attributes === undefined ? 'it is not there' : 'it is no plain file'
    throw new BridgeError('mailbox-unreachable', `${unreadable(place, path)}: ${why}.`)
  })
}

function unreadable({ options }: Place, path: string): string {
  return `The claimed file ${addressOf(options, path)} cannot be read`
}

/** What is behind `from`, over one connection. */
async function* bytesOf(
  { lines, options }: Place,
  { path, attributes }: Found,
  { from, width }: { readonly from: number; readonly width: number },
): AsyncGenerator<Uint8Array, void, undefined> {
  const { size } = attributes
  const connection = await lines.borrow()
  try {
    const { calls } = connection
    const handle = await calls.open(path, OPEN.read)
    let count = from
    try {
      for await (const chunk of download(calls, handle, { from, size, width })) {
        count += chunk.length
        yield chunk
      }
    } finally {
      await calls.close(handle).catch(() => {}) // what was read is counted
    }
    const address = addressOf(options, path)
    if (count < size) {
      const message = `The server says that ${address} has ${size} bytes, and gave ${count}.`
      throw new BridgeError('mailbox-unreachable', message)
    }
    if (count > size || !isSameFile(attributes, await calls.look(path))) {
      throw new BridgeError('mailbox-unreachable', `${address} changed while it was read.`)
    }
  } finally {
    lines.giveBack(connection)
  }
}
