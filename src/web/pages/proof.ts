/** The page that proves what became of a record: each step with its event in the chain, and whether the chain is whole. */
import { type SendingReason, type ProofPage, type ProofStep, readProof } from '../../app/console/proof.ts'
import { type Html, href, html } from '../../support/html.ts'
import { definePage, type PageRequest } from '../page.ts'
import { showTime } from '../parts.ts'
import { DECIDED, drawCells, drawState, formatNumber } from './parts.ts'
import { formatSendings } from './records.ts'

export const proofPage = definePage<ProofPage>({
  path: '/records/:n/proof',
  permission: 'read',
  load: async (context, request) => {
    const { n = '' } = request.params
    return /^\d{1,15}$/.test(n) ? readProof(context, Number(n)) : undefined
  },
  draw: (proof, request) => {
    const { operation, key, id } = proof.record
    return { title: `Proof of ${operation} ${key ?? `#${id}`}`, main: drawProof(proof, request) }
  },
})

function drawProof(proof: ProofPage, request: PageRequest): Html {
  const { record, steps, requests } = proof
  const { id, direction, state, apiId, route, account, call, file } = record
  const at = apiId === undefined ? '' : ` as ${apiId} at the API`
  const lines = steps.map((step) => [
    showTime(step.at, request),
    drawStep(step, proof),
    html`${step.event}`,
    html`<code>${step.hash}</code>`,
  ])
  const sent = requests.map(({ attempt, beganAt, endedAt, http, isPresumed }) => [
    html`${attempt}${isPresumed && html` (perhaps)`}`,
    showTime(beganAt, request),
    endedAt === undefined ? html`never` : showTime(endedAt, request),
    html`${http ?? 'lost'}`,
  ])
  return html`<p>${drawState(state, direction)}${at}. ${formatSendings({ ...proof, direction })}</p>
    <p>
      <a href="${href('/records/:n', { n: id })}">Record ${id}</a> of route ${route},
      ${account}${call && html`: <code>${call}</code>`}
    </p>
    ${file?.sha256 && html`<p>It came in the file with the SHA-256 <code>${file.sha256}</code>.</p>`}
    ${drawChain(proof)}
    <h2>What happened</h2>

    ${drawCells('What happened, by the events of the chain', ['Time', 'What', 'Event', 'Hash'], lines)}
    ${
      sent.length > 0
        ? html`<h2>Requests</h2>
            ${drawCells('Requests', ['Attempt', 'Begun', 'Answered', 'HTTP status'], sent)}`
        : undefined
    }
    ${drawCheck(proof)}`
}

function drawChain({ chain, record }: ProofPage): Html {
  const { from, to, isWhole, isFromItsFirstEvent, isToTheEnd, head, findings } = chain
  const which = `Events ${formatNumber(from)} to ${formatNumber(to)}`
  const earlier = isFromItsFirstEvent
    ? undefined
    : html` Earlier events about the record were not searched for.`
  const later = isToTheEnd
    ? ' To the end of the chain nothing is missing.'
    : ` The events after them, up to ${formatNumber(head.event)}, were not checked.`
  if (isWhole)
    return html`<p>
      <strong>✓ Whole.</strong> ${which} and record ${record.id} are what was written.${earlier}${later}
    </p>`
  return html`<div class="problem" role="alert">
    <strong>✕ Not whole.</strong> ${which} or record ${record.id} are not what was written:
    <ul>
      ${findings.map(({ message }) => html`<li>${message}</li>`)}
    </ul>
    Run <code>dropbridge audit verify</code>: it checks the whole journal.
  </div>`
}

function drawCheck({ chain: { head }, record: { id } }: ProofPage): Html {
  return html`<h2>To check it</h2>
    <p>
      Each event with its hash is an anchor: the command checks that the chain still holds that very event.
      This is the last one of now.
    </p>
    <p><code>dropbridge audit verify --anchor ${head.event}:${head.hash}</code></p>
    <p>
      Printed, the proof holds no cells and no names of people, so it may be given to a partner. As data:
      <code>Accept: application/json</code> with <code>${href('/records/:n/proof', { n: id })}</code>.
    </p>`
}

const BECAUSE: Readonly<Record<SendingReason, string>> = {
  planned: 'it was planned',
  'proven-absent': 'the lookup found that the API does not have it',
  'never-left': 'the request before never left',
  'not-taken': 'the API answered that it took nothing then',
  repeatable: 'an acknowledgement may be repeated',
  decided: 'a person decided so',
  unknown: 'these events do not say why',
}

const FOUND = {
  there: 'it is there',
  absent: 'it is not there',
  unclear: 'whether it is there could not be found out',
} as const

function drawStep(step: ProofStep, { record }: ProofPage): Html {
  switch (step.what) {
    case 'intended': {
      const by = step.by === undefined ? '' : ` (event ${step.by})`
      return html`about to be sent, attempt ${step.attempt}, because ${BECAUSE[step.because]}${by}`
    }
    case 'noted':
      return html`noted what the API had before attempt ${step.attempt}`
    case 'answered': {
      const status = step.http === undefined ? '' : `HTTP ${step.http}, `
      const as = step.apiId === undefined ? '' : ` as ${step.apiId} at the API`
      return html`answered, attempt ${step.attempt}: ${status}${drawState(step.state, record.direction)}${as}`
    }
    case 'lost':
      return html`no answer, attempt ${step.attempt}: whether it took effect was not known`
    case 'not-sent':
      return html`attempt ${step.attempt} was taken back before its request`
    case 'looked-up': {
      const as = step.apiId === undefined ? '' : ` as ${step.apiId}`
      return html`looked up at the API: ${FOUND[step.found]}${as}`
    }
    case 'decided': {
      const action = DECIDED[step.action as keyof typeof DECIDED] ?? step.action
      const address = href('/decisions/:n', { n: step.decision })
      return html`<a href="${address}">decision ${step.decision}</a>: a person ${action} it`
    }
    case 'other':
      return drawOther(step, record)
  }
}

function drawOther(
  { kind, state, delivery }: Extract<ProofStep, { what: 'other' }>,
  { direction }: ProofPage['record'],
): Html {
  if (delivery !== undefined)
    return html`written into <a href="${href('/deliveries/:id', { id: delivery })}">delivery ${delivery}</a>`
  // What was read and is to be sent is planned.
  if (kind === 'records-planned' && state === 'planned')
    return html`read from its file, and planned to be sent`
  const became = state && html`: ${drawState(state, direction)}`
  return html`${KINDS[kind] ?? kind}${became}`
}

const KINDS: Readonly<Partial<Record<ProofStep['kind'], string>>> = {
  'records-planned': 'read from its file',
  'records-collected': 'seen at the API for the first time',
  'records-refreshed': 'seen at the API with other contents',
  'records-retried': 'tried again',
  'records-deferred': 'waits for other records',
  'records-held': 'waits for a person',
  'records-superseded': 'a later file has newer values',
  'records-refused': 'its file contradicts itself',
  'keys-decided': 'released, and compared with records of its key',
  'contents-pruned': 'its contents were removed',
}
