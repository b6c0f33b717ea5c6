/** Folders that several routes look into, and what comes there together. */
import { whereIs } from '../../config/whereabouts.ts'
import type { FolderMeant } from './listings.ts'
import type { Looking } from './looking.ts'

/** What belongs together may come one after the other. The file's own date is good enough for this. */
export const GRACE_MS = 15 * 60_000

/** The pattern of a name that is made of another one. */
export function anyName(template: string): string {
  return template.replace(/\{(?:name|stem)\}/g, '*')
}

/** Those of each folder, together, however their mailboxes call it. */
export function byPlace<Each>(
  { configuration }: Looking,
  all: readonly Each[],
  folderOf: (each: Each) => FolderMeant,
): [Each, ...Each[]][] {
  const groups = new Map<string, [Each, ...Each[]]>()
  for (const each of all) {
    const place = whereIs(configuration.mailboxes, folderOf(each))
    const group = groups.get(place)
    if (group) group.push(each)
    else groups.set(place, [each])
  }
  return [...groups.values()]
}
