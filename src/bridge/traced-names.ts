/** Files and deliveries by what the bridge itself calls them: with folders, archived, or by the name of a report. */
import type { DeliveryEntry, FileEntry, Journal } from '../domain/journal.ts'

type FilesOf = Pick<Journal, 'filesCalled'>

/** By name or id, or by the path, the archived name or the report's name that the bridge printed. */
export async function filesNamed(journal: FilesOf, name: string, limit: number): Promise<FileEntry[]> {
  const files = await journal.filesCalled(name, limit)
  if (files.length > 0) return files
  const { folder, last } = partsOf(name)
  const called = last === name ? [] : await journal.filesCalled(last, limit)
  if (called.length > 0) return thoseIn(folder, called)
  const archived = await archivedAs(journal, last)
  return archived.length > 0 ? archived : reportedAs(journal, last, limit)
}

export async function deliveriesNamed(
  journal: Pick<Journal, 'deliveriesCalled'>,
  name: string,
  limit: number,
): Promise<DeliveryEntry[]> {
  const deliveries = await journal.deliveriesCalled(name, limit)
  const { folder, last } = partsOf(name)
  if (deliveries.length > 0 || last === name) return deliveries
  return thoseIn(folder, await journal.deliveriesCalled(last, limit))
}

function partsOf(path: string): { readonly folder: string; readonly last: string } {
  const parts = path.split(/[/\\]/)
  return { folder: parts.slice(0, -1).join('/'), last: parts.at(-1) ?? '' }
}

/** A copy may lie anywhere, so a folder that no file is from tells nothing. */
function thoseIn<Entry extends { readonly folder: string }>(folder: string, entries: Entry[]): Entry[] {
  const its = entries.filter((entry) => `/${folder}`.endsWith(`/${entry.folder}`))
  return its.length > 0 ? its : entries
}

/** `orders~6f3kf9827vf0.csv`. */
async function archivedAs(journal: FilesOf, name: string): Promise<FileEntry[]> {
  const [, id] = /.~([0-9a-z]+)[^~]*$/.exec(name) ?? []
  if (id === undefined) return []
  const files = await journal.filesCalled(id, 1)
  return files.filter((file) => file.id === id && partsOf(file.archivedAs ?? '').last === name)
}

/** `orders.csv.results.csv`; of what was reported again `orders.csv~2.results.csv`; with its id where a name is too long. */
async function reportedAs(journal: FilesOf, name: string, limit: number): Promise<FileEntry[]> {
  const [, report] =
    /^(.+)\.(?:results\.csv|(?:rejects|exceptions)\.[A-Za-z0-9]{1,8}|summary\.json)$/.exec(name) ?? []
  if (report === undefined) return []
  const [, base, end] = /^(.+)~([0-9a-z]+)$/.exec(report) ?? []
  const names = [report, ...(base === undefined ? [] : [base]), ...(end === undefined ? [] : [end])]
  const found = new Map<string, FileEntry>()
  for (const each of names)
    for (const file of await journal.filesCalled(each, limit)) found.set(file.id, file)
  const files = [...found.values()]
  const its = files.filter(({ reportName }) => reportName === report)
  return its.length > 0 ? its : files.filter(({ name: own }) => own === report || own === base)
}
