/** The pages of incoming files: the list, and one file with what came of each record. */
import type { FileDownload } from '../../app/console/contents.ts'
import {
  DOWNLOADS,
  type FilePage,
  type FilesPage,
  type FileStep,
  listFiles,
  type ListedFile,
  type ListedRecord,
  readFileDownload,
  readFilePage,
} from '../../app/console/files.ts'
import type { SourceRow } from '../../app/console/source-rows.ts'
import { OUTCOMES, type RecordState } from '../../domain/record.ts'
import { type Html, href, html, joinHtml, renderInlineCode } from '../../support/html.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import { drawLive, nameState, showTime } from '../parts.ts'
import { definePage, type PageRequest } from '../page.ts'
import { drawFileButtons, drawWaiting, formatRecords } from './forms.ts'
import {
  DECIDED,
  drawChoice,
  drawCellText,
  drawCounts,
  drawFileCounts,
  REFUSED_FATES,
  drawFileLink,
  drawFileState,
  drawNext,
  drawObstacle,
  drawProblem,
  drawRecordLink,
  drawState,
  drawCells,
  formatLines,
  formatNumber,
  formatTotal,
  linkTo,
  readFilter,
  toDownloaded,
  formatCount,
  toViews,
} from './parts.ts'

export const filesPage = definePage<FilesPage>({
  path: '/files',
  permission: 'read',
  load: (context, request) => {
    const filters = omitUndefined({
      route: readFilter(request, 'route'),
      name: readFilter(request, 'name'),
      day: readFilter(request, 'day'),
      after: readFilter(request, 'after'),
      isTroubled: readFilter(request, 'outcome') === 'trouble' ? (true as const) : undefined,
    })
    return listFiles(context, { ...filters, zone: request.zone }, request.audience)
  },
  draw: (data, request) => ({ title: 'Files', main: drawFiles(data, request) }),
})

function drawFiles({ files, total, next, routes, near }: FilesPage, request: PageRequest): Html {
  const older = next === undefined ? undefined : linkTo('/files', request, { after: next })
  const first =
    readFilter(request, 'after') === undefined ? undefined : linkTo('/files', request, { after: undefined })
  const head = ['File', 'Route', 'Received', 'Records', 'State']
  const rows = files.map((file) => drawFileCells(file, request))
  const ids = files.map(({ id }) => `file-${id}`)
  const list = html`<p>${formatTotal(total, 'file')}, newest first, received by ${request.zone}.</p>
    ${files.length === 0 ? drawNoFiles(near, request) : drawCells('Files', head, rows, ids)}
    ${first && html`<p><a href="${first}">newest</a></p>`} ${drawNext(older, 'older')}`
  return html`${drawFilters(routes, request)} ${drawLive('list', list)}`
}

function drawFilters(routes: readonly string[], request: PageRequest): Html {
  const isTroubled = readFilter(request, 'outcome') === 'trouble'
  return html`<form method="get" action="/files" class="filters">
    ${drawChoice({ name: 'route', label: 'Route', all: 'all' }, routes, readFilter(request, 'route'))}
    <label
      ><input type="checkbox" name="outcome" value="trouble" ${isTroubled ? html`checked` : undefined} /> with
      trouble</label
    >
    <label>Day <input type="date" name="day" value="${readFilter(request, 'day')}" /></label>
    <label>Name <input type="search" name="name" value="${readFilter(request, 'name')}" /></label>
    <button>Show</button>
  </form>`
}

function drawNoFiles(near: readonly string[], request: PageRequest): Html {
  const names = near.map((name) => html`<a href="${linkTo('/files', request, { name })}">${name}</a>`)
  const alike = near.length === 0 ? undefined : html`<p>Names like it: ${joinHtml(names, ', ')}</p>`
  return html`<p>No file matches. Files come here once a route takes them from its inbox.</p>
    ${alike}`
}

function drawFileCells(file: ListedFile, request: PageRequest): readonly Html[] {
  return [
    drawFileLink(file),
    html`${file.route}`,
    showTime(file.receivedAt, request),
    drawFileCounts(file),
    drawFileState(file),
  ]
}

// One file.

export const filePage = definePage<FilePage>({
  path: '/files/:id',
  permission: 'read',
  load: (context, request) => {
    const asked = { only: readFilter(request, 'state'), after: readFilter(request, 'after') }
    const { id = '' } = request.params
    return readFilePage(context, omitUndefined({ id, ...asked }), request.audience)
  },
  listViews: ({ page }) => toViews(page),
  draw: (data, request) => ({ title: data.name, main: drawFile(data, request) }),
})

function drawFile(file: FilePage, request: PageRequest): Html {
  return drawLive(
    'file',
    html`${drawHead(file, request)} ${file.problems.map(drawProblem)} ${drawStateLinks(file, request)}
    ${drawReasons(file)} ${drawRecords(file, request)} ${drawDecided(file, request)}
    ${drawNames(file, request)}`,
  )
}

