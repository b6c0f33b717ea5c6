/** Counts what `src/` is made of, for the test beside it; `npx tsx test/tidy/counts.ts` prints it folder by folder. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url))
export const SHORT_FILE_LINES = 30

export interface SourceFile {
  /** From `src/`, such as `journal/files.ts`. */
  readonly path: string
  readonly lines: number
}

/** The TypeScript files of `src/`, in the order of their paths. */
export function listSourceFiles(): SourceFile[] {
  return readdirSync(SOURCE, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .map((path) => ({
      path: relative(SOURCE, path),
      lines: readFileSync(path, 'utf8').split('\n').length - 1,
    }))
    .sort((one, other) => (one.path < other.path ? -1 : 1))
}

/** Groups files, by default by their folder. Node 20 has no `Map.groupBy`. */
export function groupFiles(files: readonly SourceFile[], folderOf = dirname): Map<string, SourceFile[]> {
  const groups = new Map<string, SourceFile[]>()
  for (const file of files) {
    const folder = folderOf(file.path)
    groups.set(folder, [...(groups.get(folder) ?? []), file])
  }
  return groups
}

export function sumLines(files: readonly SourceFile[]): number {
  return files.reduce((sum, { lines }) => sum + lines, 0)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = listSourceFiles()
  for (const [folder, own] of groupFiles(files, (path) => path.split('/')[0] ?? ''))
    console.log(
      `${folder.padEnd(16)} ${String(own.length).padStart(4)} files ${String(sumLines(own)).padStart(6)} lines`,
    )
  const short = files.filter(({ lines }) => lines < SHORT_FILE_LINES)
  const longest = files.toSorted((one, other) => other.lines - one.lines)[0]
  console.log(`src              ${files.length} files ${sumLines(files)} lines`)
  console.log(
    `${short.length} files under ${SHORT_FILE_LINES} lines; the longest is ${longest?.path}, ${longest?.lines} lines`,
  )
}
