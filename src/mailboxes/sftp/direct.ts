/**
 * Files that are written straight under their names, on a server that lets nobody rename: never over another one, and after a lost
 * connection or a crash from where they were. Whoever reads one meanwhile sees its beginning.
 *
 * The evidence says how far it came: `begun` is noted when the file is open and before its first byte, `complete` when all of it is flushed. So of a file
 * that is not there any more it is known whether its reader has all of it, a part of it, or nothing.
 */
import type {
  Naming,
  NamingEvidence,
  NamingFate,
  NamingOutcome,
  NoteEvidence,
  StagedFile,
} from '../../domain/naming.ts'
import { refuseToMake } from '../failures.ts'
import { folderSegments } from '../names.ts'
import type { Calls } from './calls.ts'
import type { Connection } from './connection.ts'
import { hasContentsOf, isStartOf } from './contents.ts'
import { addressOf, joined, openFolder, type Place } from './place.ts'
import { asking, ConnectionLost, isRefusal } from './refusals.ts'
import { isTaken, newUploading, type Uploading, uploadTo, withSource } from './upload.ts'

const NOT_BEGUN: NamingEvidence = { by: 'direct' }
const PART_TAKEN = { unclear: 'it was taken away before it was whole' } as const

/** Nothing is written yet. What was begun earlier goes on. */
export function stageDirect(
  { source, folder }: Pick<StagedFile, 'source' | 'folder'>,
  earlier: Naming | undefined,
): StagedFile {
  const isOurs = earlier?.evidence['by'] === 'direct'
  const evidence = isOurs ? { ...earlier.evidence, name: earlier.name } : NOT_BEGUN
  return { source, folder, working: '', evidence }
}

/** How far the file came under its name. */
interface Progress {
  /** A file that is empty may be the one that was opened. */
  mayBeOpen: boolean
  isBegun: boolean
}

export async function giveNameDirectly(
  place: Place,
  { source, folder, evidence }: StagedFile,
  { name, note }: { readonly name: string; readonly note: NoteEvidence | undefined },
): Promise<NamingOutcome> {
  const { options, lines } = place
  const isEarlier = evidence['name'] === name
  const { reached } = isEarlier ? evidence : NOT_BEGUN
  const progress: Progress = { mayBeOpen: isEarlier, isBegun: reached !== undefined }
  const say = async (far: 'begun' | 'complete') => note?.({ ...NOT_BEGUN, reached: far })
  return withSource(source, (file, size) => {
    // One after the other, what is there is always the beginning of the file.
    const uploading = newUploading({
      file,
      size,
      verify: options.verify,
      width: 1,
      mayBeTaken: true,
      isComplete: reached === 'complete',
      onBegun: async () => {
        if (!progress.isBegun) await say('begun')
        progress.isBegun = true
      },
      onComplete: () => say('complete'),
    })
    const write = async (connection: Connection) => {
      const path = await openFolder(place, connection, folderSegments(folder), refuseToMake)
      const final = joined(path, name)
      return asking('cannot-write', `${addressOf(options, final)} cannot be written`, () =>
        writeUnder({ calls: connection.calls, final, uploading, progress, note }),
      )
    }
    return lines.use(write, () => uploading.reached)
  })
}

interface Writing {
  readonly calls: Calls
  readonly final: string
  readonly uploading: Uploading
  readonly progress: Progress
  readonly note: NoteEvidence | undefined
}

async function writeUnder(writing: Writing): Promise<NamingOutcome> {
  const { calls, final, uploading, progress } = writing
  const there = await calls.look(final)
  if (there !== undefined && (await hasContentsOf(calls, final, uploading.file))) return 'delivered'
  if (await isTaken(calls, final, uploading)) return 'delivered'
  if (there === undefined && progress.isBegun) return PART_TAKEN
  if (there !== undefined) {
    const isOurs = progress.isBegun || ((progress.mayBeOpen || uploading.isBegun) && there.size === 0)
    if (!isOurs) return 'occupied'
    if (!(await isStartOf(calls, final, uploading.file))) return PART_TAKEN
    Object.assign(uploading, { isBegun: true, reached: there.size })
  }
  try {
    await uploadTo(calls, final, uploading)
    return 'delivered'
  } catch (error) {
    const isOccupied = isRefusal(error) && !uploading.isBegun && (await calls.look(final)) !== undefined
    if (isOccupied) return (await hasContentsOf(calls, final, uploading.file)) ? 'delivered' : 'occupied'
    if (uploading.isBegun && !(error instanceof ConnectionLost)) await takeBack(writing)
    throw error
  }
}

/** Only where the file was still there nobody has a part of it. */
async function takeBack({ calls, final, uploading, progress, note }: Writing): Promise<void> {
  try {
    await calls.unlink(final)
    Object.assign(uploading, { isBegun: false, isComplete: false, reached: 0 })
    Object.assign(progress, { mayBeOpen: false, isBegun: false })
    await note?.(NOT_BEGUN)
  } catch (error) {
    if (!isRefusal(error) && !(error instanceof ConnectionLost)) throw error
  }
}

export async function settleDirect(
  calls: Calls,
  final: string,
  { reached }: NamingEvidence,
): Promise<NamingFate> {
  if (reached === undefined || (await calls.look(final)) !== undefined) return 'not-named'
  return reached === 'complete' ? 'named' : PART_TAKEN
}
