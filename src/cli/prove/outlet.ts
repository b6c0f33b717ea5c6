/** A folder that a bridge delivers into: the files that came since a round began, there or taken away by a reader. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isTemporaryName } from '../../mailboxes/names.ts'
import { hasSystemCode } from '../../support/errors.ts'

export interface DeliveredFile {
  /** By which it was delivered; several may have had the same one, each taken before the next came. */
  readonly name: string
  readonly path: string
}

export interface Outlet {
  /** The whole files that came since it was opened, wherever they are now. */
  readonly files: () => readonly DeliveredFile[]
  /** Takes every whole file away, as a program does that reads the folder. */
  readonly takeAll: () => void
  /** How many were taken since it was opened. */
  readonly taken: () => number
}

/** Nothing is awaited within a call, so that no bridge of this process works in between. */
export function openOutlet(folder: string, takenFolder: string): Outlet {
  const earlier = new Set(wholeFiles(folder))
  const taken: DeliveredFile[] = []
  let takes = 0
  const take = (name: string) => {
    const place = join(takenFolder, String(++takes))
    mkdirSync(place, { recursive: true })
    const path = join(place, name)
    // Some readers move a file, others copy and remove it.
    if (takes % 2 === 0) moveFile(join(folder, name), path)
    else renameSync(join(folder, name), path)
    if (!earlier.delete(name)) taken.push({ name, path })
  }
  return {
    files: () => [
      ...taken,
      ...wholeFiles(folder)
        .filter((name) => !earlier.has(name))
        .map((name) => ({ name, path: join(folder, name) })),
    ],
    takeAll: () => wholeFiles(folder).forEach(take),
    taken: () => taken.length,
  }
}

function moveFile(from: string, to: string): void {
  copyFileSync(from, to)
  rmSync(from)
}

/** The files that somebody who reads the folder would take for whole. */
function wholeFiles(folder: string): string[] {
  try {
    return readdirSync(folder).filter(
      (name) => !isTemporaryName(name) && statSync(join(folder, name)).isFile(),
    )
  } catch (error) {
    if (hasSystemCode(error, 'ENOENT')) return []
    throw error
  }
}

/** One character for each byte. */
export function textOf({ path }: DeliveredFile): string {
  return readFileSync(path, 'latin1')
}
