/** The promises of the journal about packing slips and labels, for any database. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Journal } from '../../src/domain/journal.ts'
import type { Lease } from '../../src/domain/lease.ts'
import { problem } from '../../src/domain/problem.ts'
import type { DocumentKind } from '../../src/domain/shipping-document.ts'
import type { Clock } from '../../src/support/clock.ts'
import { accepted, planFile, planned, testClock } from './journal.suite.ts'

const ROUTE = 'shipments-in'
const PLACE = { mailbox: 'erp', folder: 'labels' }
const DOWN = problem('document-missing', {}, 'the API is down')

const shipment = (number: number, key: string) =>
  planned(number, key, { operation: 'create-shipment', account: 'brand/7', body: `{"order_id":${number}}` })

export function documentsSuite(name: string, open: (clock: Clock) => Promise<Journal>): void {
  describe(`a journal ${name}`, () => {
    let journal: Journal
    let lease: Lease
    /** The ids of the records of file `a`: two accepted shipments and one refused. */
    let ids: number[]

    beforeEach(async () => {
      journal = await open(testClock())
      lease = await journal.acquireLease(ROUTE, 'bridge-1', 60_000, () => true)
      await planFile(journal, lease, 'a', [shipment(1, 'PO-1'), shipment(2, 'PO-2'), shipment(3, 'PO-3')])
      const begun = await journal.startAttempts(lease, { file: 'a' }, 3)
      ids = begun.map(({ id }) => id)
      const [one = 0, two = 0, three = 0] = ids
      await journal.finishAttempts(lease, [
        { ...accepted(one, '71'), answer: '{"purchase_order_number":"PO ONE"}' },
        accepted(two, '72'),
        { id: three, state: 'rejected', http: 400, problems: [problem('api-refused', {}, 'no')] },
      ])
    })

    afterEach(() => journal.close())

    const intent = (recordId = 0, kind: DocumentKind = 'label') => ({ recordId, kind, ...PLACE })
    const naming = (recordId = 0, base = 'a', fromAttempt = 1) => ({
      ...intent(recordId),
      fromAttempt,
      staged: { working: `.${recordId}`, evidence: { by: 'rename' } },
      nameFor: (suffix: number) => (suffix === 1 ? `${base}.pdf` : `${base}~${suffix}.pdf`),
    })
    const found = async (which: 'new' | 'missing' | 'all') =>
      (await journal.findDocuments({ route: ROUTE, which }, undefined, 10)).map(({ recordId, kind }) => [
        recordId,
        kind,
      ])

    describe('knows created shipments', () => {
      it('that were accepted, with what was kept of their answers', async () => {
        const [one, two] = ids
        const common = { fileId: 'a', fileName: 'a.csv' }
        expect(await journal.listCreatedShipments({ route: ROUTE }, 0, 10)).toEqual([
          {
            ...common,
            recordId: one,
            shipmentId: '71',
            keyValues: ['PO-1'],
            body: '{"order_id":1}',
            answer: '{"purchase_order_number":"PO ONE"}',
          },
          { ...common, recordId: two, shipmentId: '72', keyValues: ['PO-2'], body: '{"order_id":2}' },
        ])
      })

      it.each([
        [{ fileName: 'a.csv' }, ['71', '72']],
        [{ fileName: 'b.csv' }, []],
        [{ fileId: 'a' }, ['71', '72']],
        [{ shipmentId: '72' }, ['72']],
        [{ purchaseOrderNumber: 'PO-2' }, ['72']],
        [{ purchaseOrderNumber: 'PO ONE' }, ['71']],
        [{ purchaseOrderNumber: 'PO-2', shipmentId: '71' }, []],
      ])('by %j', async (query, expected) => {
        const shipments = await journal.listCreatedShipments({ route: ROUTE, ...query }, 0, 10)
        expect(shipments.map(({ shipmentId }) => shipmentId)).toEqual(expected)
      })

      it('page by page, and none of another route', async () => {
        const [one = 0, two] = ids
        expect(await journal.listCreatedShipments({ route: ROUTE }, 0, 1)).toMatchObject([{ recordId: one }])
        expect(await journal.listCreatedShipments({ route: ROUTE }, one, 1)).toMatchObject([
          { recordId: two },
        ])
        expect(await journal.listCreatedShipments({ route: 'orders-in' }, 0, 10)).toEqual([])
      })
    })

    describe('keeps documents', () => {
      it('once requested as they are, however often they are requested', async () => {
        const [one] = ids
        await journal.requestDocuments(lease, [intent(one), intent(one, 'packing-slip')])
        await journal.saveDocumentResults(lease, [
          { recordId: one ?? 0, kind: 'label', state: 'refused', problem: DOWN },
        ])
        await journal.requestDocuments(lease, [intent(one), intent(one, 'packing-slip')])
        expect(await journal.listDocuments([one ?? 0])).toEqual([
          { recordId: one, kind: 'label', ...PLACE, state: 'refused', problem: DOWN },
          { recordId: one, kind: 'packing-slip', ...PLACE, state: 'wanted' },
        ])
      })

      it('and lists those that were never requested, those that are missing, and all', async () => {
        const [one = 0, two = 0] = ids
        await journal.requestDocuments(lease, [intent(one), intent(one, 'packing-slip'), intent(two)])
        await journal.saveDocumentResults(lease, [
          { recordId: one, kind: 'label', state: 'delivered' },
          { recordId: one, kind: 'packing-slip', state: 'wanted', problem: DOWN },
        ])
        expect(await found('new')).toEqual([[two, 'label']])
        expect(await found('missing')).toEqual([
          [one, 'packing-slip'],
          [two, 'label'],
        ])
        expect(await found('all')).toEqual([
          [one, 'label'],
          [one, 'packing-slip'],
          [two, 'label'],
        ])
        const after = { recordId: one, kind: 'label' } as const
        expect(await journal.findDocuments({ route: ROUTE, which: 'all' }, after, 1)).toMatchObject([
          { recordId: one, kind: 'packing-slip', shipmentId: '71', problem: DOWN },
        ])
      })

      it('under names that no other has in the folder, whatever their case', async () => {
        const [one, two] = ids
        await journal.requestDocuments(lease, [intent(one), intent(two)])
        const names = await journal.reserveDocumentNames(lease, [naming(one, 'a'), naming(two, 'A')])
        expect(names).toEqual([
          { name: 'a.pdf', attempt: 1 },
          { name: 'A~2.pdf', attempt: 2 },
        ])
        expect(await journal.reserveDocumentNames(lease, [naming(one, 'a', 2)])).toEqual([
          { name: 'a~3.pdf', attempt: 3 },
        ])
        expect(await journal.reserveDocumentNames(lease, [{ ...naming(one, 'A'), folder: 'other' }])).toEqual(
          [{ name: 'A.pdf', attempt: 1 }],
        )
        expect(await journal.listDocuments([one ?? 0])).toMatchObject([{ name: 'A.pdf', folder: 'other' }])
      })

      it('that were delivered, as they are until a further copy is delivered', async () => {
        const [one = 0, two = 0] = ids
        await journal.requestDocuments(lease, [intent(one), intent(two)])
        await journal.reserveDocumentNames(lease, [naming(one, 'a')])
        await journal.saveDocumentResults(lease, [{ recordId: one, kind: 'label', state: 'delivered' }])
        const elsewhere = { ...naming(one, 'a', 2), folder: 'other' }
        expect(await journal.reserveDocumentNames(lease, [elsewhere])).toEqual([
          { name: 'a~2.pdf', attempt: 2 },
        ])
        const left = { recordId: one, kind: 'label', ...PLACE, state: 'delivered', name: 'a.pdf' }
        expect(await journal.listDocuments([one])).toEqual([left])

        const copy = { ...intent(one), folder: 'other', name: 'a~2.pdf', state: 'delivered' } as const
        await journal.saveDocumentResults(lease, [copy])
        expect(await journal.listDocuments([one])).toEqual([{ ...left, folder: 'other', name: 'a~2.pdf' }])
      })

      it('with the name of the earlier copy where another has come by that of the further one', async () => {
        const [one = 0, two = 0] = ids
        await journal.requestDocuments(lease, [intent(one), intent(two)])
        await journal.reserveDocumentNames(lease, [naming(one, 'a')])
        await journal.saveDocumentResults(lease, [{ recordId: one, kind: 'label', state: 'delivered' }])
        await journal.reserveDocumentNames(lease, [naming(two, 'b')])
        await journal.saveDocumentResults(lease, [{ ...intent(one), name: 'B.pdf', state: 'delivered' }])
        expect(await journal.listDocuments([one, two])).toMatchObject([
          { name: 'a.pdf', state: 'delivered' },
          { name: 'b.pdf', state: 'wanted' },
        ])
      })

      it('of its own route only', async () => {
        const [one = 0] = ids
        await journal.requestDocuments(lease, [intent(one)])
        const other = await journal.acquireLease('other', 'bridge-1', 60_000, () => true)
        await journal.requestDocuments(other, [intent(one, 'packing-slip')])
        expect(await found('all')).toEqual([[one, 'label']])
        await expect(
          journal.saveDocumentResults(other, [{ recordId: one, kind: 'label', state: 'delivered' }]),
        ).rejects.toMatchObject({ code: 'bug' })
        expect(await found('new')).toEqual([[one, 'label']])
      })

      it('and none of a bridge that was taken over', async () => {
        const [one = 0] = ids
        await journal.requestDocuments(lease, [intent(one)])
        await journal.releaseLease(lease)
        await journal.acquireLease(ROUTE, 'bridge-2', 60_000, () => true)
        await expect(journal.reserveDocumentNames(lease, [naming(one)])).rejects.toMatchObject({
          code: 'lease-lost',
        })
      })

      it('in empty batches', async () => {
        await journal.requestDocuments(lease, [])
        await journal.saveDocumentResults(lease, [])
        expect(await journal.reserveDocumentNames(lease, [])).toEqual([])
        expect(await journal.listDocuments([])).toEqual([])
      })
    })
  })
}
