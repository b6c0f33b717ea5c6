/** `dropbridge labels`: packing slips and labels of shipments that a file created, fetched again. */
import type { FetchedLabel, LabelsRequest } from '../../bridge/labels.ts'
import { DOCUMENT_KINDS } from '../../domain/shipping-document.ts'
import { EXIT, type ExitCode } from '../../support/errors.ts'
import { pathFrom, readConfiguration, withBridge } from '../context.ts'
import { problemInWords } from '../problem-in-words.ts'
import type { Terminal } from '../terminal.ts'

export interface LabelsOptions {
  readonly config: string
  readonly json: boolean
  readonly route: string | undefined
  readonly file: string | undefined
  readonly po: string | undefined
  readonly shipment: string | undefined
  readonly out: string | undefined
}

/** Each document is told as it comes: where it is, or why it could not be had. */
export async function labels(terminal: Terminal, options: LabelsOptions): Promise<ExitCode> {
  const configuration = await readConfiguration(terminal, options.config)
  const request = requestOf(terminal, options)
  const count = { delivered: 0, refused: 0, wanted: 0 }
  const tell = (label: FetchedLabel) => {
    const outcome = label.path !== undefined ? 'delivered' : outcomeOf(label)
    count[outcome]++
    if (options.json) terminal.out(JSON.stringify(asData(label)))
    else if (label.path !== undefined) terminal.out(label.path)
    if (label.document.problem !== undefined) terminal.say(inWords(label))
  }
  await withBridge(terminal, { configuration, notify: () => undefined }, (bridge) =>
    bridge.labels(request, { signal: terminal.signal, tell }),
  )
  return told(terminal, request, count)
}

function requestOf(terminal: Terminal, { route, file, po, shipment, out }: LabelsOptions): LabelsRequest {
  return {
    ...(route === undefined ? {} : { route }),
    ...(file === undefined ? {} : { fileName: file }),
    ...(po === undefined ? {} : { purchaseOrderNumber: po }),
    ...(shipment === undefined ? {} : { shipmentId: shipment }),
    ...(out === undefined ? {} : { out: pathFrom(terminal, out) }),
  }
}

/** An earlier copy that could not be had again is missing like any other: nobody knows whether it is still there. */
function outcomeOf({ document }: FetchedLabel): 'refused' | 'wanted' {
  const code = document.problem?.code
  return code === 'document-refused' || code === 'document-forgotten' ? 'refused' : 'wanted'
}

function told(
  terminal: Terminal,
  request: LabelsRequest,
  { delivered, refused, wanted }: Readonly<Record<'delivered' | 'refused' | 'wanted', number>>,
): ExitCode {
  if (delivered + refused + wanted === 0) {
    const { route: _, out: __, ...named } = request
    if (Object.keys(named).length === 0) {
      terminal.say('No packing slip or label is missing.')
      return EXIT.ok
    }
    const none = 'No shipment like this was accepted from a file, or it has no packing slip or label.'
    terminal.say(named.purchaseOrderNumber === undefined ? none : `${none} ${AFTER_FORGETTING}`)
    return EXIT.rejects
  }
  terminal.say(
    `${delivered} fetched${refused > 0 ? `, ${refused} refused` : ''}${wanted > 0 ? `, ${wanted} missing` : ''}`,
  )
  if (wanted > 0) return EXIT.unavailable
  return refused > 0 ? EXIT.rejects : EXIT.ok
}

/** What tells the order of a shipment is among what is forgotten. */
const AFTER_FORGETTING =
  'Where the contents of its file were forgotten, it is found by --shipment and --file only.'

function inWords({ route, document: { fileName, keyValues, shipmentId, problem } }: FetchedLabel): string {
  const which = keyValues.length === 0 ? `shipment ${shipmentId ?? 'without an id'}` : keyValues.join(' ')
  const what = `${route}: ${fileName}, ${which}`
  return problem === undefined ? what : `${what}: ${problemInWords(problem)}`
}

function asData({ route, document, path }: FetchedLabel): unknown {
  const { fileName: file, keyValues, shipmentId: shipment, kind, problem } = document
  return { route, file, keyValues, shipment, document: kind && DOCUMENT_KINDS[kind], path, problem }
}
