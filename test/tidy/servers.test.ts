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

test('what is missing is reported in lines, with the commands that install it', () => {
  expect(leftOut({ servers: ['ProFTPD'], isBrowserMissing: false })).toEqual([
    'left out: the SFTP tests with ProFTPD; to run them: apt-get install proftpd-core proftpd-mod-crypto openssh-client',
  ])
  expect(leftOut({ servers: ['OpenSSH', 'ProFTPD'], isBrowserMissing: true })).toEqual([
    'left out: the SFTP tests with OpenSSH and ProFTPD; to run them: apt-get install openssh-server openssh-client proftpd-core proftpd-mod-crypto',
    'left out: the tests of the console in a browser; to run them: apt-get install chromium',
  ])
  expect(leftOut({ servers: [], isBrowserMissing: false })).toEqual([])
})