const STEPS: Readonly<Record<FileStep['what'], string>> = {
  claimed: 'taken from the inbox',
  received: 'copied, to be read',
  planned: 'read',
  reopened: 'reopened by a decision',
  submitted: 'sent',
  closed: 'archived',
}

function drawHead(file: FilePage, request: PageRequest): Html {
  const { id, route, folder, size, encoding, duplicateOf, partOf, retakeOf, timeline } = file
  const first = duplicateOf && html`<p>The same bytes came before as ${drawFileLink(duplicateOf)}.</p>`
  const whole =
    partOf && html`<p>It is a part of ${drawFileLink({ id: partOf, name: `file ${partOf}` })}.</p>`
  const taken =
    retakeOf && html`<p>It is ${drawFileLink({ id: retakeOf, name: `file ${retakeOf}` })}, taken again.</p>`
  const details = [`id ${id}`, `route ${route}`, `from ${folder}`, formatCount(size, 'byte')]
  return html`<p>${[...details, ...(encoding === undefined ? [] : [encoding])].join(' · ')}</p>
    <p>${drawFileState(file)}: ${drawCounts(file.records)}</p>
    ${drawRefused(file)} ${file.waiting.map((each) => drawWaiting(each, request))}
    ${drawFileButtons(id, file.decidable, request)} ${drawCorrectLink(file, request)}
    ${drawDismissLink(file, request)} ${first || undefined} ${whole || undefined} ${taken || undefined}
    ${drawCorrected(file)}
    <ol class="timeline">
      ${timeline.map(({ at, what }) => html`<li>${showTime(at, request)} ${STEPS[what]}</li>`)}
    </ol>`
}

/** `54 were refused: 5 sent again since, 49 left.` Nothing where none is corrected or given up. */
function drawRefused({ refused }: FilePage): Html | undefined {
  const { corrected, dismissed, underWay, open } = refused
  if (corrected + dismissed + underWay === 0) return undefined
  const all = corrected + dismissed + underWay + open
  const parts = [
    ...(corrected === 0 ? [] : [`${formatNumber(corrected)} ${REFUSED_FATES.corrected}`]),
    ...(dismissed === 0 ? [] : [`${formatNumber(dismissed)} ${REFUSED_FATES.dismissed}`]),
    ...(underWay === 0 ? [] : [`${formatNumber(underWay)} ${REFUSED_FATES.underWay}`]),
    `${formatNumber(open)} left`,
  ]
  return html`<p>${formatCount(all, 'was', 'were')} refused: ${parts.join(', ')}.</p>`
}

/** Leads to the form on which its refused records are corrected. */
function drawCorrectLink(file: FilePage, { may }: PageRequest): Html | undefined {
  const { id, correctable, correctingMissing, names } = file
  const rejects = names.rejects && html` Its rejects file is ${names.rejects}.`
  if (correctingMissing !== undefined)
    return html`<p>What is refused cannot be corrected here. ${correctingMissing}${rejects}</p>`
  if (correctable === undefined) return undefined
  if (!may('correct')) return html`<p>An operator can correct ${formatRecords(correctable)} of it here.</p>`
  const address = href('/files/:id/correct', { id })
  return html`<p class="buttons">
    <a class="button" href="${address}">Correct ${formatRecords(correctable)} …</a>
  </p>`
}

function drawDismissLink({ id, isDismissible }: FilePage, { may }: PageRequest): Html | undefined {
  if (!isDismissible || !may('operate')) return undefined
  const address = href('/files/:id/dismiss', { id })
  return html`<p class="buttons"><a class="button" href="${address}">Dismiss what is refused …</a></p>`
}

function drawCorrected({ correctionOf }: FilePage): Html | undefined {
  if (correctionOf === undefined) return undefined
  return html`<p>It holds corrected rows of ${drawFileLink(correctionOf)}.</p>`
}

function drawStateLinks({ id, records, only }: FilePage, { query }: PageRequest): Html {
  const states = (Object.keys(records) as RecordState[]).filter((state) => (records[state] ?? 0) > 0)
  const all = Object.values(records).reduce((sum, count) => sum + count, 0)
  const draw = (state: RecordState | undefined, count: number) => {
    const address = href('/files/:id', { ...query, id, state, after: undefined })
    const isShown = state === only ? html`aria-current="true"` : undefined
    return html`<a href="${address}" ${isShown}
      >${formatNumber(count)} ${state === undefined ? 'in all' : nameState(state)}</a
    >`
  }
  const links = [draw(undefined, all), ...states.map((state) => draw(state, records[state] ?? 0))]
  return html`<nav aria-label="Records by state"><p>${joinHtml(links, ' · ')}</p></nav>`
}

