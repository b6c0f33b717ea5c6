/** Which configuration and mappings this bridge works with, and whether the files on the disk still say the same. */
import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, dirname, relative, resolve } from 'node:path'
import type { Configuration, ConfigurationSource } from '../config/configuration.ts'
import { type AcceptedMappings, readAcceptedMappings } from '../config/kept.ts'
import { listPartnerFiles } from '../config/partner-files.ts'
import type { BridgeVersion } from '../domain/lease.ts'
import type { Mapping } from '../mapping/load.ts'
import { BridgeError } from '../support/errors.ts'
import { listMappedSteps, loadMappings } from './context.ts'

const ID_DIGITS = 12

/** Undefined for a configuration that was read from no file, and for one that takes the place of a broken file. */
export function buildVersion(
  { source, routes, broken }: Configuration,
  mappings: ReadonlyMap<string, Mapping>,
): BridgeVersion | undefined {
  if (source === undefined || broken !== undefined) return undefined
  const folder = dirname(source.path)
  const partners = [...(source.partners?.files ?? [])]
  const others = new Map(partners.map(([path, sha256]) => [toName(folder, path), sha256]))
  for (const { key, mappingPath } of routes.flatMap(listMappedSteps)) {
    for (const [path, sha256] of Object.entries(mappings.get(key)?.files ?? {})) {
      const file = path === '' ? mappingPath : resolve(dirname(mappingPath), path)
      others.set(toName(folder, file), sha256)
    }
  }
  const sorted = [...others].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const files = Object.fromEntries([[basename(source.path), source.sha256], ...sorted])
  return toVersion(files)
}

function toVersion(files: BridgeVersion['files']): BridgeVersion {
  return { id: hash('sha256', JSON.stringify(files)).slice(0, ID_DIGITS), files }
}

/**
 * The version whose mappings an earlier start accepted, where nothing has changed since: then no mapping needs compiling before
 * it is used. Undefined where they must be compiled to know whether they are right.
 */
export async function findAcceptedVersion(
  configuration: Configuration,
): Promise<(AcceptedMappings & { readonly version: BridgeVersion }) | undefined> {
  const { source, broken } = configuration
  const accepted = broken === undefined ? await readAcceptedMappings(configuration) : undefined
  if (source === undefined || accepted === undefined) return undefined
  const { files } = accepted
  const folder = dirname(source.path)
  const partners = [...(source.partners?.files.keys() ?? [])].map((path) => toName(folder, path))
  const isSame =
    files[basename(source.path)] === source.sha256 &&
    partners.every((name) => files[name] !== undefined) &&
    (await isUnchanged(folder, files))
  return isSame ? { ...accepted, version: toVersion(files) } : undefined
}

function toName(folder: string, path: string): string {
  return relative(folder, path).replaceAll('\\', '/')
}

/** What the files on the disk say now: another version, or why no bridge could work with them. */
export type DiskState = { readonly version: BridgeVersion } | { readonly failure: BridgeError }

/** Reads the files again each time, and compiles them only where they changed. */
export function createDiskReader(
  { source, broken }: Configuration,
  current: BridgeVersion | undefined,
): (() => Promise<DiskState>) | undefined {
  if (source === undefined) return undefined
  let known = current
  let partners = source.partners
  return async () => {
    if (broken !== undefined) return { failure: broken.failure }
    const isSame = async ({ files }: BridgeVersion) =>
      (await isUnchanged(dirname(source.path), files)) && !(await hasNewPartners(partners))
    if (known !== undefined && (await isSame(known))) return { version: known }
    try {
      const configuration = await source.load()
      partners = configuration.source?.partners
      known = buildVersion(configuration, await loadMappings(configuration))
      return known === undefined ? { failure: unreadable(source.path) } : { version: known }
    } catch (error) {
      if (error instanceof BridgeError) return { failure: error }
      throw error
    }
  }
}

/** A file that came is in no version yet. */
async function hasNewPartners(partners: ConfigurationSource['partners']): Promise<boolean> {
  if (partners === undefined) return false
  const names = await listPartnerFiles(partners.folder).catch(() => [])
  return names.some((name) => !partners.files.has(resolve(partners.folder, name)))
}

async function isUnchanged(folder: string, files: BridgeVersion['files']): Promise<boolean> {
  for (const [path, sha256] of Object.entries(files)) {
    const text = await readFile(resolve(folder, path), 'utf8').catch(() => undefined)
    if (text === undefined || hash('sha256', text) !== sha256) return false
  }
  return true
}

function unreadable(path: string): BridgeError {
  return new BridgeError('configuration-invalid', `The configuration file ${path} cannot be read.`)
}
