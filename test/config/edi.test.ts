import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { buildEnvelopeSettings, findEnvelopeErrors } from '../../src/config/envelope.ts'
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

    const from = {
      mailbox: 'van',
      folder: 'in',
      match: '*',
      archive: 'archive/van',
      stableForMs: 2000,
      // An interchange of one line has no line end.
      lastLineEnd: 'optional',
    }
    expect(edi).toEqual({
      ourAddresses: ['ZZ:HAVENRETAIL', 'ZZ:HAVENRETAILT'],
      us: [{ name: 'retail', qualifier: 'ZZ', id: 'HAVENRETAIL', test: 'HAVENRETAILT' }],
      partners: [
        {
          name: 'northlight',
          title: 'Northlight Goods',
          ids: [{ address: '12:7755550100' }, { address: '12:7755550100T', group: 'NORTH' }],
          answer: { when: 'understood', withinMs: 3_600_000, kind: '997', ta1: 'asked', echoes: true },
          to: { mailbox: 'van', folder: 'out', name: '{kind}-{partner}-{icn}.edi' },
          firstNumber: 1,
          confirms: true,
          outgoing: {
            receivers: { production: { qualifier: '12', id: '7755550100' } },
            versions: {},
            zone: 'UTC',
            delimiters: {},
            groupFollows: false,
            setNumbers: 'counted',
          },
          duplicates: { windowMs: 400 * 86_400_000, reused: 'refuse' },
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
    expect(listScannedInboxes(configuration).map(({ key, from }) => [key, from.folder])).toEqual([
      ['csv-in', 'in'],
      ['inbox:van', 'in'],
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
to: { mailbox: van, folder: out }
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

/** A bridge with these settings under `edi`, and these under `from` of its routes. */
function bridgeOf(edi: string, ...sources: readonly string[]): Record<string, string> {
  const routes = sources.map(
    (from, index) => `  route-${index + 1}:
    retailer: 1000
    operation: create-order
    from: ${from}
    mapping: mappings/850.yaml
    results: { mailbox: erp }
`,
  )
  return { 'dropbridge.yaml': `${BRIDGE}edi:\n${edi}routes:\n${routes.join('')}` }
}

const PARTNERS = `  partners:
    northlight: { ids: [{ qualifier: '12', id: '7755550100' }], to: { mailbox: van, folder: out } }
    harbor: { ids: [{ qualifier: ZZ, id: HARBOR }], answer: none }
`
const INBOX = '  inboxes: { van: { from: { mailbox: van, folder: in }, results: { mailbox: erp } } }\n'
const TAKES_850 = '{ inbox: van, partner: northlight, document: 850 }'

describe('what routes take of an inbox', () => {
  test('names of inboxes, partners and mailboxes that are not there are told, with the one that was meant', async () => {
    const edi = `  partners: { northlight: { ids: [{ qualifier: '12', id: '1' }], to: { mailbox: vam, folder: out } } }
  inboxes: { van: { from: { mailbox: vn, folder: in }, results: { mailbox: er } } }
`
    expect(
      await errorsOf(
        bridgeOf(edi, '{ inbox: vam, partner: nortlight, document: 850 }', '{ inbox: van, document: 856 }'),
      ),
    ).toEqual([
      'dropbridge.yaml:6:81 edi.partners.northlight.to.mailbox: there is no such mailbox. Did you mean "van"?',
      'dropbridge.yaml:7:38 edi.inboxes.van.from.mailbox: there is no such mailbox. Did you mean "van"?',
      'dropbridge.yaml:7:76 edi.inboxes.van.results.mailbox: there is no such mailbox. Did you mean "erp"?',
      'dropbridge.yaml:12:20 routes.route-1.from.inbox: there is no such inbox. Did you mean "van"?',
      'dropbridge.yaml:12:34 routes.route-1.from.partner: there is no such partner. Did you mean "northlight"?',
    ])
  })

  test('a route from an inbox without any edi section is led to where it belongs', async () => {
    const [error] = await errorsOf(bridgeOf('  us: {}\n', '{ inbox: van, partner: a, document: 850 }'))
    expect(error).toBe(
      'dropbridge.yaml:11:20 routes.route-1.from.inbox: there is no such inbox. Write it under `edi.inboxes`.',
    )
  })

  test.for([
    ['{ inbox: van, folder: in, document: 850 }', 'folder', 'not both'],
    ["{ inbox: van, match: '*.x12', document: 850 }", 'match', 'not both'],
    ['{ mailbox: van, folder: other, document: 850 }', 'document', 'not both'],
    ['{ inbox: van, partner: northlight }', 'document', 'is missing'],
    [
      '{ inbox: van, document: 850, when: { BEG.01: 05 } }',
      'when.BEG.01',
      'must be text in quotes, or a list of texts',
    ],
    ['{ inbox: van, document: 850, patner: northlight }', 'patner', 'Did you mean "partner"?'],
    ['{ mailbox: van }', 'folder', 'is missing'],
  ] as const)('%s is refused at %s', async ([from, key, message]) => {
    const errors = await errorsOf(bridgeOf(PARTNERS + INBOX, from, '{ inbox: van, document: 999 }'))
    expect(errors).toEqual([expect.stringContaining(`routes.route-1.from.${key}: `)])
    expect(errors[0]).toContain(message)
  })

  test('an inbox that no route takes from is an error', async () => {
    expect(await errorsOf(bridgeOf(PARTNERS + INBOX, '{ mailbox: erp, folder: in }'))).toEqual([
      'dropbridge.yaml:9:14 edi.inboxes.van: no route takes sets of it: write `from: { inbox: van, document: 850 }` at the route that does, or take the inbox away.',
    ])
  })

  const RIVAL =
    'dropbridge.yaml:20:5 routes.route-2.from: could take the same 850 of northlight as the route route-1: give both a `when` with other values of the same path.'

  test.for([
    [TAKES_850, TAKES_850],
    [TAKES_850, "{ inbox: van, partner: northlight, document: '850', when: { BEG.01: '00' } }"],
    [
      "{ inbox: van, partner: northlight, document: 850, when: { BEG.01: ['00', '05'] } }",
      "{ inbox: van, partner: northlight, document: 850, when: { BEG.01: ['05', '06'] } }",
    ],
    [
      "{ inbox: van, partner: northlight, document: 850, when: { BEG.01: '00' } }",
      "{ inbox: van, partner: northlight, document: 850, when: { BEG.02: 'SA' } }",
    ],
  ] as const)('two routes that could take the same set are refused: %s, %s', async ([one, other]) => {
    expect(await errorsOf(bridgeOf(PARTNERS + INBOX, one, other))).toEqual([RIVAL])
  })

  test.for([
    [TAKES_850, '{ inbox: van, document: 850 }'],
    [TAKES_850, '{ inbox: van, partner: northlight, document: 855 }'],
    [TAKES_850, '{ inbox: van, partner: harbor, document: 850 }'],
    [
      "{ inbox: van, partner: northlight, document: 850, when: { BEG.01: '00', BEG.02: 'SA' } }",
      "{ inbox: van, partner: northlight, document: 850, when: { BEG.01: '05', BEG.02: 'SA' } }",
    ],
  ] as const)('two routes that never take the same set are fine: %s, %s', async ([one, other]) => {
    expect((await load(bridgeOf(PARTNERS + INBOX, one, other))).routes).toHaveLength(2)
  })
})

describe('partners', () => {
  test('a partner that is answered and has no place for answers is an error, in its file too', async () => {
    const { 'partners/northlight.yaml': file, ...rest } = WHOLE
    const partner = file.replace(/^to: .*$/m, '')
    expect(await errorsOf({ ...rest, 'partners/northlight.yaml': partner })).toEqual([
      'partners/northlight.yaml:1:1 to: is missing: the partner is answered, so write `to: { mailbox: …, folder: … }`, or else `answer: none`.',
    ])
  })

  test('partners with the same address are told, unless their groups differ', async () => {
    const errors = await errorsOf(
      bridgeOf(
        `  us: { retail: { qualifier: ZZ, id: HAVEN, test: HAVEN } }
  partners:
    one: { ids: [{ qualifier: ZZ, id: SHARED, group: ONE }, { qualifier: ZZ, id: HAVEN }], answer: none }
    two: { ids: [{ qualifier: ZZ, id: SHARED, group: TWO }, { qualifier: ZZ, id: OWN }], answer: none }
    three: { ids: [{ qualifier: ZZ, id: SHARED }, { qualifier: ZZ, id: OWN }], answer: none }
    four: { ids: [{ qualifier: '01', id: SHARED }, { qualifier: ZZ, id: SHARED, group: TWO }], answer: none }
${INBOX}`,
        '{ inbox: van, document: 850 }',
      ),
    )
    expect(errors).toEqual([
      'dropbridge.yaml:6:51 edi.us.retail.test: our address retail has the same address: take one of them away.',
      'dropbridge.yaml:8:82 edi.partners.one.ids.1.id: our address retail has the same address: take one of them away.',
      'dropbridge.yaml:10:72 edi.partners.three.ids.1.id: the partner two has the same address: add the `group` that sends (GS02) to both.',
      'dropbridge.yaml:11:73 edi.partners.four.ids.1.id: the partner two has the same address: add the `group` that sends (GS02) to both.',
    ])
  })

  test('ids that the envelope of X12 has no room for are refused where only X12 is taken', async () => {
    const edi = `  us: { retail: { id: '4012345000009000', test: HAVENT } }
  partners:
    one: { ids: [{ qualifier: ZZ, id: NORTHLIGHT-GOODS }], answer: none }
    two: { ids: [{ qualifier: ZZZ, id: HARBOR }], answer: none }
${INBOX}`
    expect(await errorsOf(bridgeOf(edi, '{ inbox: van, document: 850 }'))).toEqual([
      'dropbridge.yaml:6:23 edi.us.retail.id: is longer than the 15 characters that the envelope of X12 has room for.',
      'dropbridge.yaml:6:49 edi.us.retail.test: needs a `qualifier` of two characters, such as ZZ or 01: X12 sends none without (ISA05, ISA07).',
      'dropbridge.yaml:8:39 edi.partners.one.ids.0.id: is longer than the 15 characters that the envelope of X12 has room for.',
      'dropbridge.yaml:9:40 edi.partners.two.ids.0.id: needs a `qualifier` of two characters, such as ZZ or 01: X12 sends none without (ISA05, ISA07).',
    ])
    const takesBoth = bridgeOf(edi, '{ inbox: van, document: 850 }', '{ inbox: van, document: ORDERS }')
    expect((await load(takesBoth)).edi?.partners).toHaveLength(2)
  })
})

describe('the folders of inboxes', () => {
  test('no other inbox and no route takes files from them', async () => {
    const edi = `${PARTNERS}  inboxes:
    van: { from: { mailbox: van, folder: in }, results: { mailbox: erp } }
    second: { from: { mailbox: van, folder: ./in, match: '*.edi' }, results: { mailbox: erp } }
`
    expect(
      await errorsOf(
        bridgeOf(
          edi,
          TAKES_850,
          '{ inbox: second, document: 850 }',
          "{ mailbox: van, folder: in, match: '*.x12' }",
        ),
      ),
    ).toEqual([
      'dropbridge.yaml:10:12 edi.inboxes.van.from: takes files that the route route-3 takes, too, such as a.x12: let no name match both, or give one of them its own folder.',
      'dropbridge.yaml:11:15 edi.inboxes.second.from: takes files that the inbox van takes, too, such as a.edi: let no name match both, or give one of them its own folder.',
    ])
  })

  test('results, archives, answers and exports that would feed an inbox are told', async () => {
    const edi = `  partners: { northlight: { ids: [{ qualifier: '12', id: '1' }], to: { mailbox: van, folder: in } } }
  inboxes:
    van:
      from: { mailbox: van, folder: in, archive: in/ }
      results: { mailbox: van, folder: in }
`
    const text = bridgeOf(edi, TAKES_850)['dropbridge.yaml'] ?? ''
    const out = `  out:
    retailer: 1000
    operation: export-shipments
    mapping: mappings/out.yaml
    to: { mailbox: van, folder: in, name: "{seq}.csv" }
status: { page: ./van/in/status.html }
`
    const results = text.replace('results: { mailbox: erp }', 'results: { mailbox: van, folder: in }')
    expect(await errorsOf({ 'dropbridge.yaml': results + out })).toEqual([
      'dropbridge.yaml:6:94 edi.partners.northlight.to.folder: answers would be left where the inbox van takes them; use another folder.',
      'dropbridge.yaml:9:50 edi.inboxes.van.from.archive: done files would be left where the inbox van takes files from; use another folder.',
      'dropbridge.yaml:10:40 edi.inboxes.van.results.folder: results would be left where the inbox van takes files from; use another folder.',
      'dropbridge.yaml:17:38 routes.route-1.results.folder: results would be left where the inbox van takes files from; use another folder.',
      'dropbridge.yaml:22:33 routes.out.to.folder: files would be left where the inbox van takes them; use another folder.',
      'dropbridge.yaml:23:17 status.page: would be left where the inbox van takes files from; use another folder.',
    ])
  })

  test('an expected file of an inbox needs a zone as that of a route does', async () => {
    const edi = `${PARTNERS}${INBOX.replace('folder: in', 'folder: in, expectFile: { by: "07:00" }')}`
    expect(await errorsOf(bridgeOf(edi, TAKES_850))).toEqual([
      expect.stringContaining('edi.inboxes.van.from.expectFile: says a time of day and no zone'),
    ])
  })
})

describe('a configuration with files of partners', () => {
  test('knows each file that it was read from, so that a change of one is seen', async () => {
    const { source } = await load({
      ...WHOLE,
      'partners/base.yaml': 'answer: { kind: 999 }\n',
      'partners/northlight.yaml': `extends: ./base.yaml\n${NORTHLIGHT}`,
    })
    expect(source?.partners?.folder).toBe(join(folder, 'partners'))
    expect([...(source?.partners?.files.keys() ?? [])].toSorted()).toEqual([
      join(folder, 'partners/base.yaml'),
      join(folder, 'partners/northlight.yaml'),
    ])
  })

  test('is kept with its partners, so that commands that read need none of their files', async () => {
    const { source } = await load(WHOLE)
    expect(source?.withoutSecrets).toMatchObject({
      edi: {
        partners: { northlight: { title: 'Northlight Goods', to: { mailbox: 'van', folder: './out/' } } },
      },
    })
  })
})

describe('the configuration of exports as interchanges', () => {
  const EXPORT = `  invoices-out:
    retailer: 1000
    operation: export-invoices
    partner: buyer
    mapping: mappings/810.yaml
`
  const BUYER = `ids: [{ qualifier: '14', id: BUYERT, usage: test }, { qualifier: ZZ, id: BUYER }]
to: { mailbox: van, folder: out }
group: BUYERGROUP
version: '005010'
documents: { 856: '004010VICS' }
zone: America/Chicago
delimiters: { element: '|' }
numbers: { group: interchange, set: grouped }
`
  const exporting = (route: string, partner = BUYER, ours = EDI) => ({
    ...WHOLE,
    'dropbridge.yaml': BRIDGE + ours + ROUTES + route,
    'partners/buyer.yaml': partner,
  })

  async function envelopeOf(
    files: Readonly<Record<string, string>>,
    document: string,
    usage: 'production' | 'test',
  ) {
    const { edi } = await load(files)
    const partner = edi?.partners.find(({ name }) => name === 'buyer')
    if (edi === undefined || partner === undefined) throw new Error('no partner')
    return buildEnvelopeSettings(edi, partner, { syntax: 'x12', document, version: '004010', usage })
  }

  test('a route without `to` leaves its files where its partner says, named by their control numbers', async () => {
    const { routes } = await load(exporting(EXPORT))
    expect(routes.at(-1)).toMatchObject({
      partner: 'buyer',
      to: { mailbox: 'van', folder: 'out', name: '{kind}-{partner}-{icn}.edi' },
    })
  })

  test('a partner says how its envelopes are written', async () => {
    expect(await envelopeOf(exporting(EXPORT), '810', 'production')).toEqual({
      sender: { qualifier: 'ZZ', id: 'HAVENRETAIL', group: 'HAVENRETAIL' },
      receiver: { qualifier: 'ZZ', id: 'BUYER', group: 'BUYERGROUP' },
      usage: 'production',
      zone: 'America/Chicago',
      setNumbers: 'grouped',
      version: '005010',
      delimiters: { element: '|', component: '>', segment: '~', repetition: '^', newline: '\n' },
      asksForAnswer: false,
    })
    expect(await envelopeOf(exporting(EXPORT), '856', 'test')).toMatchObject({
      sender: { id: 'HAVENRETAILT' },
      receiver: { qualifier: '14', id: 'BUYERT' },
      version: '004010VICS',
    })
  })

  test('what does not fit is an error at its place', async () => {
    expect(await errorsOf(exporting(EXPORT.replace('partner: buyer', 'partner: byer')))).toEqual([
      expect.stringContaining('there is no such partner. Did you mean "buyer"?'),
    ])
    expect(await errorsOf(exporting(EXPORT, BUYER.replace(/^to:.*$/m, 'answer: none')))).toEqual([
      expect.stringContaining('the partner buyer has none: write it here or there.'),
    ])
    expect(await errorsOf(exporting(EXPORT.replace('    partner: buyer\n', '    usage: test\n')))).toEqual([
      expect.stringContaining('is missing: write it such as `to:'),
      expect.stringContaining('is for routes with a `partner`.'),
    ])
    const two = EDI.replace('  partners:', '    other: { qualifier: ZZ, id: OTHER }\n  partners:')
    expect(await errorsOf(exporting(EXPORT, BUYER, two))).toEqual([
      expect.stringContaining('does not say who sends to it. Write `we:` with one of `edi.us`.'),
    ])
  })

  test.each([
    [`{ element: '|', segment: '|' }`, 'is the same as `element`.'],
    ['{ element: x }', 'is one character that is no letter, digit or blank'],
    [`{ element: ' ' }`, 'is one character that is no letter, digit or blank'],
    [`{ element: '**' }`, 'is one character that is no letter, digit or blank'],
  ])('delimiters %s are refused', async (delimiters, message) => {
    const partner = BUYER.replace(/^delimiters:.*$/m, `delimiters: ${delimiters}`)
    expect(await errorsOf(exporting(EXPORT, partner))).toEqual([expect.stringContaining(message)])
  })

  test('what does not fit the syntax of the mapping is found with it', async () => {
    const files = exporting(
      EXPORT,
      BUYER.replace('id: BUYER }', 'id: BUYER-OF-MANY-GOODS }').replace("'|'", "'>'"),
    )
    const envelope = await envelopeOf(files, '810', 'production')
    if (envelope === undefined) throw new Error('no envelope')
    expect(findEnvelopeErrors(envelope, 'x12')).toEqual([
      'its `delimiters` equal each other, with those that are left out',
      'the id BUYER-OF-MANY-GOODS is longer than the 15 characters that the envelope of X12 has room for',
    ])
    expect(findEnvelopeErrors(envelope, 'edifact')).toHaveLength(1)
  })
})
