/** Passes of the built program with the flags that it gives itself, each over a folder of its own. */
import { copyFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { HEAP_FLAGS } from '../../src/support/process.ts'
import { type Child, startChild } from './children.ts'
import type { Round } from './measure.ts'
import { type Api, configurationIn, inboxOf, inFolder } from './setting.ts'

/** What `pass-child.mjs` says of a pass: how many records were accepted, and the peak of the process so far. */
export interface PassReport extends Round {
  readonly peakMb: number
  /** The peak before its first pass began: Node itself and the code of the bridge. */
  readonly baseMb: number
}

export interface Passes extends Pick<Child<unknown>, 'stop'> {
  /** One pass of a new bridge over the folder: from scanning to the source in the archive, or to the last acknowledgement. */
  in(folder: string, api: Api, route: string): Promise<PassReport>
  /** The same over a new folder with a copy of the file in its inbox, and an empty journal. */
  over(file: string, api: Api, route?: string): Promise<PassReport>
}

export async function startPasses(): Promise<Passes> {
  const child = await startChild('./pass-child.mjs', [], HEAP_FLAGS)
  const passIn: Passes['in'] = (folder, { baseUrl, connections }, route) =>
    child.ask<PassReport>({ route, configuration: configurationIn(folder, { baseUrl, connections }) })
  return {
    in: passIn,
    over: (file, api, route = 'orders') =>
      inFolder(async (folder) => {
        await copyFile(file, join(inboxOf(folder), basename(file)))
        return passIn(folder, api, route)
      }),
    stop: child.stop,
  }
}
