/** `dropbridge map docs`: a page that tells a partner what to send, with files to start from. */
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { partnerColumns, partnerPage } from '../../../bridge/maps/partner-page.ts'
import { csvText, partnerSamples } from '../../../bridge/maps/partner-samples.ts'
import { tableWords } from '../../../bridge/maps/table-words.ts'
import { createFormats } from '../../../formats/formats.ts'
import { BridgeError, EXIT, type ExitCode } from '../../../support/errors.ts'
import { pathFrom } from '../../context.ts'
import { problemInWords } from '../../problem-in-words.ts'
import type { Terminal } from '../../terminal.ts'
import { inboundMapping } from './mapping.ts'

export interface DocsOptions {
  readonly mapping: string
  /** The folder the page and the files are written to; without it the page is printed. */
  readonly out: string | undefined
  readonly json: boolean
}

export async function docs(terminal: Terminal, { mapping: path, out, json }: DocsOptions): Promise<ExitCode> {
  const mapping = await inboundMapping(terminal, path)
  const format = createFormats()
  const samples = await partnerSamples(mapping, pathFrom(terminal, path), format)
  const columns = partnerColumns(mapping, {
    exampleOf: (names) => samples.exampleOf(names),
    words: await tableWords(mapping, pathFrom(terminal, path)),
  })
  const title = basename(path, extname(path))
  const { files } = samples
  const wrong = (files?.problems ?? []).map((each) => `- ${problemInWords(each)}`)
  const told = ['', `## What is wrong with ${title}.bad.csv`, '', ...wrong, '']
  const page = partnerPage(mapping, columns, title) + (wrong.length === 0 ? '' : told.join('\n'))
  if (json) terminal.out(JSON.stringify({ columns, problems: files?.problems ?? [] }, null, 2))
  else if (out === undefined) terminal.out(page.trimEnd())
  if (out === undefined) return EXIT.ok
  const written: [string, string][] = [[`${title}.md`, page]]
  if (files !== undefined) {
    const names = columns.map(({ name }) => name)
    written.push([`${title}.template.csv`, csvText(names, [], format)])
    written.push([`${title}.good.csv`, files.good], [`${title}.bad.csv`, files.bad])
  }
  await writeAll(pathFrom(terminal, out), written)
  terminal.say(`Wrote ${written.map(([name]) => name).join(', ')} in the folder ${out}`)
  return EXIT.ok
}

/** They are made from the mapping, so those of an earlier run are replaced. */
async function writeAll(folder: string, files: readonly (readonly [string, string])[]): Promise<void> {
  try {
    await mkdir(folder, { recursive: true })
    for (const [name, text] of files) await writeFile(join(folder, name), text)
  } catch (cause) {
    throw new BridgeError('cannot-write', `the folder ${folder} cannot be written`, { cause })
  }
}
