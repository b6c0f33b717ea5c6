/** `dropbridge map docs`: a page for a partner about what to send, or what comes, with example files. */
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import {
  writeExportPage,
  createExportSample,
  listReceivedColumns,
} from '../../../mapping-tools/export-docs.ts'
import {
  type PartnerColumn,
  listPartnerColumns,
  writePartnerPage,
} from '../../../mapping-tools/partner-docs.ts'
import { createPartnerSamples, type SampleFiles } from '../../../mapping-tools/partner-samples.ts'
import { readTableTexts } from '../../../mapping-tools/tables.ts'
import { createFormats } from '../../../formats/formats.ts'
import { type InboundMapping, loadMapping, type OutboundMapping } from '../../../mapping/load.ts'
import { BridgeError, EXIT } from '../../../support/errors.ts'
import { defineCommand, JSON_FLAG, REQUIRED_TEXT, text } from '../../command.ts'
import { resolvePath } from '../../context.ts'
import { formatProblem } from '../../format/text.ts'

export const docsCommand = defineCommand({
  usage: 'docs <mapping>',
  describe: 'A page that shows a partner what to send, or what comes, with sample files',
  argument: 'MAPPING',
  positionals: { mapping: REQUIRED_TEXT },
  options: { out: text('The folder to write to; the page goes to stdout without it'), json: JSON_FLAG },
  async run(terminal, { mapping: name, out, json }) {
    const path = resolvePath(terminal, name)
    const mapping = await loadMapping(path)
    const title = basename(name, extname(name))
    const { data, files } =
      mapping.direction === 'inbound'
        ? await createInboundDocs(mapping, path, title)
        : await createOutboundDocs(mapping, path, title)
    const page = files[0]?.[1] ?? ''
    if (json) terminal.out(JSON.stringify(data, null, 2))
    else if (out === undefined) terminal.out(page.toString().trimEnd())
    if (out === undefined) return EXIT.ok
    await writeFiles(resolvePath(terminal, out), files)
    terminal.say(`Wrote ${files.map(([file]) => file).join(', ')} in the folder ${out}`)
    return EXIT.ok
  },
})

type NewFile = readonly [name: string, contents: string | Uint8Array]

interface Docs {
  /** The contents of the page, for programs. */
  readonly data: unknown
  /** The page comes first. */
  readonly files: readonly NewFile[]
}

/** The page for a partner who sends files. */
async function createInboundDocs(mapping: InboundMapping, path: string, title: string): Promise<Docs> {
  const { exampleOf, files } = await createPartnerSamples(mapping, path, createFormats())
  const { keys: words } = await readTableTexts(mapping, path)
  const columns = listPartnerColumns(mapping, { exampleOf, words })
  const problems = files?.problems ?? []
  const page = writePartnerPage(mapping, columns, { title, form: files })
  if (files === undefined) return { data: { columns, problems }, files: [[`${title}.md`, page]] }
  const { extension, good, bad } = files
  const wrong = problems.map((each) => `- ${formatProblem(each)}`)
  const errorSection = ['', `## What is wrong with ${title}.bad${extension}`, '', ...wrong, '']
  const template = createTemplate(mapping, columns, files)
  const made: NewFile[] = [[`${title}.md`, page + (wrong.length === 0 ? '' : errorSection.join('\n'))]]
  if (template.length > 0) made.push([`${title}.template${extension}`, template])
  made.push([`${title}.good${extension}`, good])
  if (wrong.length > 0) made.push([`${title}.bad${extension}`, bad])
  return { data: { columns, problems }, files: made }
}

/** A line with the names that the mapping reads; the example's lines above its data, where these are more than names. */
function createTemplate(
  { translator: { read } }: InboundMapping,
  columns: readonly PartnerColumn[],
  { head, delimiter, encoding }: SampleFiles,
): Uint8Array {
  const isPlain = read.records === undefined && read.skip === undefined && read.header === undefined
  if (!isPlain || head.length === 0) return head
  const names = columns.map(({ name }) => name)
  return createFormats().createWriter(names, { format: 'csv', delimiter, encoding }).formatHeader()
}

/** The page for a partner who receives files. */
async function createOutboundDocs(mapping: OutboundMapping, path: string, title: string): Promise<Docs> {
  const sample = await createExportSample(mapping, path, createFormats())
  const columns = listReceivedColumns(mapping, sample, await readTableTexts(mapping, path))
  const page = writeExportPage(mapping, columns, title)
  const [example] = mapping.examples
  const extension = extname(example?.expect ?? '') || '.csv'
  const files: NewFile[] = [[`${title}.md`, page]]
  if (sample.file !== undefined) files.push([`${title}.sample${extension}`, sample.file])
  return { data: { columns }, files }
}

/** The mapping determines these files, so they replace those of an earlier run. */
async function writeFiles(folder: string, files: readonly NewFile[]): Promise<void> {
  try {
    await mkdir(folder, { recursive: true })
    for (const [name, text] of files) await writeFile(join(folder, name), text)
  } catch (cause) {
    throw new BridgeError('cannot-write', `the folder ${folder} cannot be written`, { cause })
  }
}
