/** Adding a server's keys to a known_hosts file, or putting them in the place of others. */
import { open, readFile, realpath, rename, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { syncFolder } from '../../support/durable.ts'
import { BridgeError, hasSystemCode } from '../../support/errors.ts'
import type { HostKey } from './host-key.ts'
import { type Host, knownEntries, knownHost, knownName, namesExactly } from './known-hosts.ts'
import { removeFile } from '../../support/remove-file.ts'

/** Makes the file where it is not there. With `replace`, what is trusted of the host so far goes. */
export async function trustKeys(
  path: string,
  host: Host,
  keys: readonly HostKey[],
  { replace }: { readonly replace: boolean },
): Promise<void> {
  try {
    const file = await realPath(path)
    const before = await contentsOf(file)
    const kept = replace ? withoutHost(before, host, path) : before
    const lines = keys.map(({ type, blob }) => `${knownName(host)} ${type} ${blob.toString('base64')}\n`)
    await writeWhole(file, `${kept}${kept === '' || kept.endsWith('\n') ? '' : '\n'}${lines.join('')}`)
  } catch (error) {
    if (error instanceof BridgeError) throw error
    throw new BridgeError('cannot-write', `The known hosts in ${path} cannot be written.`, { cause: error })
  }
}

/** Where a link leads to, so that it stays a link. */
async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (hasSystemCode(error, 'ENOENT')) return path
    throw error
  }
}

async function contentsOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (hasSystemCode(error, 'ENOENT')) return ''
    throw error
  }
}

/** What is trusted of others stays, and so does what is revoked. */
function withoutHost(text: string, host: Host, path: string): string {
  const old = new Set(knownHost(text, host).trusted.map(({ line }) => line))
  const entries = knownEntries(text).filter(({ line }) => old.has(line))
  const pattern = entries.find(({ names }) => !namesExactly(names, host))
  if (pattern !== undefined) {
    throw new BridgeError(
      'configuration-invalid',
      `${path} line ${pattern.line} trusts ${knownName(host)} by a pattern that may stand for other hosts too. Take the line out by hand, then run the command again.`,
    )
  }
  const names = new Map(entries.map((entry) => [entry.line, entry.names]))
  const kept = text.split('\n').flatMap((line, index) => {
    const named = names.get(index + 1)
    if (named === undefined) return [line]
    const others = named.split(',').filter((name) => name.toLowerCase() !== knownName(host))
    return named.startsWith('|') || others.length === 0 ? [] : [line.replace(named, others.join(','))]
  })
  return kept.join('\n')
}

/** Whole or not at all; readable for its owner alone where it is new. */
async function writeWhole(path: string, text: string): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.writing`)
  try {
    const file = await open(temporary, 'w', 0o600)
    try {
      await file.chmod(await modeOf(path))
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } finally {
    await removeFile(temporary)
  }
  await syncFolder(dirname(path))
}

async function modeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).mode & 0o777
  } catch (error) {
    if (hasSystemCode(error, 'ENOENT')) return 0o600
    throw error
  }
}
