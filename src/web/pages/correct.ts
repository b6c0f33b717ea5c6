/** The page on which people correct refused rows. It works without script: what was typed travels with the form. */
import {
  type CellMark,
  type CorrectionForm,
  type CorrectionPage,
  readCorrectionPage,
  readTaking,
  type ShownUnit,
} from '../../app/console/correct.ts'
import type { ConsoleContext } from '../../app/console/context.ts'
import type { CorrectionGroup, Replacement } from '../../app/console/correct-groups.ts'
import type { EditableRow } from '../../app/console/correct-rows.ts'
import type { CellChange, EditableCell } from '../../app/console/correct-cells.ts'
import { type Html, href, html, joinHtml } from '../../support/html.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import { type ActionOutcome, type ActionRequest, definePage, type PageRequest, toRefusal } from '../page.ts'
import { showTime } from '../parts.ts'
import {
  drawRefusal,
  drawTakeChoice,
  drawTaking,
  formatRecords,
  isTakenByRun,
  readReason,
  REASON_MAX,
} from './forms.ts'
import { drawProblem, formatNumber, formatCount } from './parts.ts'

type Typed = Readonly<Record<string, string>>

export const correctPage = definePage<CorrectionPage>({
  path: '/files/:id/correct',
  permission: 'correct',
  load: (context, { params: { id = '' }, query, typed = {} }) =>
    readCorrectionPage(context, id, { ...parseForm(typed), ...parseLine(query['line']) }),
  listViews: ({ id }) => [{ kind: 'file', ref: id }],
  draw: (data, request) => ({ title: `Correct ${data.name}`, main: drawCorrection(data, request) }),
  async act(context, request) {
    return request.form['do'] === 'send' ? sendForm(context, request) : { again: true }
  },
})

async function sendForm(context: ConsoleContext, request: ActionRequest): Promise<ActionOutcome> {
  const { params, form, person, hand, now } = request
  const { id = '' } = params
  const reason = readReason(form)
  if ('refused' in reason) return refuse(reason.refused)
  const { changes, asTheyAre } = parseForm(form)
  const expected = form['expected'] ?? ''
  const asked = { file: id, changes, asTheyAre, by: person.name, why: reason.why, expected }
  const outcome = await hand.carryOut('correct', asked)
  if (outcome.kind === 'failed') return toRefusal(outcome.failure)
  if (outcome.kind === 'going-on') return { to: href('/files/:id', { id }) }
  const { result } = outcome
  if (result.kind === 'left') {
    const { id: n, by, why, takenAs } = result.correction
    // The same rows, sent by another person or with another reason: the first one stands.
    if (by !== person.name || why !== reason.why) return { to: href('/decisions/:n', { n, sent: 'before' }) }
    const route =
      takenAs === undefined && form['take'] === 'yes' ? await findRouteToRun(context, id) : undefined
    if (route === undefined) return { to: href('/decisions/:n', { n }) }
    return { to: href('/decisions/:n', { n, run: await hand.startRun({ route, by: person.name, at: now }) }) }
  }
  if (result.kind === 'changed')
    return refuse('The rows are not those that were checked. Nothing was sent.', 'Check again, then send.')
  const { by, name } = result.correction ?? {}
  const who =
    by === undefined ? 'Some of them wait for no correction any more' : `${by} sent some of them as ${name}`
  return refuse(`${who}. Nothing was sent.`, 'Load the page again: it shows what is left.')
}

/** The route of the file, where nothing takes its files by itself within moments. */
async function findRouteToRun(context: ConsoleContext, id: string): Promise<string | undefined> {
  const file = await context.journal.getFile(id)
  const taking = file && (await readTaking(context, file.route))
  return taking !== undefined && isTakenByRun(taking) ? taking.route : undefined
}

function refuse(message: string, fix?: string): ActionOutcome {
  return { refusal: { status: 409, message, ...(fix && { fix }) } }
}

// The form: `c-LINE-CELL` is the text of a cell, `as-LINE` sends rows as they are, `do` is the button, `checked` the last one was a check.

