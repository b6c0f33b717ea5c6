/** The names of files that hold a part of another: what was refused of it, and what waits for a person. */

export type FilePart = 'rejects' | 'exceptions'

/** Longer ones are no extensions, and would not fit behind a long name. */
const EXTENSION = /\.[A-Za-z0-9]{1,8}$/

/** `.rejects.txt` for `b.txt`: with the extension of its source, the part goes where its source went. */
export function partSuffix(part: FilePart, source: string): string {
  const extension = EXTENSION.exec(source.replace(/\.gz$/i, ''))?.[0] ?? '.csv'
  return `.${part}${extension}`
}

/** Whether the name is that of such a part. */
export function isPartOf(name: string, part: FilePart): boolean {
  return new RegExp(`\\.${part}\\.[A-Za-z0-9]{1,8}$`).test(name)
}

/** Whether the file, by its name, holds a part of another. A person may have added to the name. */
export function holdsPart(name: string): boolean {
  return /\.(?:rejects|exceptions)\./i.test(name)
}
