/** What the tests do about real SFTP servers that a machine lacks. */
import { expect, test } from 'vitest'
import { mayInstall } from '../packages.ts'
import { leftOut } from '../servers.ts'

test('servers are installed as root in a container of Debian, and nowhere else', () => {
  const container = { isRoot: true, hasApt: true, runsServices: false }
  expect(mayInstall(container)).toBe(true)
  expect(mayInstall({ ...container, isRoot: false })).toBe(false)
  expect(mayInstall({ ...container, hasApt: false })).toBe(false)
  expect(mayInstall({ ...container, runsServices: true })).toBe(false)
})

test('missing servers are reported in one line, with the command that installs them', () => {
  expect(leftOut(['ProFTPD'])).toBe(
    'left out: the SFTP tests with ProFTPD; to run them: apt-get install proftpd-core proftpd-mod-crypto openssh-client',
  )
  expect(leftOut(['OpenSSH', 'ProFTPD'])).toBe(
    'left out: the SFTP tests with OpenSSH and ProFTPD; to run them: apt-get install openssh-server openssh-client proftpd-core proftpd-mod-crypto',
  )
})