function parseForm(typed: Typed): CorrectionForm {
  const changes: CellChange[] = []
  const asTheyAre: number[] = []
  const replacements: Replacement[] = []
  for (const [name, text] of Object.entries(typed)) {
    const [, line, cell] = /^c-(\d{1,9})-(\d{1,6})$/.exec(name) ?? []
    if (line !== undefined) changes.push({ line: Number(line), cell: Number(cell), text })
    const [, as] = /^as-(\d{1,9})$/.exec(name) ?? []
    if (as !== undefined) asTheyAre.push(Number(as))
    const [, of] = /^apply-(\d{1,6})$/.exec(name) ?? []
    if (of !== undefined) replacements.push({ group: Number(of), text })
  }
  const [action = '', number = ''] = (typed['do'] ?? '').split('-')
  const group = Number(number)
  const page = action === 'page' ? group : Number(typed['page'] ?? '1')
  // Another page of what was checked shows what became of its records, so it is checked again.
  const isTurned = (action === 'page' || action === 'line') && typed['checked'] === 'yes'
  return omitUndefined({
    changes,
    asTheyAre,
    page: Number.isInteger(page) ? page : 1,
    line: action === 'line' ? group : undefined,
    isCheck: action === 'check' || action === 'send' || isTurned ? (true as const) : undefined,
    replacements: action === 'check' ? replacements : undefined,
    apply: action === 'apply' ? { group, text: typed[`apply-${group}`] ?? '' } : undefined,
  })
}

/** The row that a link leads to; a form that is sent names its page instead. */
function parseLine(text = ''): Pick<CorrectionForm, 'line'> {
  return /^\d{1,9}$/.test(text) ? { line: Number(text) } : {}
}

function drawCorrection(data: CorrectionPage, request: PageRequest): Html {
  const { id, name, missing, records, underWay, rows } = data
  const back = html`<p><a href="${href('/files/:id', { id })}">Back to ${name}</a></p>`
  if (missing !== undefined)
    return html`${drawRefusal(request)}
      <p>Nothing of it can be corrected here. ${missing}</p>
      ${drawCorrections(data, request)} ${back}`
  if (records === 0)
    return html`${drawRefusal(request)}
      <p>No record of it waits for a correction.</p>
      ${drawCorrections(data, request)} ${back}`
  const waiting =
    underWay === 0
      ? ''
      : ` Of these, ${formatNumber(underWay)} were corrected and wait to be taken; ${formatNumber(records - underWay)} are left.`
  const total = `${formatRecords(records)} in ${formatCount(rows, 'row')} ${records === 1 ? 'was' : 'were'} refused.${waiting} Nothing is sent before you send it.`
  return html`${drawRefusal(request)} ${drawCorrections(data, request)}
    <p>${total}</p>
    <form method="post" action="${href('/files/:id/correct', { id })}" class="correction">
      <input type="hidden" name="csrf" value="${request.csrf}" />
      <input type="hidden" name="once" value="${request.once}" />
      <input type="hidden" name="page" value="${data.page}" />
      ${drawChecking()} ${drawSending(data, request)} ${drawGroups(data, request)} ${drawElsewhere(data)}
      ${data.units.map((unit) => drawUnit(unit, data))} ${drawPages(data)} ${drawChecking()}
    </form>
    ${back}`
}

function drawCorrections({ corrections, taking }: CorrectionPage, request: PageRequest): Html | undefined {
  const shown = corrections.filter(({ givenUpAt }) => givenUpAt === undefined)
  if (shown.length === 0) return undefined
  const lines = shown.map(({ id, name, by, at, records, takenAs, isFinished, leftAt }) => {
    const as =
      takenAs === undefined
        ? html`${name}`
        : html`<a href="${href('/files/:id', { id: takenAs })}">${name}</a>`
    const state = isFinished
      ? 'It is done.'
      : takenAs !== undefined
        ? 'The bridge works on it.'
        : WAITING[leftAt === undefined ? 'begun' : 'left']
    const decision = href('/decisions/:n', { n: id })
    return html`<li>
      ${showTime(at, request)} ${by} corrected <a href="${decision}">${formatRecords(records)}</a> as ${as}.
      ${state}
    </li>`
  })
  const waits = shown.some(({ takenAs, leftAt }) => takenAs === undefined && leftAt !== undefined)
  return html`<ul>
      ${lines}
    </ul>
    ${waits ? drawTaking(taking, request) : undefined}`
}

