import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { instantClock } from '../fixtures/instant-clock.ts'
import {
  type Behaviour,
  breaksOff,
  hangUp,
  html,
  json,
  startMisbehavingServer,
  text,
} from '../fixtures/misbehaving-server.ts'

/** The behaviours of a service for a create: whether it takes effect, and which answer the client gets. */
const CREATE_BEHAVIOURS: Record<string, { readonly effect: boolean; readonly shows: Behaviour }> = {
  'does it and says so': { effect: true, shows: json(201, { id: 5 }) },
  'does it and hangs up': { effect: true, shows: hangUp },
  'does it and breaks off': { effect: true, shows: breaksOff(201, '{"id":') },
  'does it behind a broken gateway': { effect: true, shows: html(502) },
  'does it and fails after': { effect: true, shows: json(500, {}) },
  'does it and says nothing of it': { effect: true, shows: text(201, '') },
  'hangs up': { effect: false, shows: hangUp },
  'fails before': { effect: false, shows: json(500, {}) },
  'is away': { effect: false, shows: html(503) },
  'is away for a while': { effect: false, shows: text(503, '', { 'retry-after': '1' }) },
  'is busy': { effect: false, shows: json(429, {}) },
  'refuses it': { effect: false, shows: json(400, { detail: 'No.' }) },
  'no longer knows the token': { effect: false, shows: json(401, {}) },
}

test('whatever the service does, a call takes effect at most once, and no call that took effect is reported as without effect', async () => {
  const server = await startMisbehavingServer()
  const names = fc.array(fc.constantFrom(...Object.keys(CREATE_BEHAVIOURS)), { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(names, async (names) => {
      let effects = 0
      const behaviours = names.map((name): Behaviour => {
        const chosen = CREATE_BEHAVIOURS[name]!
        return (response, request) => {
          if (chosen.effect) effects += 1
          chosen.shows(response, request)
        }
      })
      // the last behaviour repeats for ever, and so must not be one that the client may try for ever
      server.next(...behaviours, json(400, {}))
      const options = { clientId: 'a', clientSecret: 'b', clock: instantClock(), random: () => 1 }
      const client = createClient({ baseUrl: server.url, ...options })
      const result = await client
        .send({ endpoint: 'createOrder', params: { retailer_id: 1 }, body: '{}' })
        .catch((error: { code: string }) => ({ certainty: error.code, status: 401 }))
      await client.close()

      // done once: reported as done, or unknown; not done: anything but done
      const done = 'status' in result && result.status === 201 && result.certainty === 'answered'
      const allowed = effects === 1 ? done || result.certainty === 'unknown' : effects === 0 && !done
      expect({ effects, result, allowed }).toEqual({ effects, result, allowed: true })
    }),
    { numRuns: 150 },
  )
  await server.close()
})
