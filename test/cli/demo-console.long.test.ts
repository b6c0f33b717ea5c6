/** The built program's demo with its console: what it says is enough to see in a browser what it did. */
import { readFile, writeFile } from 'node:fs/promises'
import { constants, getPriority } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { runProgram, startProgram } from '../fixtures/program.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

test('demo --console says where it is and how to sign in, shows what the demo did, and ends with a signal', async () => {
  const folder = await tempFolder()
  const { process: child, finished } = startProgram(folder, ['demo', '--console', 'work'])
  onTestFinished(() => void child.kill('SIGKILL'))
  let [out, err] = ['', '']
  child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()))
  await vi.waitFor(() => expect(err).toContain('The console is at'), { timeout: 150_000, interval: 100 })
  const [, origin = ''] =
    /The console is at (http:\/\/127\.0\.0\.1:\d+)\/\. Stop it with Ctrl\+C\./.exec(err) ?? []
  // Files that are being sent go first.
  expect(getPriority(child.pid)).toBe(constants.priority.PRIORITY_BELOW_NORMAL)
  const [, name = '', password = ''] =
    /Sign in to the console as (\S+), with the password (\S+)/.exec(out) ?? []
  const signIn = (given: string) =>
    fetch(`${origin}/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin },
      body: new URLSearchParams({ name, password: given }),
    })
  expect((await signIn(`${password}x`)).status).toBe(401)
  const signedIn = await signIn(password)
  expect(signedIn.status).toBe(303)
  const [cookie = ''] = signedIn.headers.getSetCookie()[0]?.split(';') ?? []
  const look = async (path: string) => {
    const answer = await fetch(origin + path, { headers: { cookie, accept: 'application/json' } })
    expect(answer.status, path).toBe(200)
    return (await answer.json()) as Record<string, unknown>
  }
  const { files } = (await look('/files')) as { files: { id: string; name: string }[] }
  expect(files.map(({ name: of }) => of)).toContain('harbor-vine-week.csv')
  const week = files.find(({ name: of }) => of === 'harbor-vine-week.csv')
  expect(await look(`/files/${week?.id}`)).toMatchObject({ records: { accepted: 1946, rejected: 54 } })
  expect(JSON.stringify(await look('/deliveries'))).toContain('orders-')
  const today = await (await fetch(`${origin}/`, { headers: { cookie } })).text()
  expect(today).toContain('harbor-vine-week.csv')
  child.kill('SIGINT')
  const { exit } = await finished
  // As shells have it for a program that Ctrl+C stopped.
  expect({ exit, err: err.slice(err.indexOf('Stop it')) }).toEqual({
    exit: 130,
    err: expect.not.stringMatching(/rror|at .+:\d+:\d+/) as string,
  })
  await expect(fetch(origin)).rejects.toThrow('fetch failed')
})

test('demo without it ends, and says how to open the console on what it did', async () => {
  const folder = await tempFolder()
  const { exit, stdout } = await runProgram(folder, ['demo', 'work'])
  expect(exit).toBe(0)
  const lines = stdout.trimEnd().split('\n')
  const at = lines.indexOf('To see it in a browser, with the console:')
  const commands = lines.slice(at + 1).map((line) => line.trim())
  expect(commands).toEqual([
    expect.stringMatching(/ console user add NAME --role admin -c '?work\/dropbridge\.yaml'?$/),
    expect.stringMatching(/ console -c '?work\/dropbridge\.yaml'?$/),
  ])
  // As it says, but for the name, the password, and a port that is free.
  const args = (line = '') => line.slice(line.indexOf('console')).replaceAll("'", '').split(' ')
  const config = join(folder, 'work/dropbridge.yaml')
  await writeFile(join(folder, 'password'), 'correct horse battery')
  const [add = [], open = []] = commands.map(args)
  const added = await runProgram(folder, [
    ...add.map((arg) => (arg === 'NAME' ? 'nadia' : arg)),
    '--password-file',
    'password',
  ])
  expect(added).toMatchObject({ exit: 0, stderr: 'nadia may sign in as admin.\n' })
  await writeFile(config, `console: { listen: "127.0.0.1:0" }\n${await readFile(config, 'utf8')}`)
  const { process: child, finished } = startProgram(folder, open)
  onTestFinished(() => void child.kill('SIGKILL'))
  let err = ''
  child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()))
  await vi.waitFor(() => expect(err).toContain('The console is at'), { timeout: 60_000 })
  child.kill('SIGTERM')
  expect((await finished).exit).toBe(143)
})
