import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadConfiguration } from '../../src/config/load.ts'
import { listScannedInboxes } from '../../src/config/routes.ts'
import { hasCode } from '../../src/support/errors.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dropbridge-edi-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const BRIDGE = `api: { baseUrl: "https://api.example.com", clientId: acme, clientSecret: s3cret }
mailboxes:
  van: { type: directory, path: ./van }
  erp: { type: directory, path: ./erp }
`
const EDI = `edi:
  us:
    retail: { qualifier: ZZ, id: HAVENRETAIL, test: HAVENRETAILT }
  partners: partners
  inboxes:
    van:
      from: { mailbox: van, folder: in }
      results: { mailbox: erp, folder: edi-results }
`
const ROUTES = `routes:
  orders-in:
    retailer: 1000
    operation: create-order
    from: { inbox: van, partner: northlight, document: 850 }
    mapping: mappings/850.yaml
    results: { mailbox: erp }
  cancels-in:
    retailer: 1000
    operation: create-cancel
    from: { inbox: van, partner: northlight, document: 860, when: { BCH.01: ['01', '03'], BCH.02: SA } }
    mapping: mappings/860.yaml
    results: { mailbox: erp }
`
const NORTHLIGHT = `title: Northlight Goods
ids: [{ qualifier: '12', id: '7755550100' }, { qualifier: '12', id: 7755550100T, group: NORTH }]
to: { mailbox: van, folder: ./out/ }
`

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
}

async function load(files: Readonly<Record<string, string>>, env: NodeJS.ProcessEnv = {}) {
  await write(files)
  return loadConfiguration(join(folder, 'dropbridge.yaml'), env)
}

/** The places and messages of the refusal, without the path of the folder. */
async function errorsOf(files: Readonly<Record<string, string>>): Promise<string[]> {
  const error: unknown = await load(files).catch((thrown: unknown) => thrown)
  if (!hasCode(error, 'configuration-invalid')) throw new Error('it was accepted', { cause: error })
  return error.details.map((detail) => detail.replaceAll(`${folder}/`, ''))
}

const WHOLE = { 'dropbridge.yaml': BRIDGE + EDI + ROUTES, 'partners/northlight.yaml': NORTHLIGHT }

describe('the configuration of interchanges', () => {
  test('partners, inboxes and what routes take are read, with their defaults', async () => {
    const { edi, routes } = await load(WHOLE)

    const from = { mailbox: 'van', folder: 'in', match: '*', archive: 'archive/van', stableForMs: 2000 }
    expect(edi).toEqual({
      ourAddresses: ['ZZ:HAVENRETAIL', 'ZZ:HAVENRETAILT'],
      partners: [
        {
          name: 'northlight',
          title: 'Northlight Goods',
          ids: [{ address: '12:7755550100' }, { address: '12:7755550100T', group: 'NORTH' }],
          answer: { when: 'understood', withinMs: 3_600_000, kind: '997', ta1: 'asked', echoes: true },
          to: { mailbox: 'van', folder: 'out', name: '{kind}-{partner}-{icn}.edi' },
          firstNumber: 1,
          duplicates: { windowMs: 400 * 86_400_000, reused: 'refuse', repeated: 'silent' },
          unrouted: 'hold',
        },
      ],
      inboxes: [
        {
          name: 'van',
          key: 'inbox:van',
          from,
          results: { mailbox: 'erp', folder: 'edi-results', alertIfNotEmptiedMs: 30 * 86_400_000 },
        },
      ],
    })
    expect(routes.map((route) => route.direction === 'inbound' && route.from)).toEqual([
      { ...from, interchanges: { inbox: 'van', partner: 'northlight', document: '850' } },
      {
        ...from,
        interchanges: {
          inbox: 'van',
          partner: 'northlight',
          document: '860',
          when: { 'BCH.01': ['01', '03'], 'BCH.02': ['SA'] },
        },
      },
    ])
  })

  test('an inbox is scanned, and not the routes that take from it', async () => {
    const own = `  csv-in:
    retailer: 1000
    operation: create-order
    from: { mailbox: erp, folder: in }
    mapping: mappings/orders.yaml
    results: { mailbox: erp }
`
    const configuration = await load({ ...WHOLE, 'dropbridge.yaml': BRIDGE + EDI + ROUTES + own })
    expect(
      listScannedInboxes(configuration).map(({ name, from }) => [name, from.mailbox, from.folder]),
    ).toEqual([
      ['csv-in', 'erp', 'in'],
      ['inbox:van', 'van', 'in'],
    ])
  })
})

describe('the files of partners', () => {
  test('a file takes over the settings of another, and adds to them', async () => {
    const { edi } = await load({
      ...WHOLE,
      'partners/base.yaml': `extends: ../defaults.yaml
answer: { kind: 999, ta1: always }
to: { mailbox: van, folder: out, name: 'a-{icn}.x12' }
`,
      'defaults.yaml': 'answer: { within: 30m }\nnumbers: { start: 700 }\n',
      'partners/northlight.yaml': `extends: ./base.yaml
ids: [{ qualifier: '12', id: '1' }]
answer: { ta1: asked }
to: { folder: elsewhere }
`,
    })
    expect(edi?.partners.map(({ name }) => name)).toEqual(['northlight'])
    expect(edi?.partners[0]).toMatchObject({
      answer: { when: 'understood', withinMs: 1_800_000, kind: '999', ta1: 'asked' },
      to: { mailbox: 'van', folder: 'elsewhere', name: 'a-{icn}.x12' },
      firstNumber: 700,
    })
  })

  test('errors name the file, the line and the column', async () => {
    const errors = await errorsOf({
      ...WHOLE,
      'partners/northlight.yaml': `title: Northlight
ids: []
answer: sometimes
numbrs: { start: 1 }
`,
      'partners/harbor.yaml': 'extends: base.yaml\nids: [{ id: 007 }]\n',
      'partners/base.yaml':
        'answer: { kind: 998, within: 3x }\nto: { mailbox: van, folder: out, name: answer.edi }\n',
    })
    expect(errors).toEqual([
      'partners/base.yaml:1:17 answer.kind: must be 997 or 999, without quotes.',
      'partners/base.yaml:1:30 answer.within: must be a duration of at most a day, such as 500ms, 30s, 15m or 1h.',
      'partners/base.yaml:2:40 to.name: needs {icn}, {seq} or {date:…}, or every file would have the same name.',
      'partners/harbor.yaml:2:13 ids.0.id: must be text in quotes, so that leading zeros stay.',
      'partners/northlight.yaml:2:6 ids: must not be empty.',
      'partners/northlight.yaml:3:9 answer: must be one of understood, syntax, none.',
      'partners/northlight.yaml:4:1 numbrs: unknown key. Did you mean "numbers"?',
    ])
  })

  test('an error in YAML is told once, and nothing that only follows from it', async () => {
    expect(await errorsOf({ ...WHOLE, 'partners/northlight.yaml': 'title: [a\nids: x: y\n' })).toEqual([
      'partners/northlight.yaml:2:1 the indentation does not fit the lines above, or a bracket, brace or quote there is not closed. The rest was not checked.',
    ])
  })
})
