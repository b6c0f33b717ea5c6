/** Whether a file that stands in an inbox is whole, and whether it is its turn. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Journal } from '../../domain/journal.ts'
import { createFormats } from '../../formats/formats.ts'
import { lookAt, type Look, namesIn } from '../../mailboxes/look.ts'
import { holdAgainst } from '../../pipelines/inbound/manifest.ts'
import { takenFiles } from '../../pipelines/inbound/survey.ts'
import { inSequence } from '../../pipelines/inbound/taking-order.ts'
import { inboundRoute, readyOf } from '../inbound-route.ts'
import type { Inbox } from './inboxes.ts'
import { type Reason, reason } from './reasons.ts'
import { type Asking, settleReasons } from './rules.ts'
import { fileBytes } from '../../support/file-bytes.ts'

type StandingFile = Extract<Look, { what: 'file' }>

/** By the rule of the route: it has settled, or another file says that it is whole. */
export async function wholeReasons(asking: Asking, inbox: Inbox, file: StandingFile): Promise<Reason[]> {
  const { root, route } = inbox
  const ready = readyOf(route.from)
  if (ready === undefined) return settleReasons(asking, inbox, file)
  if (!('companionOf' in ready)) return []
  const companion = ready.companionOf(asking.name)
  const isThere = (await lookAt(root, route.from.folder, companion)).what === 'file'
  if (isThere) return ready.when === 'manifest' ? settleReasons(asking, inbox, file) : []
  const message = `its ${ready.when} ${companion} has not come; the file is taken when it lies beside it`
  return [reason('companion-missing', message)]
}

/** A watch waits for the first row of an empty file, where nothing else says that it is whole. */
export function emptyNotes({ route }: Inbox, { sighting }: StandingFile): string[] {
  if (sighting.size > 0 || readyOf(route.from) !== undefined) return []
  return ['a watch takes an empty file only when it has stayed empty for a quarter of an hour']
}

/** What a run would find when it holds the file against its manifest. */
export async function manifestReasons(
  { name, mappings }: Asking,
  { root, route, place }: Inbox,
): Promise<Reason[]> {
  const ready = readyOf(route.from)
  const mapping = 'loaded' in mappings ? mappings.loaded.get(route.name) : undefined
  if (ready?.when !== 'manifest' || mapping?.direction !== 'inbound') return []
  const companion = ready.companionOf(name)
  const found = await lookAt(root, route.from.folder, companion)
  if (found.what !== 'file' || !found.mayBeRead) return []
  const path = join(place, name)
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of fileBytes(path)) {
    hash.update(chunk as Uint8Array)
    size += (chunk as Uint8Array).length
  }
  const read = () => createFormats().read(fileBytes(path), mapping.translator.read)
  const bytes = await readFile(join(place, companion))
  const told = await holdAgainst({ companion, bytes }, { size, sha256: hash.digest('hex'), read })
  return told.map(({ message }) => reason('not-usable', message))
}

/** Of a route with a strict sequence: which number must come before. */
export async function turnReasons(
  { configuration, name }: Asking,
  { route, place }: Inbox,
  journal: Journal | undefined,
): Promise<Reason[]> {
  const { sequence, matches, folder } = inboundRoute(configuration, route)
  if (sequence === undefined) return []
  const names = (await namesIn(place)).filter(matches)
  const sightings = names.map((each) => ({ folder, name: each, size: 0, modifiedAt: 0 }))
  const taken = journal === undefined ? [] : await takenFiles(journal, route.name)
  const { behind } = inSequence(sightings, sequence, { taken, coming: [] })
  const waits = behind.find(({ sighting }) => sighting.name === name)
  if (waits === undefined) return []
  return [reason('not-its-turn', waits.why, sequence.numberIn(name) === undefined ? UNNUMBERED : undefined)]
}

const UNNUMBERED =
  'Rename it so that its number stands where `sequence` of the route says, or drop it into the inbox of another route.'
