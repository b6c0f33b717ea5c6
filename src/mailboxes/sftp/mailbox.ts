/** A mailbox that is a folder on an SFTP server. */
import type { FileInfo, Mailbox } from '../../domain/mailbox.ts'
import { assertSafeName, splitFolder } from '../names.ts'
import {
  archiveClaim,
  claimFile,
  getClaimSize,
  listClaims,
  readTakenFile,
  readTail,
  releaseClaim,
} from './claims.ts'
import { giveName, inspectNaming, removeStaged, stageFile } from './delivery.ts'
import {
  createMarkerFolder,
  findFolder,
  formatAddress,
  getArchivedSizes,
  hasEntry,
  joinPath,
  listFiles,
  listIgnored,
  listNames,
  type SftpContext,
  type SessionWork,
  useSession,
} from './folders.ts'
import type { SftpMailboxOptions } from './options.ts'
import { createConnectionPool } from './session.ts'

export function createSftpMailbox(options: SftpMailboxOptions): Mailbox {
  const pool = createConnectionPool(options)
  const place: SftpContext = { options, pool, cleanedFolders: new Map(), renamedWorkingNames: new Set() }
  const use = <T>(work: SessionWork<T>) => useSession(place, work)
  /** Refuses paths outside of the mailbox before any call to the server. */
  const useChecked = async <T>({ folder, name }: Pick<FileInfo, 'folder' | 'name'>, work: SessionWork<T>) => {
    assertSafeName(name)
    splitFolder(folder)
    return use(work)
  }
  return {
    claimsInPlace: options.claim === 'leave',
    list: (folder, only, beforeCreate) => use((session) => listFiles(session, folder, only, beforeCreate)),
    readTail: (file, bytes) => useChecked(file, (session) => readTail(session, file, bytes)),
    claim: (claim) => useChecked(claim, (session) => claimFile(session, claim)),
    read: (file) => readTakenFile(place, file),
    listClaims: (folder) => use((session) => listClaims(session, folder)),
    getClaimSize: (claim) => useChecked(claim, (session) => getClaimSize(session, claim)),
    releaseClaim: (claim) => useChecked(claim, (session) => releaseClaim(session, claim)),
    archive: (claim, folder) =>
      useChecked({ ...claim, folder }, (session) => archiveClaim(session, claim, folder)),
    getArchivedSizes: (paths) => use((session) => getArchivedSizes(session, paths)),
    stage: (source, folder, how) => stageFile(place, source, folder, how),
    giveName: (staged, name, how) => giveName(place, staged, name, how?.note),
    inspectNaming: (folder, naming) => inspectNaming(place, folder, naming),
    removeStaged: ({ folder, working }) => removeStaged(place, folder, working),
    hasFolder: (folder) =>
      use(async (session) => (await findFolder(session, splitFolder(folder))) !== undefined),
    listNames: (folder) => use((session) => listNames(session, folder)),
    hasEntry: (folder, name) => useChecked({ folder, name }, (session) => hasEntry(session, folder, name)),
    listIgnored: (folder) => use((session) => listIgnored(session, folder)),
    createMarkerFolder: (folder, name) => use((session) => createMarkerFolder(session, folder, name)),
    describe: (folder, name) => {
      assertSafeName(name)
      return formatAddress(options, joinPath(options.root, ...splitFolder(folder), name))
    },
    close: () => pool.close(),
  }
}
