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
import { buildEnvelopeSettings } from '../../../config/envelope.ts'
import { createExampleEnvelope, type Envelope } from '../../../domain/format.ts'
import {
  composeGuideAnswer,
  listGuideSegments,
  writeGuidePage,
} from '../../../mapping-tools/edi/export-guide.ts'
import { createPartnerSamples, type SampleFiles } from '../../../mapping-tools/partner-samples.ts'
import { readTableTexts } from '../../../mapping-tools/tables.ts'
import { createFormats } from '../../../formats/formats.ts'
import {
  type InboundMapping,
  loadMapping,
  type Mapping,
  type OutboundMapping,
} from '../../../mapping/load.ts'
import { BridgeError, EXIT, usageError } from '../../../support/errors.ts'
import { CONFIG_FLAG, defineCommand, JSON_FLAG, REQUIRED_TEXT, text } from '../../command.ts'
import { unknownNameError } from '../../../support/text.ts'
import { readConfigurationToShow, resolvePath } from '../../context.ts'
import type { Terminal } from '../../terminal.ts'
import { formatProblem } from '../../format/text.ts'

export const docsCommand = defineCommand({
  argument: 'MAPPING',
  positionals: { mapping: REQUIRED_TEXT },
  options: {
    out: text('The folder to write to; the page goes to stdout without it'),
    partner: text('Of a document that goes out: the partner of the configuration whose envelope it has'),
    config: CONFIG_FLAG,
    json: JSON_FLAG,
  },
  async run(terminal, { mapping: name, out, json, partner, config }) {
    const path = resolvePath(terminal, name)
    const mapping = await loadMapping(path)
    const title = basename(name, extname(name))
    const { data, files } = await createDocs(terminal, { mapping, path, title, partner, config })
    const page = files[0]?.[1] ?? ''
    if (json) terminal.out(JSON.stringify(data, null, 2))
    else if (out === undefined) terminal.out(page.toString().trimEnd())
    if (out === undefined) return EXIT.ok
    await writeFiles(resolvePath(terminal, out), files)
    terminal.say(`Wrote ${files.map(([file]) => file).join(', ')} in the folder ${out}`)
    return EXIT.ok
  },
})

async function createDocs(
  terminal: Terminal,
  {
    mapping,
    path,
    title,
    partner,
    config,
  }: { mapping: Mapping; path: string; title: string; partner: string | undefined; config: string },
): Promise<Docs> {
  if (mapping.direction === 'outbound') {
    const asked = partner === undefined ? undefined : { partner, config }
    const envelope = asked && (await buildPartnerEnvelope(terminal, mapping, asked))
    return createOutboundDocs(mapping, path, { title, envelope })
  }
  if (partner !== undefined)
    throw usageError('--partner is for mappings of documents that go out', 'Leave --partner out.')
  return createInboundDocs(mapping, path, title)
}

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
async function createOutboundDocs(
  mapping: OutboundMapping,
  path: string,
  { title, envelope }: { readonly title: string; readonly envelope: Envelope | undefined },
): Promise<Docs> {
  const example = createExampleEnvelope(mapping.composer.write.format)
  const own = envelope ?? example
  const sample = await createExportSample(mapping, path, createFormats(), own)
  const tables = await readTableTexts(mapping, path)
  const extension = extname(mapping.examples[0]?.expect ?? '') || '.csv'
  const sampleFiles: NewFile[] =
    sample.file === undefined ? [] : [[`${title}.sample${extension}`, sample.file]]
  if (own === undefined) {
    const columns = listReceivedColumns(mapping, sample, tables)
    return {
      data: { columns },
      files: [[`${title}.md`, writeExportPage(mapping, columns, title)], ...sampleFiles],
    }
  }
  const segments = listGuideSegments(mapping, { records: sample.records, tables, envelope: own })
  const { file } = sample
  const answered = file && { file, answer: await composeGuideAnswer(file, own) }
  const page = writeGuidePage(mapping, segments, {
    title,
    envelope: own,
    isAgreed: envelope !== undefined,
    sample: answered,
  })
  const answerFiles: NewFile[] = answered ? [[`${title}.answer${extension}`, answered.answer]] : []
  return {
    data: { envelope: own, segments },
    files: [[`${title}.md`, page], ...sampleFiles, ...answerFiles],
  }
}

/** The envelope of what is written to the partner, with example numbers. */
async function buildPartnerEnvelope(
  terminal: Terminal,
  mapping: OutboundMapping,
  { partner: name, config }: { readonly partner: string; readonly config: string },
): Promise<Envelope> {
  const { edi } = mapping.composer.write
  const example = createExampleEnvelope(mapping.composer.write.format)
  if (edi === undefined || example === undefined)
    throw usageError(
      '--partner is for mappings that write documents of X12 or EDIFACT',
      'Leave --partner out.',
    )
  const { edi: settings } = await readConfigurationToShow(terminal, config)
  const partners = settings?.partners ?? []
  const partner = partners.find((each) => each.name === name)
  if (settings === undefined || partner === undefined)
    throw unknownNameError(
      `there is no partner ${name} in ${config}`,
      name,
      partners.map((each) => each.name),
    )
  const built = buildEnvelopeSettings(settings, partner, { ...edi, usage: 'production' })
  if (built === undefined)
    throw usageError(
      `the configuration does not say as whom it writes to ${name}: the partner has no \`we\``,
      'Add `we: NAME` to the partner, with a name under `edi.us`.',
    )
  return { ...example, ...built }
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