const WAITING = {
  begun: 'Its file is not in the inbox yet. If it stays so, correct the records and send them again.',
  left: 'It lies in the inbox and is not taken yet.',
}

function drawGroups(data: CorrectionPage, { typed = {} }: PageRequest): Html | undefined {
  const { groups, changes } = data
  if (groups.length === 0) return undefined
  const texts = new Map(changes.map((change) => [`${change.line} ${change.cell}`, change.text]))
  return html`<section aria-labelledby="problems">
    <h2 id="problems">Problems</h2>
    ${groups.map(
      (group) =>
        html`<div class="group">
          ${drawGroup(group, texts, typed[`apply-${group.number}`])} ${drawNames(group, data)}
        </div>`,
    )}
  </section>`
}

/** Which records they are, with what stands beside the cell where that differs; each leads to its first cell. */
function drawNames({ units, cells, records, isMixed }: CorrectionGroup, data: CorrectionPage): Html {
  const names = units.map(({ line, key, beside }) => {
    const cell = cells.find((each) => each.line === line)
    const place = cell === undefined ? `unit-${line}` : `c-${line}-${cell.cell}`
    return html`${drawJump({ line, key }, place, data)}${isMixed && beside !== '' ? ` (${beside})` : ''}`
  })
  const more = records > units.length ? ` and ${formatNumber(records - units.length)} more` : ''
  if (isMixed)
    return html`<p>
      <strong>These rows differ:</strong> ${joinHtml(names, ', ')}${more}. One text for all of them may be
      wrong: give each its own where they need different ones.
    </p>`
  const beside = units[0]?.beside ?? ''
  return html`<p>${joinHtml(names, ', ')}${more}${beside === '' ? '' : `: ${beside}`}</p>`
}

/** Leads to a record; on another page of the list, with what was typed. */
function drawJump({ line, key }: { line: number; key: string }, place: string, data: CorrectionPage): Html {
  const name = key === '' ? `line ${line}` : key
  if (data.units.some((unit) => unit.line === line)) return html`<a href="#${place}">${name}</a>`
  const address = `${href('/files/:id/correct', { id: data.id })}#${place}`
  return html`<button class="jump" name="do" value="line-${line}" formaction="${address}">${name}</button>`
}

/** `texts`: what was typed or applied, by line and cell. `replacement`: what was typed to be applied. */
function drawGroup(
  { number, problem, column, text = '', records, cells }: CorrectionGroup,
  texts: ReadonlyMap<string, string>,
  replacement: string = text,
): Html {
  const changed = cells
    .flatMap(({ line, cell }) => texts.get(`${line} ${cell}`) ?? [])
    .filter((each) => each !== text)
  const state =
    changed.length === 0 ? undefined : html`<p role="status">${describeChanged(changed, cells.length)}</p>`
  // A line that cannot be divided has no cell of its column.
  const value = cells.length === 0 ? '' : text === '' ? ' blank' : ` “${text}”`
  const what = column === undefined ? formatRecords(records) : `${formatRecords(records)}: ${column}${value}`
  const own = records === 1 ? 'this' : `these ${formatNumber(records)}`
  const id = `apply-${number}`
  const apply =
    cells.length === 0
      ? undefined
      : html`<p class="buttons">
          <label for="${id}">Replace with</label>
          <input id="${id}" name="${id}" value="${replacement}" autocomplete="off" />
          <button name="do" value="${id}">Apply to ${own}</button>
        </p>`
  return html`<p><strong>${what}</strong></p>
    ${drawProblem({ ...problem, place: '' })} ${apply} ${state}`
}

/** `Now “NY” in all 5 rows of it. Check shows whether it would be sent.` */
function describeChanged(changed: readonly string[], all: number): string {
  const [first = ''] = changed
  const what = changed.every((each) => each === first)
    ? `Now ${first === '' ? 'blank' : `“${first}”`}`
    : 'Changed'
  const rows =
    changed.length === all
      ? `all ${formatCount(all, 'row')}`
      : `${formatNumber(changed.length)} of ${formatCount(all, 'row')}`
  return `${what} in ${all === 1 ? 'the row' : rows} of it. Check shows whether it would be sent.`
}

