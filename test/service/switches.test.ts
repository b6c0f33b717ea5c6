import { describe, expect, it } from 'vitest'
import {
  createSwitches,
  readSwitches,
  type SwitchRow,
  SWITCH_NAMES,
  SWITCHES,
  describeAllowedValues,
} from '../../src/service/switches.ts'

describe('switches from outside', () => {
  it('are read with their own kinds of value', () => {
    expect(readSwitches({ envelope: 'link', createAnswer: 200, fulfilledOrderCloses: false })).toEqual({
      switches: { envelope: 'link', createAnswer: 200, fulfilledOrderCloses: false },
    })
    expect(readSwitches({})).toEqual({ switches: {} })
  })

  it('may come as text, as a command line has them', () => {
    const given = { createAnswer: '200', fulfilledOrderCloses: 'false', clockSkewMs: '-1500', hang: '0.25' }
    expect(readSwitches(given)).toEqual({
      switches: { createAnswer: 200, fulfilledOrderCloses: false, clockSkewMs: -1500, hang: 0.25 },
    })
  })

  it('are refused with everything that is wrong, by name', () => {
    const given = {
      envelop: 'array',
      actAnswer: 201,
      loseAnswer: 1.5,
      latencyMs: 2.5,
      clockSkewMs: '',
      faultSeed: null,
      labelFormat: 'pdf',
      constructor: 1,
    }
    expect(readSwitches(given)).toEqual({
      errors: {
        envelop: ['There is no such switch. Did you mean "envelope"?'],
        actAnswer: ['201 is not one of `200`, `204`.'],
        loseAnswer: ['1.5 is not a number from 0 to 1.'],
        latencyMs: ['2.5 is not a whole number from 0 to 3600000.'],
        clockSkewMs: ['"" is not a whole number from -315360000000 to 315360000000.'],
        faultSeed: ['null is not a whole number from 0 to 4294967295.'],
        constructor: [expect.stringMatching(/^There is no such switch\. Known: \w+, /)],
      },
    })
  })

  it('are refused when they are no object', () => {
    for (const given of [null, 'hang', ['hang'], 1]) {
      expect(readSwitches(given)).toEqual({
        errors: { non_field_errors: ['Invalid data. Expected an object of switches and values.'] },
      })
    }
  })

  it('cannot be so wrong that the answer is endless', () => {
    const given = Object.fromEntries(
      Array.from({ length: 5000 }, (_, index) => [`x${index}`, 'y'.repeat(500)]),
    )
    const read = readSwitches({ ...given, envelope: 'z'.repeat(5000) })
    expect('errors' in read && Object.keys(read.errors)).toHaveLength(100)
    const long = readSwitches({ envelope: 'z'.repeat(5000) })
    expect('errors' in long && long.errors['envelope']?.[0]).toHaveLength(129)
  })
})

describe('every switch', () => {
  it.each(SWITCH_NAMES)('%s names its values, and has its default until it is set', (name) => {
    const row: SwitchRow = SWITCHES[name]
    expect(row.doc).toMatch(/^[A-Z0-9].*\.$/)
    expect(describeAllowedValues(row)).toMatch(/^(one of|a (whole )?number from) /)
    expect(readSwitches({ [name]: row.default })).toEqual({ switches: { [name]: row.default } })
    expect(readSwitches({ [name]: String(row.default) })).toEqual({ switches: { [name]: row.default } })
  })

  it('has the given value, and the others their defaults', () => {
    expect(createSwitches({ envelope: 'array', hang: 0.5 })).toEqual({
      ...createSwitches(),
      envelope: 'array',
      hang: 0.5,
    })
    expect(createSwitches()).toMatchObject({ envelope: 'object', createAnswer: 201, ids: 'number', hang: 0 })
  })
})
