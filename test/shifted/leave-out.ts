/** Leaves the exceptions out of a shifted run, each with its reason. */
import { beforeEach } from 'vitest'
import { EXCEPTIONS } from './exceptions.ts'

beforeEach(({ task, skip }) => {
  const found = EXCEPTIONS.find(
    ({ file, title }) => task.file.name.endsWith(`test/${file}`) && task.name === title,
  )
  if (found !== undefined) skip(found.reason)
})