/** What was typed on other pages of the same form. */
function drawElsewhere({ changes, asTheyAre, units }: CorrectionPage): Html {
  const here = new Set(units.flatMap(({ rows }) => rows.map(({ line }) => line)))
  const shown = new Set(units.map(({ line }) => line))
  return html`${changes
    .filter(({ line }) => !here.has(line))
    .map(({ line, cell, text }) => html`<input type="hidden" name="c-${line}-${cell}" value="${text}" />`)}
  ${asTheyAre
    .filter((line) => !shown.has(line))
    .map((line) => html`<input type="hidden" name="as-${line}" value="yes" />`)}`
}

function drawUnit(unit: ShownUnit, data: CorrectionPage): Html {
  const { line, key, problems, rows, isUnderWay } = unit
  const texts = new Map(data.changes.map((change) => [`${change.line} ${change.cell}`, change.text]))
  const title = key === '' ? `Line ${line}` : key
  const id = `unit-${line}`
  if (isUnderWay)
    return html`<section aria-labelledby="${id}">
      <h2 id="${id}">${title}</h2>
      <p>It was corrected, and its file is on its way.</p>
    </section>`
  const isChosen = data.asTheyAre.includes(line) ? html`checked` : undefined
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${problems.map(drawProblem)} ${drawVerdict(unit)} ${rows.map((row) => drawRow(row, unit, texts))}
    <p>
      <label
        ><input type="checkbox" name="as-${line}" value="yes" ${isChosen} /> Send it again as it is</label
      >
    </p>
  </section>`
}

const VERDICTS = {
  sent: '✓ It would be sent.',
  known: '= It was sent before: it would be a duplicate or a conflict, so it is left out.',
  refused: '✕ It would still be refused, so it is left out.',
  held: '‖ It would be held, so it is left out.',
  skipped: '– The mapping would skip it, so it is left out.',
  'left-out': '– Nothing of it was changed, so it is left out.',
} as const

function drawVerdict({ verdict }: ShownUnit): Html | undefined {
  if (verdict === undefined) return undefined
  const { what, problems, warnings } = verdict
  const state = { sent: 'accepted', refused: 'rejected', held: 'held', known: 'duplicate' } as const
  const look = what in state ? state[what as keyof typeof state] : 'skipped'
  return html`<p><span class="${look}">${VERDICTS[what]}</span></p>
    ${problems.map(drawProblem)} ${warnings.map(drawProblem)}`
}

/** Cells that nothing is said of are folded, with their texts on the fold: a page has many rows, and a row may have fifty. */
function drawRow({ line, cells }: EditableRow, unit: ShownUnit, texts: ReadonlyMap<string, string>): Html {
  const isMarked = ({ cell }: EditableCell) =>
    unit.marks.some((each) => each.line === line && each.cell === cell)
  const typed = ({ cell }: EditableCell) => texts.get(`${line} ${cell}`)
  const isOpen = (cell: EditableCell) =>
    isMarked(cell) || cell.isWholeLine === true || (typed(cell) ?? cell.text) !== cell.text
  const draw = (cell: EditableCell) => drawCell(cell, { line, unit, text: typed(cell) ?? cell.text })
  const folded = cells.filter((cell) => !isOpen(cell))
  const values = folded.flatMap(({ text }) => (text === '' ? [] : [text]))
  const rest =
    folded.length === 0
      ? undefined
      : html`<details ${unit.marks.length === 0 ? html`open` : undefined}>
          <summary>${formatCount(folded.length, 'more cell')}: ${values.join(' · ')}</summary>
          <div>${folded.map(draw)}</div>
        </details>`
  return html`<fieldset class="row" id="row-${line}">
    <legend>Line ${line}</legend>
    ${cells.filter(isOpen).map(draw)} ${rest}
  </fieldset>`
}

function drawCell(
  cell: EditableCell,
  { line, unit, text }: { readonly line: number; readonly unit: ShownUnit; readonly text: string },
): Html {
  const name = `c-${line}-${cell.cell}`
  const mark = unit.marks.find((each) => each.line === line && each.cell === cell.cell)
  const described = mark && findDescribed(unit, mark)
  const label = cell.isWholeLine === true ? 'Whole line' : cell.column || `Cell ${cell.cell + 1}`
  const about = described && html`aria-invalid="true" aria-describedby="${described}"`
  const room = cell.room === undefined ? undefined : html`<small>at most ${cell.room}</small>`
  // An input would lose line breaks; a text area drops the first one.
  const field = text.includes('\n')
    ? html`<textarea id="${name}" name="${name}" rows="2" ${about}>${`\n${text}`}</textarea>`
    : html`<input
        id="${name}"
        name="${name}"
        value="${text}"
        autocomplete="off"
        spellcheck="false"
        ${about}
      />`
  const wide = cell.isWholeLine === true ? 'wide-cell' : ''
  return html`<div class="${wide}">
    <label for="${name}">${label}</label> ${room}${field}
    ${
      mark?.isRepeated === true
        ? html`<p class="problem">✕ as above</p>`
        : mark && html`<p class="problem" id="${described}">✕ ${mark.message}</p>`
    }
  </div>`
}

/** The id of the words about a cell: of a repeated one, those beside the first. */
function findDescribed({ marks }: ShownUnit, mark: CellMark): string {
  const first =
    mark.isRepeated === true
      ? (marks.find((each) => each.isRepeated === undefined && each.message === mark.message) ?? mark)
      : mark
  return `c-${first.line}-${first.cell}-error`
}

function drawPages({ page, pages }: CorrectionPage): Html | undefined {
  if (pages === 1) return undefined
  const numbers = Array.from({ length: pages }, (_, index) => index + 1)
  return html`<p class="buttons">
    Page ${page} of ${pages}
    ${numbers
      .filter((each) => each !== page)
      .map((each) => html`<button name="do" value="page-${each}">Page ${each}</button>`)}
  </p>`
}

/** The form begins and ends with it: Enter in a field presses the first button of a form. */
function drawChecking(): Html {
  return html`<p class="buttons">
    <button name="do" value="check">Check</button> Check shows what would be sent, and sends nothing.
  </p>`
}

/** Stands first, because a browser shows the top of the page that answers. */
function drawSending(data: CorrectionPage, request: PageRequest): Html | undefined {
  const { check, taking } = data
  if (check === undefined) return undefined
  const { typed = {} } = request
  const { ready, leftOut, name, sha256, warned } = check
  const rest = leftOut === 0 ? '' : ` ${formatCount(leftOut, 'record stays', 'records stay')} refused.`
  const checked = html`<input type="hidden" name="checked" value="yes" />`
  if (ready === 0)
    return html`<p role="status" tabindex="-1" autofocus>Nothing would be sent.${rest}</p>
      ${drawLeft(check, data)} ${checked}`
  return html`<section aria-labelledby="checked">
    <h2 id="checked" tabindex="-1" autofocus>What would be sent</h2>
    <p role="status">
      ${formatRecords(ready)} would be sent as
      ${name}.${rest}${warned === 0 ? '' : ` Read the ${formatCount(warned, 'warning')} below first.`}
      Whatever you change after this needs another check.
    </p>
    ${drawLeft(check, data)} ${checked}
    <input type="hidden" name="expected" value="${sha256}" />
    <label for="why">Why</label>
    <input id="why" name="why" value="${typed['why']}" maxlength="${REASON_MAX}" autocomplete="off" />
    <p>The reason and your name are kept with the decision.</p>
    ${drawTakeChoice(taking, request)}
    <p class="buttons"><button name="do" value="send">Send ${formatRecords(ready)}</button></p>
  </section>`
}

/** Which records stay refused, and why. */
function drawLeft(
  { left, leftMore }: NonNullable<CorrectionPage['check']>,
  data: CorrectionPage,
): Html | undefined {
  if (left.length === 0) return undefined
  const kinds = [...new Set(left.map(({ what }) => what))]
  const lines = kinds.map((kind) => {
    const own = left.filter(({ what }) => what === kind)
    const names = own.map((each) => drawJump(each, `unit-${each.line}`, data))
    return html`<li>${LEFT[kind]}: ${joinHtml(names, ', ')}</li>`
  })
  return html`<ul>
    ${lines} ${leftMore === 0 ? undefined : html`<li>and ${formatNumber(leftMore)} more</li>`}
  </ul>`
}

const LEFT = {
  refused: 'Still wrong',
  known: 'Sent before',
  held: 'Would be held',
  skipped: 'Skipped by the mapping',
  'left-out': 'Not changed',
} as const
