/**
 * Loads ssh2 and ssh2-sftp-client without the compiled ciphers that ssh2 may have built when it was installed; it then uses those
 * of Node. Compiled for Node 24.19 or later, they end the process when one is garbage-collected while WebAssembly runs, and
 * undici runs it for every answer. No other file imports these packages but for their types.
 */
import { createRequire, Module } from 'node:module'
import { dirname, join } from 'node:path'
import type Ssh2 from 'ssh2'
import type SftpClientClass from 'ssh2-sftp-client'

const require = createRequire(import.meta.url)
leaveOutCompiledCiphers(require.resolve('ssh2'))
leaveOutCompiledCiphers(createRequire(require.resolve('ssh2-sftp-client')).resolve('ssh2'))

export const ssh2 = require('ssh2') as typeof Ssh2
export const SftpClient = require('ssh2-sftp-client') as typeof SftpClientClass

/** Replaces the compiled module by one without exports, which ssh2 takes for not compiled. `main` is its `lib/index.js`. */
function leaveOutCompiledCiphers(main: string): void {
  const path = join(dirname(main), 'protocol', 'crypto', 'build', 'Release', 'sshcrypto.node')
  require.cache[path] = Object.assign(new Module(path), { loaded: true, exports: undefined })
}
