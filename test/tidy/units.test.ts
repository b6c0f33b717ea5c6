/** The units of docs/units: they call the program with valid arguments, and know its exit codes. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createCronTimes } from '../../src/schedule/schedule.ts'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { HealthSettings } from '../../src/config/observability.ts'
import { EXIT } from '../../src/support/errors.ts'
import { listeningTerminal } from '../fixtures/terminal.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

const repository = new URL('../..', import.meta.url).pathname
const textOf = (path: string) => readFileSync(join(repository, path), 'utf8')
const unit = (name: string) => textOf(`docs/units/${name}`)
const SERVICES = ['dropbridge.service', 'dropbridge-run.service', 'dropbridge-console.service']
const PROGRAM = '/usr/bin/dropbridge'

/** The values of a setting, in the order of the file. */
function valuesOf(text: string, setting: string): string[] {
  return [...text.matchAll(new RegExp(`^${setting}=(.*)$`, 'gm'))].map(([, value = '']) => value)
}

/** The only error of a command line whose configuration is not on this machine is the missing configuration. */
async function expectParsed(args: readonly string[]): Promise<void> {
  const { terminal, err } = listeningTerminal({ folder: await tempFolder() })
  const exit = await runCommandLine(terminal, args)
  expect({ exit, err: err[0] }).toEqual({
    exit: EXIT.badConfiguration,
    err: expect.stringMatching(/^dropbridge: The configuration file .*dropbridge\.yaml cannot be read/),
  })
}

function splitArgs(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
}

describe('systemd', () => {
  test.each(SERVICES)('%s starts the program with valid arguments', async (name) => {
    const [command = '', ...others] = valuesOf(unit(name), 'ExecStart')

    expect(others).toEqual([])
    expect(command.startsWith(`${PROGRAM} `)).toBe(true)
    await expectParsed(splitArgs(command).slice(1))
  })

  test('a service is restarted unless a person is needed, and a stop is no failure', () => {
    const text = unit('dropbridge.service')

    expect(valuesOf(text, 'Restart')).toEqual(['on-failure'])
    expect(valuesOf(text, 'RestartPreventExitStatus')).toEqual([
      [EXIT.usage, EXIT.unusableFile, EXIT.refusedCredentials, EXIT.badConfiguration].join(' '),
    ])
    expect(valuesOf(text, 'SuccessExitStatus')).toEqual([[EXIT.interrupted, EXIT.terminated].join(' ')])
  })

  test('a run that leaves work for the next one is no failure, and one that refused something is', () => {
    expect(valuesOf(unit('dropbridge-run.service'), 'SuccessExitStatus')).toEqual([
      [EXIT.tryLater, EXIT.interrupted, EXIT.terminated].join(' '),
    ])
  })

  test('all services have the same rights', () => {
    const [watch = '', ...others] = SERVICES.map((name) => {
      const text = unit(name)
      const hardening = text.slice(text.indexOf('NoNewPrivileges'))
      return hardening.slice(0, hardening.indexOf('SystemCallErrorNumber'))
    })

    expect(watch.split('\n').length).toBeGreaterThan(20)
    expect(others).toEqual([watch, watch])
  })

  const isThere = spawnSync('systemd-analyze', ['--version']).status === 0
  if (!isThere) process.stderr.write('left out: systemd-analyze is not there, so no unit was verified\n')

  test.runIf(isThere)('finds nothing wrong with the units, and grants them few rights', async () => {
    const folder = await tempFolder()
    await mkdir(folder, { recursive: true })
    const names = readdirSync(join(repository, 'docs/units')).filter((name) =>
      /\.(service|timer)$/.test(name),
    )
    for (const name of names) {
      // The program is not installed here.
      await writeFile(join(folder, name), unit(name).replaceAll(PROGRAM, '/usr/bin/true'))
    }
    const paths = names.map((name) => join(folder, name))
    const verified = spawnSync('systemd-analyze', ['verify', ...paths], { encoding: 'utf8' })

    expect(names.toSorted()).toEqual([
      'dropbridge-console.service',
      'dropbridge-run.service',
      'dropbridge-run.timer',
      'dropbridge.service',
    ])
    expect({ status: verified.status, stderr: verified.stderr }).toEqual({ status: 0, stderr: '' })
    for (const name of SERVICES) {
      const args = ['security', '--offline=true', '--threshold=20', join(folder, name)]
      const { status, stdout } = spawnSync('systemd-analyze', args, { encoding: 'utf8' })
      expect(status, stdout).toBe(0)
    }
  })
})

