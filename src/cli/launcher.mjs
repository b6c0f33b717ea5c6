/**
 * Starts a program of the bundle: the files `cli/main.js`, `prove/child.js` and `app/console/hand-child.js` of
 * the built package are copies of this one.
 *
 * V8 reads the compiled code from the file beside the bundle, in place of compiling some 4 MB. It refuses a file that another Node
 * wrote, or one with other flags; then the program compiles as it goes, and only starts more slowly.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'

/* global BUNDLE, HEAP_FLAGS, PROGRAM -- filled in when the package is built */

const filename = fileURLToPath(new URL(BUNDLE, import.meta.url))
// They are part of what V8 compares with the compiled code.
for (const flag of HEAP_FLAGS) setFlagsFromString(flag)
// The bundle is plain ASCII, which this encoding reads without decoding.
const script = new Script(readFileSync(filename, 'latin1'), {
  filename,
  cachedData: readCompiledCode(),
})
const programs = {}
script.runInThisContext()(programs, createRequire(filename), filename, dirname(filename))
programs[PROGRAM]()

function readCompiledCode() {
  try {
    return readFileSync(`${filename}.compiled`)
  } catch {
    return undefined
  }
}
