/** ssh2 without its compiled ciphers, whether or not an installation has built them. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { ssh2, SftpClient } from '../../../src/mailboxes/sftp/ssh2.ts'

const require = createRequire(import.meta.url)
const COMPILED = './crypto/build/Release/sshcrypto.node'

test('ssh2 uses the ciphers of Node, and would find nothing where it looks for compiled ones', () => {
  const ciphers = require.resolve('ssh2/lib/protocol/crypto.js')

  expect(require(ciphers)).toMatchObject({ bindingAvailable: false })
  expect(readFileSync(ciphers, 'utf8')).toContain(`require('${COMPILED}')`)
  expect(require.cache[join(dirname(ciphers), COMPILED)]).toMatchObject({ loaded: true, exports: undefined })
  expect(require('ssh2')).toBe(ssh2)
  expect(require('ssh2-sftp-client')).toBe(SftpClient)
})
