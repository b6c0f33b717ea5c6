/** The page of what people decided. */
import { type DecisionsPage, listDecisions } from '../../app/console/decisions.ts'
import { type Html, href, html } from '../../support/html.ts'
import { showTime } from '../parts.ts'
import { definePage, type PageRequest } from '../page.ts'
import {
  DECIDED,
  drawDeliveryLink,
  drawFileLink,
  drawNext,
  drawRecordLink,
  drawCells,
  formatNumber,
  formatTotal,
  readFilter,
} from './parts.ts'

export const decisionsPage = definePage<DecisionsPage>({
  path: '/decisions',
  permission: 'read',
  load: (context, request) => {
    const after = readFilter(request, 'after')
    return listDecisions(
      context,
      after !== undefined && /^\d{1,15}$/.test(after) ? { after: Number(after) } : {},
    )
  },
  draw: (data, request) => ({ title: 'Decisions', main: drawDecisions(data, request) }),
})

function drawDecisions({ decisions, total, next }: DecisionsPage, request: PageRequest): Html {
  if (total.count === 0) return html`<p>No person has decided anything yet.</p>`
  const rows = decisions.map(({ at, by, action, file, delivery, record, route, records, why }) => [
    showTime(at, request),
    html`${by}`,
    html`${DECIDED[action]}`,
    html`${file && drawFileLink(file)}${delivery && drawDeliveryLink(delivery)}${
      record && html` ${drawRecordLink(record)}`
    }`,
    html`${route}`,
    html`${formatNumber(records)}`,
    html`${why}`,
  ])
  const older = next === undefined ? undefined : href('/decisions', { after: next })
  return html`<p>${formatTotal(total, 'decision')}, newest first.</p>
    ${drawCells('Decisions', ['When', 'Who', 'What', 'On', 'Route', 'Records', 'Why'], rows)}
    ${drawNext(older, 'older')}`
}