function drawReasons({ reasons, reasonsOf }: FilePage): Html | undefined {
  if (reasons.length === 0) return undefined
  const of = reasonsOf === undefined ? '' : ` of the first ${formatCount(reasonsOf, 'record')} with problems`
  const hasCorrected = reasons.some(({ corrected }) => corrected > 0)
  const rows = reasons.map(({ code, title, fix, column = '', records, corrected, isWarning }) => [
    html`${formatNumber(records - corrected)}`,
    ...(hasCorrected ? [html`${formatNumber(corrected)}`] : []),
    html`${isWarning ? 'Warning: ' : undefined}${renderInlineCode(title)} <code>${code}</code>`,
    html`${column}`,
    renderInlineCode(fix),
  ])
  const counts = hasCorrected ? ['Open', 'Corrected or given up'] : ['Records']
  const head = [...counts, 'Problem', 'Column', 'Fix']
  return html`<h2>Problems</h2>
    ${drawCells(`Problems by code and column${of}`, head, rows)}`
}

/** With the columns of the source where its rows are there, else without. */
function drawRecords(file: FilePage, request: PageRequest): Html {
  const { id, page, next, only, sourceMissing } = file
  const more = next === undefined ? undefined : href('/files/:id', { ...request.query, id, after: next })
  const note = sourceMissing && html`<p>The rows of the source are not shown. ${sourceMissing}</p>`
  const which = only === undefined ? 'those that wait for a person first' : `only ${only}`
  if (page.length === 0)
    return html`<h2>Records</h2>
      <p>No records${only === undefined ? '' : ` are ${only}`}.</p>`
  const rows = page.map((record) => [
    html`${formatLines(record.lines)}`,
    drawRecordLink(record),
    drawOutcome(record),
    drawRows(record),
  ])
  const head = ['Lines', 'Record', 'Outcome', 'Rows of the source']
  const ids = page.map((record) => `record-${record.id}`)
  return html`<h2>Records</h2>
    ${note || undefined} ${drawCells(`Records, ${which}`, head, rows, ids)} ${drawNext(more, 'next records')}`
}

function drawOutcome({ state, apiId, http, problems, fate }: ListedRecord): Html {
  const as = apiId === undefined ? '' : ` as ${apiId}`
  const status = http === undefined ? '' : `, HTTP ${http}`
  const title = state in OUTCOMES ? OUTCOMES[state as keyof typeof OUTCOMES] : ''
  const what = html`<span title="${title}">${drawState(state)}</span>${as}${status}`
  if (fate === undefined) return html`${what} ${problems.map(drawProblem)}`
  return html`${what}, <strong>${REFUSED_FATES[fate]}</strong>
    <details>
      <summary>${formatCount(problems.length, 'problem')}</summary>
      ${problems.map(drawProblem)}
    </details>`
}

/** Folded where nothing is wrong with the record any more: a page has 200 of them. */
function drawRows({ rows, problems, fate }: ListedRecord): Html {
  if (rows.length === 0) return html``
  const all = rows.map(drawRow)
  if (problems.length > 0 && fate === undefined) return html`${all}`
  return html`<details>
    <summary>${formatCount(rows.length, 'row')}</summary>
    ${all}
  </details>`
}

function drawRow({ line, columns, cells }: SourceRow): Html {
  const pairs = [['line', String(line)], ...cells.map((cell, at) => [columns[at] ?? `${at + 1}`, cell])]
  return html`<dl class="cells">
    ${pairs.map(
      ([name, cell]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${drawCellText(cell ?? '')}</dd>
        </div>`,
    )}
  </dl>`
}

function drawDecided({ decisions }: FilePage, request: PageRequest): Html | undefined {
  if (decisions.length === 0) return undefined
  const lines = decisions.map(
    ({ id, at, by, action, why, records }) =>
      html`<li>
        ${showTime(at, request)} ${by} ${DECIDED[action]}
        <a href="${href('/decisions/:n', { n: id })}">${formatRecords(records)}</a>: ${why}
      </li>`,
  )
  return html`<h2>Decisions</h2>
    <ul>
      ${lines}
    </ul>`
}

function drawNames({ id, names, sourceMissing }: FilePage, { may }: PageRequest): Html | undefined {
  const mayDownload = may('download')
  const all = Object.entries(names).map(([what, name]) => {
    const download = DOWNLOADS.find((each) => each === what)
    const link =
      download &&
      mayDownload &&
      html` <a href="${href(`/files/:id/${download}`, { id })}">Download the ${what}</a>`
    return html`<dt>${what}</dt>
      <dd>${name}${link || undefined}</dd>`
  })
  if (all.length === 0) return sourceMissing === undefined ? undefined : html`<p>${sourceMissing}</p>`
  return html`<h2>Files made of it</h2>
    <dl>${all}</dl>`
}

/** The two pages that a browser keeps as files. */
export const fileDownloadPages = DOWNLOADS.map((what) =>
  definePage<FileDownload>({
    path: `/files/:id/${what}`,
    permission: 'download',
    load: (context, { params: { id = '' } }) => readFileDownload(context, id, what),
    listViews: ({ of }) => [{ kind: 'file', ref: of.id }],
    draw: ({ name, of, missing }) => ({
      title: `Download ${name}`,
      main: html`<p>${drawFileLink(of)}</p>
        ${missing && drawObstacle(missing)}`,
    }),
    download: toDownloaded,
  }),
)
