/** Files that come with the program: the ready mappings and the samples. */
import { cp, mkdir, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** A path within the installed package. */
export function packagePath(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url))
}

/** Larger ones are for demonstrations, not to start from. */
const LARGEST_COPY = 64 * 1024

/** Copies a folder of the package; what is there already is left as it is. */
export async function copyFromPackage(path: string, to: string, largest = LARGEST_COPY): Promise<void> {
  await mkdir(to, { recursive: true })
  const filter = async (source: string) => {
    const found = await stat(source)
    return found.isDirectory() || found.size <= largest
  }
  await cp(packagePath(path), to, { recursive: true, force: false, filter })
}
