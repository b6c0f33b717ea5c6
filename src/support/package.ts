/** Reads the installed package: its version, the ready mappings and the samples. */
import { readFileSync } from 'node:fs'
import { cp, mkdir, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

export const VERSION = readVersion()

function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

/** A path within the installed package. */
export function resolvePackagePath(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url))
}

/** Larger ones are for demonstrations, not to start from. */
const LARGEST_COPY = 64 * 1024

/** Copies a folder of the package; never overwrites existing files. */
export async function copyFromPackage(path: string, to: string, largest = LARGEST_COPY): Promise<void> {
  await mkdir(to, { recursive: true })
  const filter = async (source: string) => {
    const found = await stat(source)
    return found.isDirectory() || found.size <= largest
  }
  await cp(resolvePackagePath(path), to, { recursive: true, force: false, filter })
}
