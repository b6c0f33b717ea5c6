/** Reads the lines of a known_hosts file about a host, as OpenSSH does. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findKnownHost, formatFingerprint } from '../../../src/mailboxes/sftp/known-hosts.ts'

const ED25519 = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl'

const linesFor = (text: string, host: string, port = 22) =>
  findKnownHost(text, { host, port }).trusted.map(({ line }) => line)

describe('a line of known hosts', () => {
  test.each([
    { title: 'names the host', names: 'sftp.partner.example', isFor: true },
    { title: 'names it in other letters', names: 'SFTP.Partner.Example', isFor: true },
    { title: 'names it among others', names: 'other.example,sftp.partner.example,10.0.0.7', isFor: true },
    { title: 'names another one', names: 'sftp.partner.example.org', isFor: false },
    { title: 'names it at another port', names: '[sftp.partner.example]:2222', isFor: false },
    { title: 'names it by a pattern', names: '*.partner.example', isFor: true },
    { title: 'names it by a pattern of single letters', names: 'sft?.partner.example', isFor: true },
    { title: 'excludes it', names: '*.example,!sftp.partner.example', isFor: false },
    { title: 'excludes others', names: '*.example,!web.partner.example', isFor: true },
    { title: 'is a comment', names: '#sftp.partner.example', isFor: false },
    {
      title: 'names it by a hash',
      names: '|1|F1E1KeoE/eEWhi10WpGv4OdiO6Y=|3988QV0VE8wmZL7suNrYQLITLCg=',
      host: '192.168.1.61',
      isFor: true,
    },
    {
      title: 'names another one by a hash',
      names: '|1|F1E1KeoE/eEWhi10WpGv4OdiO6Y=|3988QV0VE8wmZL7suNrYQLITLCg=',
      isFor: false,
    },
    { title: 'has a hash in an unknown form', names: '|2|salt|hash', isFor: false },
  ])('that $title counts: $isFor', ({ names, isFor, host = 'sftp.partner.example' }) => {
    expect(linesFor(`${names} ${ED25519}\n`, host)).toEqual(isFor ? [1] : [])
  })

  test('for another port has the port in its name', () => {
    const text = `host.example ${ED25519}\n[host.example]:2222 ${ED25519} a comment\r\n`
    expect(linesFor(text, 'host.example')).toEqual([1])
    expect(linesFor(text, 'host.example', 2222)).toEqual([2])
  })

  test('that is broken is skipped, and those after it count', () => {
    const text = [
      '',
      'host.example',
      'host.example ssh-ed25519',
      'host.example ssh-ed25519 AAAA',
      'host.example ssh-rsa ',
      '',
    ].join('\n')
    expect(
      linesFor(
        `${text}host.example ${ED25519.replace('ssh-ed25519', 'ssh-rsa')}\nhost.example ${ED25519}`,
        'host.example',
      ),
    ).toEqual([7])
  })

  test('that revokes a key or trusts an authority is recognised', () => {
    const text = `@revoked host.example ${ED25519}\n@cert-authority *.example ${ED25519}\n@unheard-of host.example ${ED25519}\n`
    const known = findKnownHost(text, { host: 'host.example', port: 22 })
    expect(known.trusted).toEqual([])
    expect(known.revoked.map(({ line }) => line)).toEqual([1])
    expect(known.authorities).toEqual([2])
  })

  test('shows the fingerprint that ssh-keygen prints for it', () => {
    // GitHub's key, whose fingerprint is published.
    const [found] = findKnownHost(`github.com ${ED25519}\n`, { host: 'github.com', port: 22 }).trusted
    expect(found && formatFingerprint(found.key)).toBe('SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU')
  })
})

test('a pattern matches what the same regular expression matches', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*', '?'), maxLength: 12, minLength: 1 })
  const name = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 12, minLength: 1 })
  fc.assert(
    fc.property(letters, name, (pattern, host) => {
      const same = new RegExp(
        `^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.')}$`,
      )
      expect(linesFor(`${pattern} ${ED25519}`, host)).toEqual(same.test(host) ? [1] : [])
    }),
    { numRuns: 500 },
  )
})

test('a pattern made to be slow is not', () => {
  const host = 'a'.repeat(250)
  expect(linesFor(`${'*a'.repeat(120)}b ${ED25519}`, host)).toEqual([])
})

test('a file of anything is read to its end, and an invalid line trusts no key', () => {
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom('|1|', '@revoked', 'host.example', 'ssh-ed25519', ',', '!*'),
  )
  const lines = fc.array(fc.array(word, { maxLength: 5 }).map((words) => words.join(' ')))
  fc.assert(
    fc.property(lines, (before) => {
      const text = [...before, `host.example ${ED25519}`].join('\n')
      expect(findKnownHost(text, { host: 'host.example', port: 22 }).trusted.length).toBe(1)
    }),
  )
})
