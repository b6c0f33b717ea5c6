/**
 * Leaves a local file straight under its name, on a server that lets nobody rename: never over another one, and after a lost
 * connection or a crash from where it was. Whoever reads it meanwhile sees the beginning of it.
 */
import type { Handover } from '../../domain/mailbox.ts'
import type { Calls } from './calls.ts'
import { hasContentsOf, isStartOf } from './contents.ts'
import { removeIfThere } from './naming-note.ts'
import { ConnectionLost, isRefusal } from './refusals.ts'
import { isTaken, type Uploading, uploadTo } from './upload.ts'

export interface DirectTarget {
  readonly final: string
  readonly uploading: Uploading
  readonly handover: Handover | undefined
}

export async function leaveDirect(
  calls: Calls,
  { final, uploading, handover }: DirectTarget,
): Promise<'delivered' | 'occupied'> {
  const there = await calls.look(final)
  if (there !== undefined && (await hasContentsOf(calls, final, uploading.file))) return 'delivered'
  if (await isTaken(calls, final, uploading)) return 'delivered'
  if (there !== undefined) {
    const mayBeOurs = uploading.isBegun || handover?.takenOver === true
    if (!mayBeOurs || !(await isStartOf(calls, final, uploading.file))) return 'occupied'
    Object.assign(uploading, { isBegun: true, reached: there.size })
  }
  await handover?.stillOurs()
  try {
    await uploadTo(calls, final, uploading)
    return 'delivered'
  } catch (error) {
    const isOccupied = isRefusal(error) && !uploading.isBegun && (await calls.look(final)) !== undefined
    if (isOccupied) return (await hasContentsOf(calls, final, uploading.file)) ? 'delivered' : 'occupied'
    if (uploading.isBegun && !(error instanceof ConnectionLost)) await removeHalf(calls, final)
    throw error
  }
}

async function removeHalf(calls: Calls, final: string): Promise<void> {
  try {
    await removeIfThere(calls, final)
  } catch (error) {
    if (!isRefusal(error) && !(error instanceof ConnectionLost)) throw error
  }
}