test('cron calls the program with valid arguments, at times that come', async () => {
  const lines = unit('dropbridge.cron').split('\n')
  const jobs = lines
    .map((line) => /^(?:# )?((?:\S+ ){5})dropbridge (\/\S+) (.*)$/.exec(line))
    .filter((job) => job !== null)

  expect(lines).toContain('MAILTO=orders@example.com')
  expect(jobs).toHaveLength(2)
  for (const [, times = '', program, args = ''] of jobs) {
    expect(program).toBe(PROGRAM)
    expect(createCronTimes(times.trim(), 'UTC').nextAfter(0)).toBeGreaterThan(0)
    expect(args).toContain('--quiet')
    // A percent sign is the end of the line for cron.
    expect(args).not.toContain('%')
    await expectParsed(splitArgs(args))
  }
})

describe('the Task Scheduler of Windows', () => {
  const xml = unit('dropbridge-task.xml').replace(/<!--[^]*?-->/g, '')

  test('takes only elements that its schema has, each where it may be', () => {
    const stack: string[] = []
    const found: string[] = []
    for (const [, isEnd, name = '', , isEmpty] of xml.matchAll(
      /<(\/?)([A-Za-z]+)((?:\s+[\w:]+="[^"<]*")*)\s*(\/?)>/g,
    )) {
      if (isEnd !== '') {
        const begun = stack.pop()
        if (begun !== name) throw new Error(`</${name}> ends <${begun ?? ''}>`)
        continue
      }
      found.push(`${stack.at(-1) ?? ''}/${name}`)
      if (isEmpty === '') stack.push(name)
    }
    expect(stack).toEqual([])
    expect(xml.replace(/<[^<>]*>/g, '')).not.toMatch(/[<>]|&(?!amp;|lt;|gt;|quot;|apos;)/)
    expect(found.filter((each) => !TASK_ELEMENTS.includes(each))).toEqual([])
    for (const needed of ['Triggers/CalendarTrigger', 'CalendarTrigger/StartBoundary', 'Exec/Command']) {
      expect(found).toContain(needed)
    }
    // In a trigger the order counts.
    const inTrigger = found.filter((each) => each.startsWith('CalendarTrigger/'))
    expect(inTrigger).toEqual(TASK_ELEMENTS.filter((each) => inTrigger.includes(each)))
  })

  test('starts the program with valid arguments, once at a time', async () => {
    const [, args = ''] = /<Arguments>(.*)<\/Arguments>/.exec(xml) ?? []
    const [script, ...rest] = splitArgs(args)

    expect(script).toBe('C:\\dropbridge\\dist\\cli\\main.js')
    expect(xml).toContain('<MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>')
    expect(xml).toContain('<StartWhenAvailable>true</StartWhenAvailable>')
    await expectParsed(rest)
  })
})

/** Of the schema of task 1.2, as far as a task that starts a program at times needs it. */
const TASK_ELEMENTS = [
  '/Task',
  'Task/RegistrationInfo',
  ...['Date', 'Author', 'Description', 'URI'].map((name) => `RegistrationInfo/${name}`),
  'Task/Triggers',
  'Triggers/CalendarTrigger',
  ...['Enabled', 'StartBoundary', 'EndBoundary', 'Repetition', 'RandomDelay', 'ScheduleByDay'].map(
    (name) => `CalendarTrigger/${name}`,
  ),
  ...['Interval', 'Duration', 'StopAtDurationEnd'].map((name) => `Repetition/${name}`),
  'ScheduleByDay/DaysInterval',
  'Task/Principals',
  'Principals/Principal',
  ...['UserId', 'LogonType', 'RunLevel'].map((name) => `Principal/${name}`),
  'Task/Settings',
  ...[
    'MultipleInstancesPolicy',
    'DisallowStartIfOnBatteries',
    'StopIfGoingOnBatteries',
    'AllowHardTerminate',
    'StartWhenAvailable',
    'RunOnlyIfNetworkAvailable',
    'AllowStartOnDemand',
    'Enabled',
    'Hidden',
    'WakeToRun',
    'ExecutionTimeLimit',
    'Priority',
  ].map((name) => `Settings/${name}`),
  'Task/Actions',
  'Actions/Exec',
  ...['Command', 'Arguments', 'WorkingDirectory'].map((name) => `Exec/${name}`),
]

describe('the container', () => {
  const lines = unit('Containerfile')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line))
  const final = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')))
  const listOf = (instruction: string) => {
    const line = final.find((each) => each.startsWith(`${instruction} `)) ?? ''
    return JSON.parse(line.slice(line.indexOf('['))) as string[]
  }

  test('is made of files that are there, with a Node that CI tests and that needs no compiler', () => {
    const copied = lines
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
      .flatMap((line) => line.split(' ').slice(1, -1))

    expect(copied.filter((path) => !existsSync(join(repository, path)))).toEqual([])
    // The files of the package, and the files it is built from.
    expect(copied).toEqual(
      expect.arrayContaining(['src', 'package-lock.json', 'mappings', 'samples', 'docs']),
    )
    for (const from of lines.filter((line) => line.startsWith('FROM ')))
      expect(from).toMatch(/^FROM node:24-/)
  })

  test('runs without root, keeps its state, is stopped as the program wants it, and reports its health', () => {
    expect(final).toContain('USER node')
    expect(final.findIndex((line) => line.startsWith('USER '))).toBeLessThan(
      final.findIndex((line) => line.startsWith('ENTRYPOINT ')),
    )
    expect(final).toContain('STOPSIGNAL SIGTERM')
    expect(listOf('VOLUME')).toContain('/var/lib/dropbridge')
    const health = final.find((line) => line.startsWith('HEALTHCHECK ')) ?? ''
    const { host, port } = HealthSettings.parse({})
    expect(health).toContain(`http://${host}:${port}/livez`)
  })

  test('starts the program with valid arguments', async () => {
    expect(listOf('ENTRYPOINT')).toEqual(['node', '/opt/dropbridge/dist/cli/main.js'])
    await expectParsed(listOf('CMD'))
  })
})

test('docs/operating.md describes every unit, and every exit code as Windows shows it', () => {
  const page = textOf('docs/operating.md')
  const units = readdirSync(join(repository, 'docs/units')).filter((name) => !page.includes(`units/${name}`))
  const codes = Object.values(EXIT).filter(
    (code) => !new RegExp(`\\| ${code} \\| 0x${code.toString(16).toUpperCase()} \\|`).test(page),
  )

  expect(units).toEqual([])
  expect(codes).toEqual([])
})
