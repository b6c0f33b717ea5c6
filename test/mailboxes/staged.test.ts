/** Cleaning a folder before the first delivery into it. */
import { expect, test } from 'vitest'
import { type CleanedFolders, cleanOnce } from '../../src/mailboxes/staged.ts'

test('a delivery waits while another one cleans its folder, so that no listing shows what it stages', async () => {
  const cleaned: CleanedFolders = new Map()
  const order: string[] = []
  let finish = () => {}
  const listed = new Promise<void>((resolve) => (finish = resolve))
  const clean = async () => {
    order.push('begins to clean')
    await listed
    order.push('has cleaned')
  }
  const deliver = (name: string) => cleanOnce(cleaned, '/out', clean).then(() => order.push(`stages ${name}`))

  const deliveries = [deliver('a'), deliver('b')]
  await new Promise((resolve) => setTimeout(resolve, 5))
  finish()
  await Promise.all(deliveries)
  await deliver('c')

  expect(order).toEqual(['begins to clean', 'has cleaned', 'stages a', 'stages b', 'stages c'])
})

test('after a failure the next delivery cleans the folder', async () => {
  const cleaned: CleanedFolders = new Map()
  let tries = 0
  const clean = () => (++tries === 1 ? Promise.reject(new Error('away')) : Promise.resolve())

  await expect(cleanOnce(cleaned, '/out', clean)).rejects.toThrow('away')
  await cleanOnce(cleaned, '/out', clean)
  await cleanOnce(cleaned, '/out', clean)

  expect(tries).toBe(2)
})
