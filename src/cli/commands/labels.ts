/** `dropbridge labels`: fetches packing slips and labels of created shipments again. */
import type { FetchedLabel, LabelsRequest } from '../../app/labels.ts'
import { DOCUMENT_KINDS } from '../../domain/shipping-document.ts'
import { EXIT, type ExitCode } from '../../support/errors.ts'
import { CONFIG_FLAG, defineCommand, JSON_FLAG, type OptionValues, text } from '../command.ts'
import { readConfiguration, resolvePath, withBridge } from '../context.ts'
import { formatProblem } from '../format/text.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import type { Terminal } from '../terminal.ts'

const OPTIONS = {
  config: CONFIG_FLAG,
  route: text('Only of shipments of this route'),
  file: text('Only of shipments from the files of this name'),
  po: text('Only of shipments of this purchase order number'),
  shipment: text('Only of the shipment with this id'),
  out: text('A folder for copies, instead of the folder of the route'),
  json: { ...JSON_FLAG, describe: 'Print data for programs, a line for each' },
} as const

type LabelsOptions = OptionValues<typeof OPTIONS>

/** Reports each document as it comes: where it is, or why it could not be fetched. */
export const labelsCommand = defineCommand({
  options: OPTIONS,
  async run(terminal, options) {
    const configuration = await readConfiguration(terminal, options.config)
    const request = readRequest(terminal, options)
    const count = { delivered: 0, refused: 0, wanted: 0 }
    const onDocument = (label: FetchedLabel) => {
      const outcome = label.path !== undefined ? 'delivered' : findLabelOutcome(label)
      count[outcome]++
      if (options.json) terminal.out(JSON.stringify(labelToJson(label)))
      else if (label.path !== undefined) terminal.out(label.path)
      if (label.document.problem !== undefined) terminal.say(formatLabel(label))
    }
    await withBridge(terminal, configuration, (bridge) =>
      bridge.fetchLabels(request, { signal: terminal.signal, onDocument }),
    )
    return reportTotals(terminal, request, count)
  },
})

function readRequest(terminal: Terminal, { route, file, po, shipment, out }: LabelsOptions): LabelsRequest {
  const folder = out === undefined ? undefined : resolvePath(terminal, out)
  return omitUndefined({ route, fileName: file, purchaseOrderNumber: po, shipmentId: shipment, out: folder })
}

/** An earlier copy that could not be fetched again counts as missing: the bridge cannot know whether it still exists. */
function findLabelOutcome({ document }: FetchedLabel): 'refused' | 'wanted' {
  const code = document.problem?.code
  return code === 'document-refused' || code === 'document-pruned' ? 'refused' : 'wanted'
}

function reportTotals(
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
    terminal.say(named.purchaseOrderNumber === undefined ? none : `${none} ${PRUNED_NOTE}`)
    return EXIT.rejects
  }
  const failures = `${refused > 0 ? `, ${refused} refused` : ''}${wanted > 0 ? `, ${wanted} missing` : ''}`
  terminal.say(`${delivered} fetched${failures}`)
  if (wanted > 0) return EXIT.unavailable
  return refused > 0 ? EXIT.rejects : EXIT.ok
}

/** Pruning removes the reference from a shipment to its order too. */
const PRUNED_NOTE = 'Where the contents of its file were pruned, it is found by --shipment and --file only.'

function formatLabel({ route, document }: FetchedLabel): string {
  const { fileName, keyValues, shipmentId, problem } = document
  const which = keyValues.length === 0 ? `shipment ${shipmentId ?? 'without an id'}` : keyValues.join(' ')
  const what = `${route}: ${fileName}, ${which}`
  return problem === undefined ? what : `${what}: ${formatProblem(problem)}`
}

function labelToJson({ route, document, path }: FetchedLabel): unknown {
  const { fileName: file, keyValues, shipmentId: shipment, kind, problem } = document
  return { route, file, keyValues, shipment, document: kind && DOCUMENT_KINDS[kind], path, problem }
}
