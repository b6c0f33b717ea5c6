/** `dropbridge map docs`: a page that tells a partner what to send, or what comes, with files that show it. */
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { exportPage, exportSample, receivedColumns } from '../../../bridge/maps/export-page.ts'
import { type PartnerColumn, partnerColumns, partnerPage } from '../../../bridge/maps/partner-page.ts'
import { partnerSamples, type SampleFiles } from '../../../bridge/maps/partner-samples.ts'
import { tableTexts, tableWords } from '../../../bridge/maps/table-words.ts'
import { createFormats } from '../../../formats/formats.ts'
import { type InboundMapping, loadMapping, type OutboundMapping } from '../../../mapping/load.ts'
import { BridgeError, EXIT, type ExitCode } from '../../../support/errors.ts'
import { pathFrom } from '../../context.ts'
import { problemInWords } from '../../problem-in-words.ts'
import type { Terminal } from '../../terminal.ts'

export interface DocsOptions {
  readonly mapping: string
  /** The folder the page and the files are written to; without it the page is printed. */
  readonly out: string | undefined
  readonly json: boolean
}

export async function docs(terminal: Terminal, { mapping: name, out, json }: DocsOptions): Promise<ExitCode> {
  const path = pathFrom(terminal, name)
  const mapping = await loadMapping(path)
  const title = basename(name, extname(name))
  const { data, files } =
    mapping.direction === 'inbound'
      ? await toSend(mapping, path, title)
      : await toReceive(mapping, path, title)
  const page = files[0]?.[1] ?? ''
  if (json) terminal.out(JSON.stringify(data, null, 2))
  else if (out === undefined) terminal.out(page.toString().trimEnd())
  if (out === undefined) return EXIT.ok
  await writeAll(pathFrom(terminal, out), files)
  terminal.say(`Wrote ${files.map(([file]) => file).join(', ')} in the folder ${out}`)
  return EXIT.ok
}

type NewFile = readonly [name: string, contents: string | Uint8Array]

interface Documents {
  /** For programs. */
  readonly data: unknown
  /** The page is the first. */
  readonly files: readonly NewFile[]
}

/** What a partner has to send. */
async function toSend(mapping: InboundMapping, path: string, title: string): Promise<Documents> {
  const format = createFormats()
  const { exampleOf, files } = await partnerSamples(mapping, path, format)
  const columns = partnerColumns(mapping, { exampleOf, words: await tableWords(mapping, path) })
  const problems = files?.problems ?? []
  const page = partnerPage(mapping, columns, { title, form: files })
  if (files === undefined) return { data: { columns, problems }, files: [[`${title}.md`, page]] }
  const { extension, good, bad } = files
  const wrong = problems.map((each) => `- ${problemInWords(each)}`)
  const told = ['', `## What is wrong with ${title}.bad${extension}`, '', ...wrong, '']
  const template = templateOf(mapping, columns, files)
  return {
    data: { columns, problems },
    files: [
      [`${title}.md`, page + (wrong.length === 0 ? '' : told.join('\n'))],
      ...(template.length === 0 ? [] : [[`${title}.template${extension}`, template] as const]),
      [`${title}.good${extension}`, good],
      ...(wrong.length === 0 ? [] : [[`${title}.bad${extension}`, bad] as const]),
    ],
  }
}

/** The names the mapping reads in a line; what stands above the data of the example where that is more than names. */
function templateOf(
  { translator: { read } }: InboundMapping,
  columns: readonly PartnerColumn[],
  { head, delimiter, encoding }: SampleFiles,
): Uint8Array {
  const isPlain = read.records === undefined && read.skip === undefined && read.header === undefined
  if (!isPlain || head.length === 0) return head
  const writer = createFormats().writer(
    columns.map(({ name }) => name),
    { format: 'csv', delimiter, encoding },
  )
  return writer.head()
}

/** What a partner will receive. */
async function toReceive(mapping: OutboundMapping, path: string, title: string): Promise<Documents> {
  const sample = await exportSample(mapping, path, createFormats())
  const columns = receivedColumns(mapping, sample, await tableTexts(mapping, path))
  const page = exportPage(mapping, columns, title)
  const [example] = mapping.examples
  const extension = extname(example?.expect ?? '') || '.csv'
  const { file } = sample
  return {
    data: { columns },
    files: [
      [`${title}.md`, page],
      ...(file === undefined ? [] : [[`${title}.sample${extension}`, file] as const]),
    ],
  }
}

/** They are made from the mapping, so those of an earlier run are replaced. */
async function writeAll(folder: string, files: readonly NewFile[]): Promise<void> {
  try {
    await mkdir(folder, { recursive: true })
    for (const [name, text] of files) await writeFile(join(folder, name), text)
  } catch (cause) {
    throw new BridgeError('cannot-write', `the folder ${folder} cannot be written`, { cause })
  }
}
